# SPDX-License-Identifier: Apache-2.0
"""Groups on a Poisson subsample, by groups of those drawn: in fractions and in balls."""

import math
import random
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy


def curve(rng):
    """Points of a convex curve that lies above 1 - alpha, as doubles at their exact value."""
    alphas = sorted(math.exp(rng.uniform(-3, 3)) for _ in range(rng.randint(2, 6)))
    slopes = sorted(rng.random() / alphas[-1] for _ in alphas)
    values = [0.0]
    for (low, high), slope in zip([*pairwise(alphas)][::-1], slopes, strict=False):
        values.insert(0, values[0] + slope * (high - low))
    infinite = rng.choice([0.0, 0.125]) + max(0.0, 1 - values[0] - alphas[0])
    scale = max(1.0, values[0] + slopes[-1] * alphas[0] + infinite)
    return alphas, [(value + infinite) / scale for value in values]


def drawn(rng):
    """Groups, and the probabilities that none and that another number of records is drawn."""
    weights = [rng.random() * 10 ** rng.uniform(-9, 0) for _ in range(rng.randint(1, 5))]
    none, rest = rng.random(), 10 ** rng.uniform(-12, -3)
    total = sum(weights) + none + rest
    groups = [(*curve(rng), weight / total) for weight in weights]
    return groups, none / total, rest / total


def lines_of(group, *, removed, ends):
    """Value and slope in x, the Q-mass of a test: the best power is the least, or largest, line."""
    points = list(zip(*(map(Fraction, part) for part in group[:2]), strict=True))
    if ends:  # the curve is at least 1 - alpha before them, and 0 after them
        points += [(points[0][0], 1 - points[0][0]), (points[-1][0], Fraction(0))]
    if removed:
        return [(value, alpha) for alpha, value in points] + [(Fraction(1), Fraction(0))]
    return [(-value / alpha, 1 / alpha) for alpha, value in points] + [(Fraction(0), Fraction(0))]


def attained(groups, none, rest, alpha, *, removed, ends):
    """The curve at alpha: the best over all Q-masses at which some power bends."""
    every = [lines_of(group, removed=removed, ends=ends) for group in groups]
    masses = {Fraction(0), Fraction(1)}
    for lines in every:
        every_line = [*lines, (Fraction(0), Fraction(0)), (Fraction(0), Fraction(1))]
        masses |= {(v - w) / (b - a) for (v, a), (w, b) in combinations(every_line, 2) if a != b}
    best, out = Fraction(0), Fraction(rest)
    for x in (x for x in masses if 0 <= x <= 1):
        best_of = min if removed else max
        powers = [best_of(v + a * x for v, a in lines) for lines in every]
        powers = [min(x, max(0, y)) if ends and not removed else max(0, y) for y in powers]
        mixed = sum((Fraction(g[2]) * y for g, y in zip(groups, powers, strict=True)), none * x)
        mixed += (0 if ends else out) if removed else (out * x if ends else 0)
        best = max(best, mixed - alpha * x if removed else x - alpha * mixed)
    return best


