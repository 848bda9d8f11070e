# SPDX-License-Identifier: Apache-2.0
"""Groups of records of a sampled Gaussian: mixtures of binomial weights, in balls."""

import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from numeric.test_poisson_binomial import law


def removed(noise, rates, epsilon):
    """The curve of the group, from the root of its increasing ratio."""
    weights = law(rates, arb)
    shifts = [arb(j) / arb(noise) for j in range(len(weights))]
    alpha = arb(epsilon).exp()

    def ratio(x):
        return sum(
            (w * (s * x - s * s / 2).exp() for w, s in zip(weights, shifts, strict=True)), arb(0)
        )

    low, high = arb(-60), arb(60)
    if not ratio(low) < alpha:
        return 1 - alpha
    for _ in range(180):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if ratio(middle) < alpha else (low, middle)
    return sum(
        (w * normal_tail(low - s) for w, s in zip(weights, shifts, strict=True)), arb(0)
    ) - alpha * normal_tail(low)


def group(noise, rates):
    one = hs.Gaussian(noise)
    if len(set(rates)) == 1:
        return one.poisson_sampled(rates[0]).group(len(rates))
    return one.sampled_group(rates)


@pytest.mark.parametrize("seed", range(12))
def test_random_groups_are_enclosed(seed):
    rng = random.Random(seed)
    noise, size = 10 ** rng.uniform(-0.5, 1.2), rng.randint(2, 12)
    rates = [10 ** rng.uniform(-4, -0.05) for _ in range(size)]
    if seed % 2:
        rates = rates[:1] * size
    epsilon = 10 ** rng.uniform(-2, 0.5)
    with ctx.workprec(400):
        there = removed(noise, rates, epsilon)
        for way, truth in (
            ("remove-one", there),
            ("add-one", 1 - arb(epsilon).exp() * (1 - removed(noise, rates, -epsilon))),
        ):
            found = group(noise, rates).delta_bounds(epsilon, adjacency=way, smallest=0.0)
            assert not arb(found.lower) > truth
            assert not arb(found.upper) < truth


def test_probabilities_too_small_for_doubles_count_above_as_all_and_below_as_none():
    """Of two coins of 1e-145 both show heads with 1e-290, and little noise tells that they did."""
    rates = [0.999e-145] * 2
    assert _core.is_group_cut(rates)
    above, below = (
        _core.dominating_pair(f"group_gaussian_{side}_remove", [0.02, *rates])
        for side in ("above", "below")
    )
    at = np.array([3000.0])
    assert above.delta_above(at)[0] >= 0.999e-145**2
    assert below.delta_above(at)[0] < 1e-300


def test_large_groups_that_are_nearly_all_drawn():
    """Of 200 coins that nearly all show heads, none and few are rarer than doubles tell."""
    many = hs.Gaussian(5.0).poisson_sampled(0.99).group(200)
    assert not many.is_exact_for(hs.Adjacency.ADD_OR_REMOVE_ONE)
    bounds = many.epsilon_bounds(1e-6)
    plain = hs.Gaussian(5.0).group(200).epsilon_bounds(1e-6)
    assert bounds.lower <= bounds.upper <= plain.upper
