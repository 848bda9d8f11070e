# SPDX-License-Identifier: Apache-2.0
"""Tails, quantiles and moments of the privacy loss enclose the truth and are tight."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.balls import normal_tail
from exact.pair import Pair
from hockeystick import Adjacency

ADJACENCY = {
    "remove": Adjacency.REMOVE_ONE,
    "add": Adjacency.ADD_ONE,
    "replace": Adjacency.REPLACE_ONE,
}
RUN = 50 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)


def mechanism(step):
    return hs.Gaussian(noise_multiplier=step.sigma).poisson_sampled(step.q)


def nearly_gaussian(count, sigma):
    """Within 1e-12 of `count` Gaussians, but composed on a grid."""
    return count * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(1 - 1e-15)


def assert_encloses(bounds, truth, tolerance):
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= tolerance


def gaussian_tail(mu, epsilon):
    with ctx.workprec(200):
        return normal_tail(arb(epsilon) / mu - mu / 2)


@pytest.mark.parametrize("sigma", [0.2, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 5.0])
def test_tail_of_gaussians(sigma, epsilon):
    with ctx.workprec(200):
        truth = gaussian_tail(2 / arb(sigma), epsilon)
    run = 4 * hs.Gaussian(noise_multiplier=sigma)
    bounds = run.probabilistic_delta_bounds(epsilon, tolerance=1e-9)
    assert_encloses(bounds, truth, 1e-9 * float(truth) + 1e-306)


def test_tail_is_larger_than_delta():
    """Gaussian variance 3, epsilon = log 3."""
    epsilon = math.log(3)
    run = hs.Gaussian(noise_multiplier=math.sqrt(3))
    assert run.probabilistic_delta(epsilon) == pytest.approx(0.05324, abs=5e-6)
    assert run.delta(epsilon) == pytest.approx(0.010624, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.2, 2.0, 9.0])
def test_tail_of_a_composition(epsilon):
    with ctx.workprec(200):
        truth = gaussian_tail(arb(5).sqrt() / 2, epsilon)
    run = nearly_gaussian(5, 2.0)
    bounds = run.probabilistic_delta_bounds(epsilon, adjacency=Adjacency.REMOVE_ONE)
    assert bounds.lower <= truth * (1 + 1e-9)
    assert bounds.upper >= truth * (1 - 1e-9)
    assert 0 < bounds.gap <= 1e-2 * float(truth)


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize("epsilon", [0.0, 0.04])
def test_tail_of_one_sampled_step(direction, epsilon):
    step = exact.Step(1.0, 0.1)
    truth = Pair(step, direction).p_above(arb(epsilon))
    bounds = mechanism(step).probabilistic_delta_bounds(epsilon, adjacency=ADJACENCY[direction])
    assert_encloses(bounds, truth, 1.01e-2 * float(truth))


@pytest.mark.parametrize("level", [1e-6, 0.3, 0.5, 0.999])
def test_quantile_of_gaussians(level):
    bounds = (4 * hs.Gaussian(noise_multiplier=3.0)).loss_quantile_bounds(level, tolerance=1e-9)
    with ctx.workprec(200):
        mu = 2 / arb(3)
        assert gaussian_tail(mu, bounds.lower) >= 1 - arb(level)
        assert gaussian_tail(mu, bounds.upper) <= 1 - arb(level)
    assert bounds.gap <= 1e-12


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.99])
def test_quantile_of_one_sampled_step(direction, level):
    step = exact.Step(1.0, 0.1)
    pair = Pair(step, direction)
    bounds = mechanism(step).loss_quantile_bounds(level, adjacency=ADJACENCY[direction])
    assert pair.p_above(arb(bounds.lower)) >= 1 - arb(level)
    assert pair.p_above(arb(bounds.upper)) <= 1 - arb(level)
    assert bounds.gap <= 2e-3


def test_quantiles_invert_the_tail_and_rise():
    levels = np.array([0.6, 0.9])
    bounds = RUN.loss_quantile_bounds(levels)
    assert np.all(np.diff(bounds.lower) > 0)
    tails = RUN.probabilistic_delta_bounds(np.maximum(0, bounds.estimate))
    assert tails.estimate == pytest.approx(1 - levels, rel=2e-2)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
def test_bad_levels_are_named(level):
    with pytest.raises(ValueError, match=r"^level must be in \(0, 1\), got "):
        RUN.loss_quantile(level)


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, math.inf])
def test_bad_epsilons_are_named(epsilon):
    with pytest.raises(ValueError, match="^epsilon must be "):
        RUN.probabilistic_delta(epsilon)


def test_nothing_has_no_loss():
    nothing = hs.Composition()
    assert nothing.probabilistic_delta(0.0) == 0
    assert nothing.loss_quantile(0.5) == 0


@pytest.mark.parametrize("query", ["probabilistic_delta", "loss_quantile"])
def test_views_keep_shapes(query):
    run = hs.Gaussian(noise_multiplier=1.0)
    assert type(getattr(run, query)(0.25)) is float
    assert getattr(run, f"{query}_bounds")(np.full((2, 1), 0.25)).gap.shape == (2, 1)
