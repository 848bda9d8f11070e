# SPDX-License-Identifier: Apache-2.0
"""Cells of the mixture pairs against differences of normal tails in ball arithmetic."""

import itertools
import math
import random

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from exact.pair import Cells
from hockeystick import _core
from hockeystick.verify.laws import Mixed
from mechanisms import cells
from questions import told

DIRECTIONS = ["remove", "add"]
MIXTURES = {
    "three": (1.0, ((0.0, 0.5), (1.0, 0.3), (2.0, 0.2))),
    "rare": (1.5, ((0.0, 0.9), (0.5, 0.05), (1.0, 0.04), (3.0, 1e-9))),
    "no rest": (1.0, ((0.25, 0.5), (1.0, 0.5))),
    "far apart": (0.2, ((0.0, 0.1), (0.01, 0.4), (4.0, 0.5))),
    "loud": (1e6, ((1.0, 0.25), (0.0, 0.5), (3.0, 0.25))),
    "repeated": (1.0, ((1.0, 0.125), (0.0, 0.25), (1.0, 0.375), (0.0, 0.25))),
    "one": (2.0, ((1.0, 1.0),)),
}


def core_pair(deviation, terms, direction, rate=1.0):
    sensitivities, weights = zip(*terms, strict=True)
    parameters = [deviation, rate, *sensitivities, *weights]
    return _core.dominating_pair(f"gaussian_mixture_{direction}", parameters)


def loss_at(deviation, terms, direction, x):
    """In doubles, to choose edges by."""
    sign = 1 if direction == "remove" else -1
    s = np.array([t[0] for t in terms]) / deviation
    log_p = np.log([t[1] for t in terms])
    return sign * float(np.logaddexp.reduce(log_p + s * (sign * x) - s * s / 2))


def edges_for(deviation, terms, direction):
    pair = core_pair(deviation, terms, direction)
    top = max(s for s, _ in terms) / deviation
    anchors = [-33.0, -9.0, -1.0, 0.0, 0.4, top / 2, top, top + 3, 20.0, 30.0]
    edges = set()
    for k, x in enumerate(anchors):
        loss = loss_at(deviation, terms, direction, x)
        edges |= {loss, loss + cells.WIDTHS[k % 5] * min(1.0, top)}
    for bound in (pair.loss_infimum, pair.loss_supremum):
        if math.isfinite(bound) and top > 1e-3:  # else all but the bound is far from any mass
            edges |= {bound - 2.0, bound - 1e-9, bound + 1e-9, bound + 2.0}
    ordered = sorted(edges)
    return [ordered[0]] + [
        b for a, b in itertools.pairwise(ordered) if b - a > 9e-8 * min(1.0, top)
    ]


def law_of(deviation, terms, direction, rate):
    """Written from the page, as probabilities need not add up to 1."""
    total, still = sum(arb(p) for _, p in terms), ((arb(1), arb(0)),)
    moved = [(rate * arb(p) / total, arb(s) / deviation) for s, p in terms]
    up = ((1 - arb(rate), arb(0)), *moved)
    down = tuple((p, -s) for p, s in up)
    return ((arb(1), Mixed(up, still) if direction == "remove" else Mixed(still, down)),)


def check(deviation, terms, direction, edges, rate=1.0):
    pair = core_pair(deviation, terms, direction, rate)
    return cells.check(pair, Cells(lambda: law_of(deviation, terms, direction, rate)), edges)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", MIXTURES)
def test_stated_errors_hold_and_are_small(name, direction):
    deviation, terms = MIXTURES[name]
    edges = edges_for(deviation, terms, direction)
    got = check(deviation, terms, direction, edges)
    largest = max(s for s, _ in terms) / deviation
    scale = max(abs(edges[0]), abs(edges[-1])) + largest**2 + (1 if largest > 1 else 0)
    assert max(got.mass_error, got.share_error) < 1e-12
    assert got.loss_error < 3e-14 * scale


mixtures = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.5, 6.0]), st.floats(1e-6, 1.0)),
    min_size=1,
    max_size=6,
).filter(lambda terms: any(s for s, _ in terms))