@pytest.mark.parametrize("removed", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_points_are_on_their_side_of_what_tests_attain(seed, removed):
    """In fractions, of the doubles given: a rounding to the wrong side would show."""
    rng = random.Random(seed)
    groups, none, rest = drawn(rng)
    law = (groups, Fraction(none), rest)
    for alpha, value in zip(*_core.runs.sampled_above(groups, none, rest, removed), strict=True):
        exact = attained(*law, Fraction(alpha), removed=removed, ends=False)
        assert exact <= Fraction(value)
    for alpha, value in zip(*_core.runs.sampled_below(groups, none, rest, removed), strict=True):
        exact = attained(*law, Fraction(alpha), removed=removed, ends=True)
        assert Fraction(value) <= max(exact, 1 - Fraction(alpha))


def by_half_lines(scale, q, size, alpha, *, adds):
    """delta of a query that each of the group raises by 1: the best threshold, by a search."""
    rates = [math.comb(size, j) * arb(q) ** j * (1 - arb(q)) ** (size - j) for j in range(size + 1)]

    def beyond(t, j):
        far = (abs(t - j) / scale).exp()
        below = t < j if not adds else t > j
        return 1 - 1 / (2 * far) if below else 1 / (2 * far)

    def at(t):
        mixed = sum((rate * beyond(t, j) for j, rate in enumerate(rates)), arb(0))
        there, base = (beyond(t, 0), mixed) if adds else (mixed, beyond(t, 0))
        return there - alpha * base

    return max((at(arb(t) / 64) for t in range(-16, 64 * size + 16)), key=float)


@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
@pytest.mark.parametrize(("scale", "q", "size"), [(2.0, 0.01, 3), (1.0, 0.1, 2), (0.5, 0.3, 4)])
def test_groups_of_laplace_noise_are_what_half_lines_attain(scale, q, size, adjacency):
    group = hs.Laplace(scale).poisson_sampled(q).group(size)
    for epsilon in (0.001, 0.05, 0.3):
        bounds = group.delta_bounds(epsilon, adjacency=adjacency, tolerance=1e-5)
        truth = by_half_lines(arb(scale), q, size, arb(epsilon).exp(), adds=adjacency == "add-one")
        assert truth <= bounds.upper * (1 + 1e-14)
        assert bounds.lower <= max(float(truth), 0.0) * 1.003 + 1e-12
        assert bounds.upper <= bounds.lower * (1 + 2e-4) + 1e-12


def test_whole_numbers_move_by_those_drawn():
    """All outcomes of a group of three, as a pair."""
    noise, q, size = hs.DiscreteLaplace(parameter=0.5), 0.1, 3
    outcomes = range(-60, 64)
    w = math.exp(-0.5)

    def mass(y, moved):
        return (1 - w) / (1 + w) * w ** abs(y - moved)

    rates = [math.comb(size, j) * q**j * (1 - q) ** (size - j) for j in range(size + 1)]
    mixed = [sum(r * mass(y, j) for j, r in enumerate(rates)) for y in outcomes]
    pair = hs.DiscretePair(mixed, [mass(y, 0) for y in outcomes])
    group = noise.poisson_sampled(q).group(size)
    for epsilon in (0.0, 0.1, 0.15):
        for adjacency in ("remove-one", "add-one"):
            asked = {"epsilon": epsilon, "adjacency": adjacency}
            truth, found = pair.delta_bounds(**asked), group.delta_bounds(**asked)
            assert found.lower <= truth.upper * (1 + 1e-12)
            assert truth.lower * (1 - 1e-12) <= found.upper <= found.lower * (1 + 1e-9) + 1e-15


def test_no_chain_of_neighbours_does_better():
    """Of what is known by chains alone; many records are left to these."""
    for base in (
        hs.ApproximateDP(0.5, 1e-6),
        hs.PermuteAndFlip(0.5),
        hs.joint(hs.Laplace(3.0), hs.Laplace(4.0)),
    ):
        group = base.poisson_sampled(0.1).group(3)
        one = 1 * base.poisson_sampled(0.1)
        for way in (hs.Direction.REMOVE, hs.Direction.ADD):
            forth, back = (
                one._run().sides(d.index, 40, 1e-12, above=True)[0] for d in (way, way.reversed)
            )
            chain = _core.chained_pair([[(forth, back, 3)]], 40, 1e-12)
            for epsilon in (0.01, 0.05, 0.1, 0.15):
                drawn_of = group.pair_above(way, Accuracy()).delta_above([epsilon])[0]
                assert drawn_of <= chain.delta_above([epsilon])[0] * (1 + 1e-3) + 1e-12
    many = hs.PermuteAndFlip(0.5).poisson_sampled(0.5).group(40)
    assert many.epsilon(1e-6) <= 40 * hs.PermuteAndFlip(0.5).epsilon(0)
