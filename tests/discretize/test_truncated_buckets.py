# SPDX-License-Identifier: Apache-2.0
"""Buckets between two bounds, and one step's delta, against the certified bounds of one step."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

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


def test_delta_of_one_step_far_out():
    pair = MECHANISMS["gaussian"].dominating_pair(Direction.REMOVE)
    bounds = MECHANISMS["gaussian"].delta_bounds(30.0, tolerance=1e-9)
    value = pair.delta_above(np.array([30.0]))[0]
    assert bounds.lower <= value <= bounds.upper * (1 + 1e-9)
