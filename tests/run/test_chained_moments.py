# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of groups by those of one record, in ball arithmetic."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core

ORDERS = (1.0001, 1.3, 2.0, 7.5, 40.0, 1000.0)
SIZES = (2, 3, 8, 50, 1000)
LAWS = [([0.75, 0.25], [0.25, 0.75]), ([0.1, 0.5, 0.4], [0.3, 0.5, 0.2]), ([0.51, 0.49], [0.5] * 2)]


def moment(p, q, order):
    """The logarithm of E_Q (P / Q)^order."""
    terms = [
        (order * arb(x).log() - (order - 1) * arb(y).log()).exp() for x, y in zip(p, q, strict=True)
    ]
    return sum(terms, arb(0)).log()


def chained(one, size, order):
    """The upper end of a pair's divergence."""
    pair = _core.chained_moments([(one, 1)], size)
    how = {"tolerance": 1e-3, "memory_limit": 2**30}
    return _core.renyi_bounds([[(pair, 1)]], np.array([order]), **how).table()[1][0]


def remove(mechanism):
    return mechanism.dominating_pair(hs.Direction.REMOVE)


@pytest.mark.parametrize("size", [2, 3, 8, 50])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_sum_over_orders(law, size):
    """No divergence is below the sum of the theorem, or the largest loss; none is far above."""
    p, q = law
    for order in ORDERS:
        found = chained(remove(hs.DiscretePair(p, q)), size, order)
        with ctx.workprec(200):
            t = arb(order) - 1
            orders = [size * t + j for j in range(1, size + 1)]
            total = sum((moment(p, q, o) / ((o - 1) * o) for o in orders), arb(0))
            formula = size * (1 + t) * total
            largest = size * max((arb(x) / arb(y)).log() for x, y in zip(p, q, strict=True))
            slope = (1 + t) * size**2 * largest**2 / 2
        least = min(float(x.mid()) for x in (formula, largest, slope / size**2))
        assert least * (1 - 1e-12) <= found <= float(min(formula, largest).mid()) * (1 + 4e-3)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_attained_is_below(size):
    """Noise on whole numbers moved `size` times as far, whose pairs are known."""
    for noise in (hs.DiscreteLaplace(scale=3.0), hs.DiscreteLaplace(scale=0.4)):
        truth = noise.group(size)
        for order in ORDERS:
            attained = truth.renyi_divergence_bounds(order).lower
            assert attained <= chained(remove(noise), size, order)


@pytest.mark.parametrize("size", SIZES)
def test_gaussians_attain_it(size):
    noise = 2.0 * size
    pair = _core.chained_moments([(remove(hs.Gaussian(noise)), 1)], size)
    for order in (1.01, 8.0, 1e4):
        truth = order * size**2 / (2 * noise**2)
        assert truth <= chained(remove(hs.Gaussian(noise)), size, order) <= truth * (1 + 1e-13)
        assert truth / order <= pair.renyi_slope_bound(order) <= truth / order * (1 + 1e-13)


def test_of_two_bounds_the_smaller():
    one = [(remove(hs.Laplace(20.0).poisson_sampled(0.01)), 1)]
    tight = _core.run_moments([[(remove(hs.Gaussian(1e3)), 1)]])
    loose = _core.run_moments([[(remove(hs.Gaussian(1.0)), 1)]])
    how = {"tolerance": 1e-3, "memory_limit": 2**30}

    def upper(*other):
        pair = _core.chained_moments(one, 3, *other)
        return _core.renyi_bounds([[(pair, 1)]], np.array([2.0]), **how).table()[1][0]

    assert upper(tight) <= 1.0001e-6 < upper(loose) == upper()


@pytest.mark.parametrize(
    ("mechanism", "orders"),
    [
        (hs.ZCDP(0.01), (1.5, 30.0)),
        (hs.RenyiDP(order=30, divergence=0.1), (1.5, 10.0)),
        (hs.any_of(hs.Laplace(10), hs.Gaussian(10)), (1.5, 30.0)),
        (hs.best_of(hs.Gaussian(9.0), runs="geometric", mean=3), (1.5, 8.0)),
        (hs.ApproximateDP(0.1, 0), (1.5, 30.0)),
        (hs.Laplace(10.0).poisson_sampled(0.01), (1.5, 8.0)),
        (hs.Gaussian(5.0).random_allocation(steps=20), (1.5, 8.0)),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_groups_of_everything_have_divergences(mechanism, orders):
    """At least that of one record, and at most about the square of the size times as much."""
    for order in orders:
        lower, upper = mechanism.group(3).renyi_divergence_bounds(order)
        one = mechanism.renyi_divergence_bounds(order)
        larger = mechanism.renyi_divergence_bounds(3 * order).upper
        assert one.lower * (1 - 1e-3) <= lower <= upper <= 9 * larger * (1 + 1e-3)
    assert mechanism.group(3).zcdp() <= 9 * mechanism.zcdp() * 1.2


def test_a_divergence_of_too_small_an_order_tells_nothing():
    group = hs.RenyiDP(order=8, divergence=0.1).group(4)
    assert group.renyi_divergence(2.0) < 1.6 * 1.001
    assert group.renyi_divergence(2.001) == math.inf
    assert hs.ApproximateDP(0.1, 1e-6).group(2).renyi_divergence(2.0) == math.inf
