# SPDX-License-Identifier: Apache-2.0
"""Single steps, which need no grid: at the ends of the loss, and where masses are exact."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
import questions
from exact.pair import Pair
from hockeystick.adjacency import Direction
from rare_runs import batches

ONE = hs.ApproximateDP(epsilon=1.0, delta=1e-5)


def test_at_the_largest_loss_only_the_infinite_one_is_left():
    assert ONE.delta_bounds(1.0) == (1e-5, 1e-5)
    assert ONE.delta_bounds(math.nextafter(1.0, 2.0)) == (1e-5, 1e-5)
    assert ONE.delta_bounds(math.nextafter(1.0, 0.0)).upper > 1e-5
    assert hs.ExponentialMechanism(epsilon=1.0).delta_bounds(1.0) == (0.0, 0.0)


def test_epsilon_at_the_mass_of_the_infinite_loss():
    bounds = ONE.epsilon_bounds(1e-5)
    assert bounds.upper == 1.0
    assert bounds.lower == pytest.approx(1.0, abs=1e-12)
    assert ONE.epsilon_bounds(math.nextafter(1e-5, 0.0)).upper == math.inf


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.Laplace(noise_multiplier=0.5),
        hs.Laplace(noise_multiplier=0.5).poisson_sampled(0.25),
        hs.DiscreteLaplace(parameter=0.25, sensitivity=2),
    ],
    ids=repr,
)
def test_nothing_exceeds_a_bounded_loss(mechanism):
    largest = mechanism.epsilon(1e-300)
    assert mechanism.delta_bounds(largest * (1 + 1e-9)) == (0.0, 0.0)
    below = mechanism.delta_bounds(largest * (1 - 1e-3), tolerance=1e-6)
    assert 0 < below.lower <= below.upper <= 1e-3


@pytest.mark.parametrize("multiplier", [0.03, 0.1, 0.3])
def test_delta_is_a_probability(multiplier):
    """Also where all but nothing of it is left out."""
    bounds = hs.Gaussian(noise_multiplier=multiplier).delta_bounds(0.0)
    with ctx.workprec(1000):
        truth = (1 / (2 * arb(2).sqrt() * arb(multiplier))).erf()
    assert bounds.upper <= 1
    assert questions.encloses(bounds, truth)
    assert questions.is_tight(bounds, truth, 1e-12)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_next_to_the_largest_loss_of_a_run_rounding_decides(tolerance):
    run = 3 * hs.Laplace(noise_multiplier=3) + 2 * hs.Laplace(noise_multiplier=2)
    bounds = run.delta_bounds(2.0, tolerance=tolerance)
    assert bounds.lower == 0
    assert 0 < bounds.upper < 1e-14
    assert run.delta_bounds(2.0 + 1e-9) == (0.0, 0.0)


def test_at_the_largest_loss_of_a_run_nothing_is_left():
    """Sums that binary64 holds exactly are not rounded up."""
    run = 3 * hs.Laplace(noise_multiplier=1) + 2 * hs.Laplace(noise_multiplier=2)
    assert run.delta_bounds(4.0) == (0.0, 0.0)
    assert run.probabilistic_delta_bounds([4.0, 5.0]).upper.tolist() == [0.0, 0.0]
    single = hs.Laplace(noise_multiplier=1)
    assert single.probabilistic_delta_bounds([1.0, 1.5]).upper.tolist() == [0.0, 0.0]


@pytest.mark.every(2)
@pytest.mark.parametrize("multiplier", [0.001, 0.004])
@pytest.mark.parametrize("q", [1e-3, 0.3])
def test_centres_a_thousand_deviations_apart(multiplier, q):
    """Between them there is no mass."""
    step = hs.Gaussian(noise_multiplier=multiplier).poisson_sampled(q)
    lower, upper = step.epsilon_bounds(1e-5, adjacency=hs.Adjacency.REMOVE_ONE)
    assert upper - lower <= 1e-3 * upper
    truth = Pair(exact.Step(multiplier, q), "remove")
    assert truth.delta(arb(lower)) >= 1e-5 >= truth.delta(arb(upper))


def test_below_a_mass_at_infinity_that_is_not_certain_divergences_are_left():
    """A cut batch of probability below 1e-300 counts as 1e-300 above, as 0 below."""
    cut = batches(0.01, 1e-09, 400, 70000)
    with pytest.raises(hs.CertificationError) as caught:
        cut.epsilon_bounds(5e-324)
    plain = hs.Gaussian(noise_multiplier=0.01).poisson_sampled(1e-9)
    assert caught.value.bounds.upper < math.inf
    assert caught.value.bounds.lower >= plain.epsilon(1e-299) * 0.999
    assert cut.epsilon_bounds(2e-300).upper < math.inf


@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD])
def test_rounding_of_epsilon_is_counted(direction):
    """Next to the largest loss, where all of delta hangs on it: 1 - e^((epsilon - m) / 2)."""
    for multiplier in np.linspace(0.03, 3, 60):
        step = hs.Laplace(noise_multiplier=float(multiplier))
        epsilon = 1 / multiplier * (1 - 1e-12)
        with ctx.workprec(200):
            m = 1 / arb(float(multiplier))
            truth = -((arb(epsilon) - m) / 2).expm1()
            with pytest.raises(hs.CertificationError) as caught:
                step.delta_bounds(epsilon, tolerance=1e-9)
            assert questions.encloses(caught.value.bounds, truth)
            assert questions.is_tight(caught.value.bounds, truth, 0.1)
            above = step.dominating_pair(direction).delta_above(np.array([epsilon]))[0]
            assert truth <= arb(above) <= truth * arb(1.1)
