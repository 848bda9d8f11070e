# SPDX-License-Identifier: Apache-2.0
"""Epsilon and delta of one epoch, from contours near the answer."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from mechanisms.test_allocation_curve import put_of_two


def bounds(noise, steps, value, tolerance=1e-3, *, adds=False, wants_epsilon=True):
    """The ends of one direction."""
    lower, upper = _core.sampling.allocation_bounds(
        noise,
        steps,
        1,
        removes=not adds,
        adds=adds,
        wants_epsilon=wants_epsilon,
        values=[value],
        tolerance=tolerance,
    )
    return lower[0], upper[0]


@pytest.mark.parametrize("noise", [0.5, 0.8, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("adds", [False, True])
def test_two_steps_enclose_the_integral(noise, adds):
    """delta = put / t - (K / t - 1), K = t e^epsilon, or put / K, K = t e^-epsilon."""
    for deviations in (1e-3, 0.5, 3.0, 6.0):
        epsilon = min(deviations * math.sqrt(math.log1p(math.expm1(noise**-2) / 2)), 4.0)
        for tolerance in (1e-2, 1e-4):
            lower, upper = bounds(noise, 2, epsilon, tolerance, adds=adds, wants_epsilon=False)
            with ctx.workprec(200):
                ratio = (arb(-epsilon) if adds else arb(epsilon)).exp()
                put = put_of_two(1 / arb(noise), 2 * ratio)
                truth = put / ratio if adds else put - (ratio - 1)
                assert arb(lower) < truth < arb(upper)
            assert upper - lower <= tolerance * upper + 1e-12


def draws(number):
    """Noise multipliers, steps and deltas; each of them at its ends too."""
    rng = random.Random(11)
    for _ in range(number):
        noise = rng.choice([0.5, 10.0, 0.5 * 20 ** rng.random()])
        steps = rng.choice([2, 3, 10**9, int(2 * 5e8 ** rng.random())])
        delta = rng.choice([1e-3, 1e-11, 10 ** rng.uniform(-11, -3)])
        yield noise, steps, delta, rng.random() < 0.5


@pytest.mark.parametrize(("noise", "steps", "delta", "adds"), list(draws(60)))
def test_other_contours_agree(noise, steps, delta, adds):
    found = [bounds(noise, steps, delta, tolerance, adds=adds) for tolerance in (0.03, 1e-3, 1e-5)]
    lower, upper = max(low for low, _ in found), min(high for _, high in found)
    assert lower <= upper
    assert found[1][1] - found[1][0] <= 1e-3 * found[1][1] < math.inf or lower > 6
    if upper == 0:
        assert bounds(noise, steps, 0.0, adds=adds, wants_epsilon=False)[0] <= delta
    elif upper < 6:
        assert bounds(noise, steps, lower, adds=adds, wants_epsilon=False)[1] >= delta
        assert bounds(noise, steps, upper, adds=adds, wants_epsilon=False)[0] <= delta


@pytest.mark.parametrize(("noise", "steps"), [(1.0, 1000), (2.0, 30), (1.0, 10**6)])
@pytest.mark.parametrize("adjacency", ["add-one", "remove-one"])
def test_pairs_agree(noise, steps, adjacency):
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    deltas = np.geomspace(1e-8, 1e-3, 5)
    one = epoch.epsilon_bounds(deltas, adjacency=adjacency)
    one_delta = epoch.delta_bounds(one.upper, adjacency=adjacency)
    paired = epoch + hs.Gaussian(1e12)  # which costs nothing, but is not alone
    for found, others in (
        (one, paired.epsilon_bounds(deltas, adjacency=adjacency)),
        (one_delta, paired.delta_bounds(one.upper, adjacency=adjacency)),
    ):
        assert (found.lower <= others.upper).all()
        assert (others.lower <= found.upper).all()


def test_both_directions_lose_the_same_at_zero():
    for noise, steps in ((1.0, 2), (0.5, 1000), (10.0, 10**9)):
        assert bounds(noise, steps, 0.0, wants_epsilon=False) == bounds(
            noise, steps, 0.0, adds=True, wants_epsilon=False
        )


def test_beyond_its_range_it_says_nothing():
    assert bounds(1.0, 100, 1e-100) == (0, math.inf)
    assert bounds(1.0, 100, 40.0, wants_epsilon=False) == (0, 1)


def test_a_question_that_is_out_of_range_is_refused():
    for noise, steps in ((1.0, 1), (1.0, 2.5), (0.1, 10), (1e4, 10)):
        with pytest.raises(ValueError, match=r"steps|sqrt\(epochs\) / noise"):
            bounds(noise, steps, 1e-6)
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 1"):
        bounds(1.0, 100, 1.0)
