# SPDX-License-Identifier: Apache-2.0
"""Contours of densities and atoms together: in ball arithmetic, and against transforms."""

import math

import pytest
from flint import arb

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import Adjacency, _core

LIMITS = {"tolerance": 1e-6, "memory_limit": 1 << 30}

pytestmark = pytest.mark.bits(200)


def mixed_delta(steps, noise, guarantees, step_epsilon, step_delta, epsilon):
    """`steps` Gaussians and `guarantees` mechanisms of (step_epsilon, step_delta)-DP."""
    mu, e = arb(steps).sqrt() / arb(noise), arb(step_epsilon)
    finite = (1 - arb(step_delta)) ** guarantees
    p = 1 / (1 + (-e).exp())
    total = 1 - finite
    for j in range(guarantees + 1):
        mass = math.comb(guarantees, j) * p**j * (1 - p) ** (guarantees - j) * finite
        total += mass * gaussian_delta(mu, arb(epsilon) - (2 * j - guarantees) * e)
    return total


def directions(run):
    return run._directions(Adjacency.ADD_OR_REMOVE_ONE)


def mixed(steps, noise, guarantees, step_epsilon, step_delta):
    guarantee = hs.ApproximateDP(step_epsilon, delta=step_delta)
    return directions(steps * hs.Gaussian(noise) + guarantees * guarantee)


RUNS = [(20, 5.0, 3, 0.3, 1e-7), (1000, 30.0, 40, 0.05, 0.0), (3, 2.0, 1, 1.5, 1e-4)]


@pytest.mark.parametrize("run", RUNS)
def test_mixed_runs_are_enclosed_in_ball_arithmetic(run):
    asked = mixed(*run)
    epsilons = [0.0, 0.5, 1.0, 2.0, 3.0]
    found = _core.delta_bounds(asked, epsilons, **LIMITS, method="contour_integral")
    for epsilon, answer in zip(epsilons, found, strict=True):
        assert answer.method == "contour_integral"
        truth = mixed_delta(*run, epsilon)
        assert arb(answer.lower) <= truth <= arb(answer.upper)
        assert answer.upper - answer.lower <= 1e-6 * answer.upper
        (again,) = _core.epsilon_bounds(asked, [answer.upper], **LIMITS, method="contour_integral")
        assert mixed_delta(*run, again.upper) <= arb(answer.upper)
        assert again.lower == 0 or mixed_delta(*run, again.lower) >= arb(answer.upper)
        assert again.upper - again.lower <= 1e-5 * again.upper


@pytest.mark.parametrize("run", [(900, 5.0, 3, 0.3, 1e-7), (160, 1.0, 40, 0.05, 0.0)])
def test_what_delta_leaves_of_1_is_enclosed(run):
    """Down to what doubles next to 1 can tell."""
    asked = mixed(*run)
    epsilons = [0.0, 0.5, 1.0, 2.0, 8.0]
    limits = LIMITS | {"tolerance": 1e-15}
    for epsilon in epsilons:
        (answer,) = _core.delta_bounds(asked, [epsilon], **limits, method="contour_integral")
        truth = mixed_delta(*run, epsilon)
        assert arb(answer.lower) <= truth <= arb(answer.upper)
        assert answer.upper - answer.lower <= 1e-15 + 1e-12 * (1 - answer.lower)


SAMPLED = hs.Gaussian(1.2).poisson_sampled(0.02)
MIXED = {
    "discrete Laplace": 500 * SAMPLED + 7 * hs.DiscreteLaplace(parameter=0.4),
    "exponential": 2000 * SAMPLED + 50 * hs.ExponentialMechanism(epsilon=0.05),
    "a guarantee": 500 * SAMPLED + 2 * hs.ApproximateDP(0.5, delta=1e-9),
    "discrete Gaussian": 300 * SAMPLED + 20 * hs.DiscreteGaussian(sigma=9.0),
}


def test_the_parts_of_a_width_add_up_to_it():
    for run in (MIXED["discrete Laplace"], 1000 * SAMPLED):
        (answer,) = _core.delta_bounds(directions(run)[:1], [1.0], **LIMITS)
        assert answer.method == "contour_integral"
        parts = answer.truncation + answer.rounding + answer.wraparound + answer.discretization
        assert parts == pytest.approx(answer.upper - answer.lower, rel=1e-3)
