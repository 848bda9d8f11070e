# SPDX-License-Identifier: Apache-2.0
"""Chains of neighbours: each step in fractions, and groups whose curve is known."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core


@pytest.mark.parametrize("seed", range(40))
def test_the_least_of_all_parts_is_not_less_than_what_they_add_up_to(seed):
    """In fractions, of the doubles given: a rounding down of one of them would show."""
    rng = random.Random(seed)
    n = rng.randint(1, 6)
    powers = sorted(10 ** rng.uniform(-2, 2) for _ in range(2 * n + 1))
    first, second = (
        sorted((10 ** rng.uniform(-9, -1) for _ in range(2 * n + 1)), reverse=True)
        for _ in range(2)
    )
    found = _core.runs.chained_values(first, second, powers)
    for k in range(-n, n + 1):
        parts = [
            Fraction(powers[i + n]) * Fraction(second[k - i + n]) + Fraction(first[i + n])
            for i in range(max(-n, k - n), min(n, k + n) + 1)
        ]
        least = min(1, *parts)
        assert least <= Fraction(found[k + n]) <= least * (1 + Fraction(1, 10**14))


# With one record and with a group a curve is known: noise moved by one, and by as much as all.
KNOWN = [
    (hs.Gaussian(3.0), lambda k: hs.Gaussian(3.0 / k)),
    (hs.Laplace(4.0), lambda k: hs.Laplace(4.0 / k)),
    (hs.DiscreteLaplace(parameter=0.3), lambda k: hs.DiscreteLaplace(0.3, sensitivity=k)),
]


@pytest.mark.parametrize(("one", "known"), KNOWN, ids=lambda x: repr(x)[:20])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_chain_is_next_to_a_group_that_is_known(one, known, size):
    pair = one.dominating_pair(hs.Direction.REMOVE)
    run = _core.Terms([(pair, 1)])
    found = _core.chained_pair([[(run, run, size)]], 80, 1e-12)
    for epsilon in (0.0, 0.2, 0.7, 1.3):
        truth = known(size).delta_bounds(epsilon)
        value = found.delta_above(np.array([epsilon]))[0]
        assert truth.lower <= value + 1e-15
        assert value <= truth.upper * 1.03 + 0.02 * math.exp(-1 / epsilon if epsilon else 0) + 1e-9


def test_approximate_guarantees_chain_as_their_formula():
    """(k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)) for a group of k."""
    one = hs.ApproximateDP(0.25, 1e-5)
    for size in (2, 5, 16):
        formula = 1e-5 * math.expm1(0.25 * size) / math.expm1(0.25)
        found = one.group(size).delta(0.25 * size * 1.03)  # a cell a link
        assert 0.7 * formula <= found <= 1.05 * formula
        assert one.group(size).epsilon(1e-5) >= one.epsilon(1e-5)


def test_the_smaller_of_chains_counts():
    step = hs.Gaussian(1.0).poisson_sampled(0.01)
    both = {"adjacency": "replace-one"}
    group = (1000 * step).group(2).epsilon_bounds(1e-6, **both)
    assert (1000 * step).epsilon(1e-6, **both) <= group.upper < 7.2
    assert group.limited_by == "theory"
    one, two = (step.group(k).pair_above(hs.Direction.REPLACE, (40, 1e-12)) for k in (2, 4))
    assert one.delta_above(np.array([0.3]))[0] < two.delta_above(np.array([0.3]))[0]


def test_a_chain_needs_no_reverse():
    pair = hs.Gaussian(2.0).dominating_pair(hs.Direction.REMOVE)
    run = _core.Terms([(pair, 1)])
    with_it, without = (
        _core.chained_pair([[(run, back, 3)]], 40, 1e-9).delta_above(np.array([1.0]))[0]
        for back in (run, None)
    )
    assert with_it <= without <= 1
    with pytest.raises(ValueError, match="^times must"):
        _core.chained_pair([[(run, run, 0)]], 40, 1e-9)


MASSES = ([0.5, 0.3, 0.2], [0.25, 0.25, 0.5])


def who_sees_any(q, size, alpha, *, adds):
    """delta, in fractions, of an output that has the law P if any of the group is in the sample."""
    rate, seen = Fraction(q), Fraction(0)
    for drawn in product((True, False), repeat=size):
        seen += any(drawn) * math.prod(rate if one else 1 - rate for one in drawn)
    with_it, without = (tuple(map(Fraction, law)) for law in MASSES)
    mixed = [seen * p + (1 - seen) * r for p, r in zip(with_it, without, strict=True)]
    there, base = (without, mixed) if adds else (mixed, without)
    return sum(max(Fraction(0), p - Fraction(alpha) * r) for p, r in zip(there, base, strict=True))


@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
@pytest.mark.parametrize(("q", "size"), [(0.3, 2), (0.01, 3), (0.75, 4), (1.0, 2), (1e-17, 3)])
def test_below_is_an_output_that_sees_any_of_the_group(adjacency, q, size):
    step = hs.DiscretePair(*MASSES).poisson_sampled(q)
    for epsilon in (0.0, 0.1, 0.3, 0.6):
        asked = {"epsilon": epsilon, "adjacency": adjacency}
        bounds = step.group(size).delta_bounds(**asked)
        attained = who_sees_any(q, size, math.exp(epsilon), adds=adjacency == "add-one")
        assert bounds.lower <= attained * (1 + Fraction(1, 10**14)) <= bounds.upper * (1 + 1e-9)
        assert bounds.lower >= step.delta_bounds(**asked).lower * (1 - 1e-3)
        assert q < 1e-15 or bounds.lower >= attained * (1 - Fraction(1, 500))


@pytest.mark.parametrize(
    ("step", "close"),
    [
        (hs.Laplace(2.0).poisson_sampled(0.01), 0.98),
        (hs.DiscreteLaplace(0.5).poisson_sampled(0.01), 0.98),
        (hs.joint(hs.Laplace(4.0), hs.Laplace(4.0)).poisson_sampled(0.01), 0.9),
    ],
)
def test_a_group_of_rare_samples_is_known_closely(step, close):
    bounds = (1000 * step).group(3).epsilon_bounds(1e-6, adjacency="replace-special")
    assert bounds.upper * close <= bounds.lower <= bounds.upper
