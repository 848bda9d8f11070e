# SPDX-License-Identifier: Apache-2.0
"""Saddle points and Chernoff quantiles are where their definitions put them."""

import math

import pytest

import hockeystick as hs
from plan.plans import MECHANISMS, saddlepoint


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_no_tilt_gives_a_smaller_exponent_than_the_saddle(mechanism, count, epsilon):
    forecast = saddlepoint(mechanism, count)
    at = forecast.saddle_for_epsilon(epsilon)

    def exponent(tilt):
        return forecast.cumulants(tilt)[0] - tilt * epsilon

    around = [at.tilt * (0.2 + 0.05 * k) for k in range(60)]
    assert exponent(at.tilt) <= min(map(exponent, around)) + 1e-3


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9])
def test_searches_for_delta_and_for_epsilon_agree(mechanism, count, delta):
    forecast = saddlepoint(mechanism, count)
    at = forecast.saddle_for_delta(delta)
    back = forecast.saddle_for_epsilon(at.epsilon)
    if at.regular and back.regular:
        assert back.log_delta == pytest.approx(math.log(delta), abs=0.01)
        assert forecast.rough_saddle_for_delta(math.log(delta)).epsilon == pytest.approx(
            at.epsilon, abs=0.05 * at.deviation
        )
        rough = forecast.rough_saddle_for_epsilon(at.epsilon)
        assert rough.log_delta == pytest.approx(math.log(delta), abs=0.1)


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize(
    ("tilt", "direction"), [(0.0, 1), (0.0, -1), (-1.0, -1), (2.0, 1), (2.0, -1)]
)
def test_no_tilt_gives_a_nearer_chernoff_quantile(mechanism, count, tilt, direction):
    forecast = saddlepoint(mechanism, count)
    start = forecast.cumulants(tilt)[0]
    at, loss = forecast.chernoff_quantile(tilt, 30.0, direction, 1e4)

    def quantile(psi):
        return (forecast.cumulants(psi)[0] - start + 30.0) / (psi - tilt)

    assert loss == pytest.approx(quantile(at), rel=1e-9)
    others = [quantile(tilt + (at - tilt) * (0.3 + 0.05 * k)) for k in range(30)]
    deviation = math.sqrt(forecast.cumulants(tilt)[2])
    assert all(direction * (other - loss) >= -0.02 * deviation for other in others)


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("rate", [1e-2, 1e-8])
def test_rates_lie_in_their_tails(mechanism, count, rate):
    """Q is P at tilt -1, and no rate is above e^(K - (1 + tilt) mean)."""
    forecast = saddlepoint(mechanism, count)
    for direction in (1, -1):
        at = forecast.saddle_for_rate(rate, direction)
        value, mean, _ = forecast.cumulants(at.tilt)
        assert direction * (mean - forecast.cumulants(-1.0)[1]) > 0
        assert 0 <= value - (1 + at.tilt) * mean - math.log(rate) <= 0.5 * math.log(1 / rate) + 2


def test_far_below_the_mean_searches_end_at_numbers():
    """Where normal tails overflow; a grid's interval of NaN, which came from it, was refused."""
    response = hs.RandomizedResponse(noise_parameter=2.2860384974005755e-267, num_buckets=1000)
    run, delta = 7 * response, math.nextafter(1, 0)
    for memory in (1 << 20, 1 << 22, 1 << 30):
        with pytest.raises(hs.CertificationError) as refused:
            run.epsilon_bounds(
                delta, adjacency="replace-special", tolerance=0.1, memory_limit=memory
            )
        assert refused.value.bounds.upper < 7 * 615


def test_tilts_far_beyond_the_deviation_leave_tolerances_numbers():
    """Of sampling at 1e-166 the moved part deviates by 1e166 times as much as the whole."""
    step = hs.Gaussian(noise_multiplier=0.13757132137143807).poisson_sampled(1.509e-166)
    bounds = step.tradeoff_bounds(8.26e-303, adjacency="replace-one", tolerance=0.5, smallest=0)
    assert 0.5 < bounds.lower <= bounds.upper <= 1
