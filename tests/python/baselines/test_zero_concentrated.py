# SPDX-License-Identifier: Apache-2.0
"""zCDP: the best order is found, the bounds hold, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick.baselines import zcdp_delta, zcdp_epsilon, zcdp_rho

STEP = hs.Gaussian(noise_multiplier=2.0)
rhos = st.floats(-10, 6).map(lambda x: 10**x)
deltas = st.floats(-300, -0.1).map(lambda x: 10**x)


def log_delta(rho, epsilon, a):
    return (a - 1) * (a * rho - epsilon) - mp.log(a - 1) + a * mp.log(1 - 1 / a)


def least(function):
    """Over the orders a > 1, by golden sections in log(a - 1)."""
    golden = (mp.sqrt(5) - 1) / 2
    low, high = mpf(-100), mpf(800)
    for _ in range(70):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if function(1 + mp.exp(left)) < function(1 + mp.exp(right)):
            high = right
        else:
            low = left
    return function(1 + mp.exp(low))


@given(rhos, deltas)
def test_epsilon_at_the_best_order(rho, delta):
    with mp.workdps(100):
        rho_, log_ = mpf(rho), mp.log(mpf(delta))
        best = least(lambda a: a * rho_ + mp.log(1 - 1 / a) - (log_ + mp.log(a)) / (a - 1))
    assert zcdp_epsilon(rho=rho, delta=delta) == pytest.approx(
        max(float(best), 0), rel=1e-10, abs=1e-15
    )


@given(rhos, st.floats(0, 60))
def test_delta_at_the_best_order(rho, deviations):
    epsilon = min(rho + deviations * math.sqrt(rho), 1e4)
    with mp.workdps(100):
        best = mp.exp(least(lambda a: log_delta(mpf(rho), mpf(epsilon), a)))
    assert zcdp_delta(rho=rho, epsilon=epsilon) == pytest.approx(min(float(best), 1), rel=1e-8)


@pytest.mark.parametrize("noise_multiplier", [0.3, 2.0, 50.0])
@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-50])
def test_bounds_gaussians(noise_multiplier, delta):
    run = 3 * hs.Gaussian(noise_multiplier=noise_multiplier)
    epsilon = zcdp_epsilon(rho=zcdp_rho(run), delta=delta)
    assert epsilon >= run.epsilon_bounds(delta).lower
    assert zcdp_delta(rho=zcdp_rho(run), epsilon=1.0) >= run.delta_bounds(1.0).lower


def test_rho_adds_up_and_ignores_sampling():
    assert zcdp_rho(STEP) == 0.125
    assert zcdp_rho(8 * STEP + 50 * hs.Gaussian(noise_multiplier=5.0)) == 2
    assert zcdp_rho(8 * STEP.poisson_sampled(0.01)) == 1
    assert zcdp_rho(8 * STEP, adjacency=hs.Adjacency.REPLACE_ONE) == 4
    assert zcdp_rho(hs.DiscreteGaussian(sigma=4.0, sensitivity=2)) == 0.125
    assert zcdp_rho(hs.DiscreteGaussian(sigma=4.0, truncation=9)) == math.inf
    assert zcdp_rho(hs.ApproximateDP(epsilon=1.0, delta=0.1)) == math.inf
    assert zcdp_rho(hs.Composition()) == 0
    assert type(zcdp_rho(hs.Composition())) is float


def test_rho_of_pure_differential_privacy():
    """epsilon tanh(epsilon / 2), the best there is (Bun & Steinke 2016, Proposition 3.3)."""
    rho = zcdp_rho(5 * hs.ApproximateDP(epsilon=0.4, delta=0))
    assert rho == pytest.approx(5 * 0.4 * math.tanh(0.2), rel=1e-3)
    assert rho >= 5 * 0.4 * math.tanh(0.2)


def test_corners():
    assert zcdp_epsilon(rho=0, delta=0.5) == 0
    assert zcdp_delta(rho=0, epsilon=[0.0, 1.0]).tolist() == [0, 0]
    assert zcdp_delta(rho=1e300, epsilon=0.0) == 1
    assert zcdp_epsilon(rho=math.inf, delta=0.5) == math.inf
    assert zcdp_delta(rho=math.inf, epsilon=[1e4]).tolist() == [1]
    assert 0 <= zcdp_epsilon(rho=5e-324, delta=5e-324) < 1e-10
    assert zcdp_epsilon(rho=1e300, delta=5e-324) == pytest.approx(1e300)
    assert 0 <= zcdp_delta(rho=5e-324, epsilon=1e4) < 1e-300
    assert 0.5 < zcdp_delta(rho=1.0, epsilon=0.0) <= 1