@given(
    mixtures,
    st.floats(-0.6, 2.0).map(lambda e: 10.0**e),
    st.sampled_from(DIRECTIONS),
    st.sampled_from([1.0, 0.01]),
    st.floats(-8.0, 8.0),
    st.sampled_from(cells.WIDTHS),
)
def test_stated_errors_hold_anywhere(terms, deviation, direction, rate, x, width):
    total = math.fsum(p for _, p in terms)
    low = loss_at(deviation, [(s, p / total) for s, p in terms], direction, x) * rate
    check(deviation, tuple(terms), direction, [low + width * k for k in (0, 1, 2, 4)], rate)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("x", [-6.0, 85.0, 88.5, 180.0, 249.0])
@pytest.mark.parametrize(
    "terms", [((0.0, 0.25), (0.35, 0.125), (1.0, 0.625)), ((0.9, 0.5), (1.0, 0.5))]
)
def test_stated_errors_hold_where_normals_are_far_apart(terms, x, direction):
    """Panels are as wide as the near normals allow: beside, on and between those at 0, 87, 250."""
    low = loss_at(0.004, terms, direction, x if direction == "remove" else -x)
    check(0.004, terms, direction, [low, low + 0.5, low + 40])


def test_a_hundred_components():
    source = random.Random(1)
    terms = tuple((source.uniform(0.0, 8.0), source.uniform(0.1, 1.0)) for _ in range(100))
    total = math.fsum(p for _, p in terms)
    weighted = [(s, p / total) for s, p in terms]
    for direction in DIRECTIONS:
        low = loss_at(2.0, weighted, direction, 1.0)
        check(2.0, terms, direction, [low, low + 1e-4, low + 0.1])


TINY = [2.3061291781e-313, 1e-320, 1.5e-323, 5e-324]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", TINY)
@pytest.mark.parametrize("name", ["three", "no rest", "far apart", "one"])
def test_rates_below_the_normal_range_move_no_mass(name, rate, direction):
    """Edges lie where e^t is some 1e310; where such sums lost digits, a step lost 1e-4 nats."""
    deviation, terms = MIXTURES[name]
    pair = core_pair(deviation, terms, direction, rate)
    for edges in ([-0.002, 0.002, 0.006], [-1e-5, 1e-5, 0.7]):
        got = pair.integrate(edges)
        assert got.loss_error < 1e-11
        low, high = edges[:2]
        assert got.p == pytest.approx([1, 0], abs=1e-14)
        assert got.above == pytest.approx([-math.expm1(low), 0], rel=1e-9, abs=1e-14)
        assert got.below == pytest.approx([math.expm1(high), 0], rel=1e-9, abs=1e-14)
    lower, upper = pair.infinity_mass
    assert (lower, upper) == (0, 0)


@pytest.mark.parametrize("rate", TINY)
def test_many_steps_of_next_to_no_sampling_cost_nothing(rate):
    step = hs.GaussianMixture(3.9, sensitivities=(0.3,), probabilities=(1.0,)).poisson_sampled(rate)
    noise = hs.Gaussian(0.2848831284384913)
    truth = noise.delta_bounds(5.27)
    for adjacency in ("remove-one", "add-one"):
        many = noise + 10_000 * step
        found = told(many.delta_bounds, 5.27, adjacency=adjacency, tolerance=0.04)
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("digits", range(36, 46))
def test_losses_next_to_each_other_near_the_end_count_no_mass_twice(direction, digits):
    terms, deviation, rate = ((0.5, 0.3), (1.0, 0.7)), 0.0816283236, 0.3346347685
    near = math.log1p(-rate) * (1 - 2.0**-digits) * (1 if direction == "remove" else -1)
    losses = [near - 0.5, near]
    for _ in range(300):
        losses.append(math.nextafter(losses[-1], math.inf))
    found = core_pair(deviation, terms, direction, rate).integrate([*losses, near + 0.5])
    total = math.fsum([*found.p, found.lower_tail_p, found.upper_tail_p])
    assert total <= 1 + found.mass_error
