# SPDX-License-Identifier: Apache-2.0
"""Delta at and next to the largest loss: pure DP at its own epsilon, where rounding decides."""

import math
import random

import numpy as np
import pytest
from flint import arb

import hockeystick as hs
from hockeystick import Adjacency, _core

pytestmark = pytest.mark.bits(300)

EPSILONS = [0.01, 0.1, 0.3, 0.7, 1 / 3, 1.1, 2.99, 3.0]
FLOOR = hs.LARGEST_LOSS_ROUNDING


@pytest.mark.parametrize("count", [1, 2, 7, 10, 100])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_dp_at_its_own_epsilon(epsilon, count):
    for step in (
        hs.Laplace(noise_multiplier=1 / epsilon),
        hs.DiscreteLaplace(parameter=epsilon),
        hs.ApproximateDP(epsilon=epsilon, delta=0),
        hs.ExponentialMechanism(epsilon=epsilon),
        hs.PermuteAndFlip(epsilon=epsilon),
    ):
        upper = (count * step).delta(count * epsilon)
        assert 0 <= upper <= 1e-15 * (1 + count * epsilon)


@pytest.mark.parametrize("truth", [0.5, 0.25, 1e-3])
def test_randomized_response_at_the_logarithm_of_its_odds(truth):
    step = hs.RandomizedResponse(noise_parameter=truth, num_buckets=2)
    epsilon = math.log((2 - truth) / truth)
    upper = step.delta(epsilon, adjacency=Adjacency.REPLACE_ONE)
    assert upper <= FLOOR * (1 + epsilon)


@pytest.mark.parametrize(("count", "epsilon"), [(10, 0.1), (3, 0.1), (6, 0.1), (3, 0.7), (7, 0.3)])
def test_differences_of_exact_losses_are_exact(count, epsilon):
    """10 times the double 0.1 is 5.6e-17 above 1, 7 times 0.3 below 2.1: told in two doubles."""
    run = count * hs.ExponentialMechanism(epsilon=epsilon)
    asked = float(str(round(count * epsilon, 3)))
    gap = count * arb(epsilon) - arb(asked)
    above = (arb(epsilon).exp() / (1 + arb(epsilon).exp())) ** count
    bounds = run.delta_bounds(asked)
    if gap <= 0:
        assert bounds == (0, 0)
    else:
        truth = above * -(-gap).expm1()
        assert arb(bounds.lower) <= truth <= arb(bounds.upper)
        assert bounds.upper <= bounds.lower * (1 + 1e-9)


@pytest.mark.parametrize("below", [2.0**-53, 2.0**-50, 1e-13, 1e-12])
def test_next_to_the_largest_loss_delta_is_that_of_all_largest_losses(below):
    """(1 - e^-g) / 2 to the n, but for losses between, which e^(n g) bounds."""
    for count in (1, 2, 5):
        epsilon = count - below * count
        gap = count - arb(epsilon)
        least = -(-gap).expm1() / arb(2) ** count
        bounds = (count * hs.Laplace(noise_multiplier=1.0)).delta_bounds(epsilon)
        assert arb(bounds.lower) <= least * (count * gap).exp()
        assert least <= arb(bounds.upper)
        assert bounds.upper - bounds.lower <= 1e-3 * bounds.upper


def test_mass_at_infinity_is_added():
    run = 3 * hs.ApproximateDP(epsilon=0.1, delta=1e-9)
    leak = 1 - (1 - arb(1e-9)) ** 3
    assert arb(run.delta_bounds(0.3).lower) <= leak + 1e-15
    assert leak <= arb(run.delta_bounds(0.3).upper)


def test_the_floor_is_that_of_the_core():
    assert hs._core.largest_loss_rounding == hs.LARGEST_LOSS_ROUNDING


@pytest.mark.parametrize("count", [1, 2, 3])
def test_losses_that_are_rounded_are_counted(count):
    """Logarithms of ratios, asked within an ulp or two of their sum."""
    rng = random.Random(5)
    for _ in range(40):
        p, q = rng.randrange(2**19, 2**20) / 2**20, rng.randrange(2**12, 2**19) / 2**20
        step = hs.DiscretePair(p=[p, 1 - p], q=[q, 1 - q])
        largest = (arb(p) / arb(q)).log()
        epsilon = float(count * largest)
        for _ in range(rng.randint(0, 2)):
            epsilon = math.nextafter(epsilon, 0.0)
        gap = count * largest - arb(epsilon)
        truth = arb(p) ** count * -(-gap).expm1() if gap > 0 else arb(0)
        bounds = (count * step).delta_bounds(epsilon, adjacency=Adjacency.REMOVE_ONE)
        assert arb(bounds.lower) <= truth <= arb(bounds.upper)


@pytest.mark.parametrize("room", [1e-3, 0.01, 0.03, 0.1])
def test_the_largest_loss_alone_is_rounded_down(room):
    """An exponential, a difference and products: 16 u of the product, and 2 u of the sum."""
    u, most = 2.0**-53, 30.0
    step = _core.dominating_pair("approximate_dp", [most, 0.0])
    cells = step.integrate(np.array([most]))
    lower, _ = _core.parts.next_to_largest_loss([(step, 1)], most - room, 1e-13)
    kept = arb(most) - arb(most - room)
    reached = arb(cells.upper_tail_p) * (1 - arb(cells.mass_error) - 2 * u)
    assert 15 * u < 1 - arb(lower) / (reached * (1 - (-kept).exp())) < 24 * u


@pytest.mark.parametrize("room", [1e-3, 0.01, 0.1])
@pytest.mark.parametrize("count", [1, 20])
def test_what_is_left_next_to_the_largest_loss_is_rounded_up(room, count):
    """A tail by its error and 4 u, its power's logarithm, then 16 u of the product and 2 u."""
    u, most = 2.0**-53, 30.0
    step = _core.dominating_pair("approximate_dp", [most, 0.0])
    cells = step.integrate(np.array([math.nextafter(most - count * room, 0.0)]))
    epsilon = count * (most - room)
    _, upper = _core.parts.next_to_largest_loss([(step, count)], epsilon, 1e-13)
    left = count * arb(most) - arb(epsilon)
    tail = arb(cells.upper_tail_p) * (1 + arb(cells.mass_error)) * (1 + 4 * u)
    formula = tail**count * (1 - (-left).exp()) * (1 + (18 - 8 * count * tail.log()) * u)
    assert abs(arb(upper) / formula - 1) < (6 + count) * u
    assert tail**count * (1 - (-left).exp()) * (1 + 12 * u) < arb(upper)
