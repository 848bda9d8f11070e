# SPDX-License-Identifier: Apache-2.0
"""Where one large loss decides, its forecasts are near the certified answers."""

import math

import pytest

import hockeystick as hs
from hockeystick import _core
from plan.plans import saddlepoint, terms
from rare_runs import batches, mixture

plan = _core.plan
RUNS = {
    "sampled": (38_403, hs.Gaussian(noise_multiplier=0.608).poisson_sampled(2.95e-6), 1.28e-11),
    "mixture": (103, mixture(0.5545, (0.7709, 1.266e-4), (0.1405, 1.113e-4)), 7.92e-11),
    "batches": (102_430, batches(1.98464, 5.7047743e-5, 37, 423_015), 1.164e-12),
    "atoms": (172_798, hs.DiscreteGaussian(sigma=0.68).poisson_sampled(2.24e-6), 1.06e-12),
}


@pytest.mark.parametrize("name", RUNS)
def test_epsilon_and_delta_are_near_the_answers(name):
    count, step, delta = RUNS[name]
    (found,) = _core.epsilon_bounds(
        [terms(step, count)], [delta], tolerance=1e-3, memory_limit=1 << 28
    )
    points = saddlepoint(step, count)
    epsilon, log_delta, slope = plan.large_loss_of(points, math.log(delta))
    assert epsilon == pytest.approx(found.upper, rel=0.2)
    assert log_delta == pytest.approx(math.log(delta), abs=0.05)
    at, back, again = plan.large_loss_at(points, epsilon)
    assert at == epsilon
    assert back == pytest.approx(log_delta, abs=0.5)
    assert again == pytest.approx(slope, rel=0.5)


def test_nothing_is_forecast_where_many_losses_decide():
    points = saddlepoint(hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01), 1000)
    assert plan.large_loss_of(points, math.log(1e-5)) is None
    assert plan.large_loss_at(points, 0.5) is None


@pytest.mark.parametrize(
    ("count", "noise", "rate", "epsilon"),
    [(919, 3.454, 0.01284, 2.32), (380_766, 3.8315, 1.0236e-5, 0.04885)],
)
def test_nothing_is_forecast_where_small_losses_reach_far(count, noise, rate, epsilon):
    """20 and 30 deviations from the mean they are not normal, but likelier than a large one."""
    points = saddlepoint(hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate), count)
    assert plan.large_loss_at(points, epsilon) is None
