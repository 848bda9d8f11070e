# SPDX-License-Identifier: Apache-2.0
"""One step's delta from its pair's integrals, against certified bounds and closed forms."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import exact.one_step
import hockeystick as hs
from hockeystick.adjacency import Direction

MECHANISMS = {
    "gaussian": hs.Gaussian(noise_multiplier=1.0),
    "sampled": hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.2),
    "laplace": hs.Laplace(noise_multiplier=0.8),
    "discrete": hs.DiscreteLaplace(parameter=0.7, sensitivity=3),
}
DIRECTIONS = {Direction.REMOVE: hs.Adjacency.REMOVE_ONE, Direction.ADD: hs.Adjacency.ADD_ONE}
EPSILONS = (0.0, 0.1, 0.37, 1.0, 1.3)


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


@pytest.mark.parametrize("sigma", [0.004, 0.3, 1.1, 7.0])
def test_deltas_at_many_losses_are_upper_bounds_to_rounding(sigma):
    """By the cells between them, which add up from above."""
    pair = hs.Gaussian(noise_multiplier=sigma).dominating_pair(Direction.REMOVE)
    points = np.concatenate([np.linspace(-3, 6, 30), np.linspace(20, 34, 15)]) / sigma
    points = np.sort(points + 0.5 / sigma**2)
    with ctx.workprec(2000):
        for epsilon, value in zip(points, pair.deltas_above(points), strict=True):
            truth = exact.one_step.gaussian_delta(1 / arb(sigma), arb(float(epsilon)))
            assert truth <= arb(value)
            assert arb(value) <= truth * (1 + arb(1e-9)) + arb(10) ** -300


@pytest.mark.parametrize("name", MECHANISMS)
def test_deltas_at_many_losses_are_those_of_each(name):
    pair = MECHANISMS[name].dominating_pair(Direction.REMOVE)
    points = np.linspace(-4.0, 4.0, 81)
    each = np.array([pair.delta_above(np.array([at]))[0] for at in points])
    np.testing.assert_allclose(pair.deltas_above(points), each, rtol=1e-10, atol=1e-14, strict=True)


def test_delta_of_one_step_far_out():
    pair = MECHANISMS["gaussian"].dominating_pair(Direction.REMOVE)
    bounds = MECHANISMS["gaussian"].delta_bounds(30.0, tolerance=1e-9)
    value = pair.delta_above(np.array([30.0]))[0]
    assert bounds.lower <= value <= bounds.upper * (1 + 1e-9)
