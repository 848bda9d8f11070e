# SPDX-License-Identifier: Apache-2.0
"""Buckets between two bounds, and one step's delta, against the certified bounds of one step."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

import exact.one_step
import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from hockeystick.adjacency import Direction

MECHANISMS = {
    "gaussian": hs.Gaussian(noise_multiplier=1.0),
    "sampled": hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.2),
    "laplace": hs.Laplace(noise_multiplier=0.8),
    "discrete": hs.DiscreteLaplace(parameter=0.7, sensitivity=3),
}
DIRECTIONS = {Direction.REMOVE: hs.Adjacency.REMOVE_ONE, Direction.ADD: hs.Adjacency.ADD_ONE}
EPSILONS = (0.0, 0.1, 0.37, 1.0, 1.3)


def buckets(pair, side, interval=0.01, low=-9.0, high=9.0):
    return _core.truncated_buckets(pair, interval=interval, low=low, high=high, side=side)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_both_sides_enclose(name, direction):
    mechanism = MECHANISMS[name]
    pair = mechanism.dominating_pair(direction)
    for epsilon in EPSILONS:
        bounds = mechanism.delta_bounds(epsilon, adjacency=DIRECTIONS[direction])
        upper = buckets(pair, "upper").delta(np.array([epsilon]))[0]
        lower = buckets(pair, "lower").delta(np.array([epsilon]))[0]
        assert lower <= bounds.upper
        assert bounds.lower <= upper
        assert upper - lower <= 0.021  # losses move by up to an interval either way


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_what_lies_beyond_the_bounds_is_counted(name, direction, side):
    """Below them by an upper estimate, above them no higher than there by a lower one."""
    mechanism = MECHANISMS[name]
    step = buckets(mechanism.dominating_pair(direction), side, low=-0.105, high=0.205)
    for epsilon in (-0.3, -0.15, 0.0, 0.1, 0.3):
        back = mechanism.delta_bounds(abs(epsilon), adjacency=DIRECTIONS[direction], tolerance=1e-6)
        if epsilon < 0:  # delta(-e) of a pair is 1 - e^-e (1 - delta(e)) of its reverse
            other = next(d for d in DIRECTIONS.values() if d is not DIRECTIONS[direction])
            back = mechanism.delta_bounds(-epsilon, adjacency=other, tolerance=1e-6)
            back = [1 - math.exp(epsilon) * (1 - value) for value in back]
        value = step.delta(np.array([epsilon]))[0]
        low, high = back
        assert value >= low - 1e-15 if side == "upper" else value <= high + 1e-15


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_losses_next_to_a_multiple_are_counted_on_it(side):
    sign = 1 if side == "upper" else -1
    epsilon = 1 + sign * 8e-13
    pair = hs.ApproximateDP(epsilon=epsilon, delta=0.0).dominating_pair(Direction.REMOVE)
    step = buckets(pair, side, interval=1.0, low=-2.0, high=2.0)
    assert step.indices.tolist() == [-1, 1]
    with ctx.workprec(100):
        for point in (1.0, 0.5):
            above = -(arb(point) - arb(epsilon)).expm1()
            truth = above / (1 + (-arb(epsilon)).exp()) if above > 0 else arb(0)
            value = arb(step.delta(np.array([point]))[0])
            assert value >= truth if side == "upper" else value <= truth


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_rounding_of_masses_is_counted(side):
    """Cells between losses: masses against normal tails."""
    sign = 1 if side == "upper" else -1
    rng = random.Random(1)
    with ctx.workprec(200):
        for _ in range(30):
            sigma = rng.uniform(0.5, 3)
            pair = hs.Gaussian(noise_multiplier=sigma).dominating_pair(Direction.REMOVE)
            step = buckets(pair, side, interval=40.0, low=-39.0, high=39.0)
            total = sum((arb(mass) for mass in step.masses), arb(step.infinity_mass))
            mu = 1 / arb(sigma)
            missing = normal_tail(39 / mu + mu / 2) if side == "lower" else arb(0)
            assert sign * (total - (1 - missing)) >= 0
            assert abs(total - 1) < 1e-9


def test_masses_are_those_of_the_cells():
    """N(1) against N(0) has loss x - 1/2 at x, so cell (a, b) has P-mass of the normal there."""
    pair = MECHANISMS["gaussian"].dominating_pair(Direction.REMOVE)
    step = buckets(pair, "upper", interval=0.5, low=-0.75, high=1.25)
    edges = [-0.75, -0.5, 0.0, 0.5, 1.0, 1.25]
    tails = [normal_tail(arb(edge) - 0.5) for edge in edges]
    expected = [a - b for a, b in pairwise(tails)]
    expected[0] += 1 - normal_tail(arb(-1.25))
    assert step.indices.tolist() == [-1, 0, 1, 2, 3]
    for mass, truth in zip(step.masses, expected, strict=True):
        # What lies within rounding of a multiple counts as on it.
        assert truth <= arb(mass) * (1 + arb(1e-11))
        assert arb(mass) <= truth * (1 + arb(1e-11))
    assert normal_tail(arb(0.75)) <= arb(step.infinity_mass) * (1 + arb(1e-11))
    assert step.infinity_mass == pytest.approx(float(normal_tail(arb(0.75))), rel=1e-11)


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_atoms_on_the_grid_stay(side):
    pair = hs.DiscreteLaplace(parameter=0.5, sensitivity=2).dominating_pair(Direction.REMOVE)
    step = buckets(pair, side, interval=0.25, low=-1.0, high=1.0)
    assert step.indices.tolist() == [-4, 0, 4]


def test_too_many_buckets_are_refused():
    pair = MECHANISMS["gaussian"].dominating_pair(Direction.REMOVE)
    with pytest.raises(ValueError, match="discretization_interval must be larger"):
        buckets(pair, "upper", interval=1e-9)
    with pytest.raises(ValueError, match="discretization_interval"):
        buckets(pair, "upper", low=math.nan)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_delta_of_one_step(name, direction):
    """Upper bounds, tight; negative epsilons through the reversed pair."""
    mechanism = MECHANISMS[name]
    other = Direction.ADD if direction is Direction.REMOVE else Direction.REMOVE
    pair, back = (mechanism.dominating_pair(d) for d in (direction, other))
    for epsilon in EPSILONS:
        bounds = mechanism.delta_bounds(epsilon, adjacency=DIRECTIONS[direction], tolerance=1e-5)
        value = pair.delta_above(np.array([epsilon]))[0]
        assert bounds.lower <= value <= bounds.upper * (1 + 1e-5) + 1e-15
        reverse = back.delta_above(np.array([-epsilon]))[0]
        assert reverse == pytest.approx(
            -math.expm1(-epsilon) + math.exp(-epsilon) * value, abs=1e-12
        )


@pytest.mark.parametrize("sigma", [0.3, 1.1, 7.0])
def test_delta_of_one_step_is_an_upper_bound_to_rounding(sigma):
    """Where delta falls so fast that epsilon's rounding shows, and near 0, where it does not."""
    pair = hs.Gaussian(noise_multiplier=sigma).dominating_pair(Direction.REMOVE)
    points = np.concatenate([np.linspace(0, 0.2, 15), np.linspace(20, 34, 15)]) / sigma
    with ctx.workprec(2000):
        for epsilon, value in zip(points, pair.delta_above(points), strict=True):
            truth = exact.one_step.gaussian_delta(1 / arb(sigma), arb(float(epsilon)))
            assert truth <= arb(value)
            assert arb(value) <= truth * (1 + arb(1e-11))


def test_delta_of_one_step_far_out():
    pair = MECHANISMS["gaussian"].dominating_pair(Direction.REMOVE)
    bounds = MECHANISMS["gaussian"].delta_bounds(30.0, tolerance=1e-9)
    value = pair.delta_above(np.array([30.0]))[0]
    assert bounds.lower <= value <= bounds.upper * (1 + 1e-9)
