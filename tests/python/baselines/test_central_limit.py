# SPDX-License-Identifier: Apache-2.0
"""The central limit approximation: exact for Gaussians, on either side of the truth otherwise."""

import math

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import exact
import hockeystick as hs
from hockeystick.baselines import clt_delta, clt_epsilon, clt_mu

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def near(value, truth, accuracy):
    return bool(abs(arb(value) - truth) <= accuracy * truth)


def gaussian(mu):
    return hs.Gaussian(noise_multiplier=1 / mu)


def oracle(run):
    return ((exact.Step(run.noise_multiplier), 1),)


@given(st.floats(-3, 2).map(lambda x: 10**x), st.floats(-3, 20))
def test_delta_of_one_gaussian(mu, deviations):
    run = gaussian(mu)
    epsilon = min(max(mu * mu / 2 + deviations * mu, 0.0), 1e4)
    truth = exact.delta(oracle(run), epsilon, "remove")
    accuracy = 1e-11 * (1 + 1 / mu)  # the difference of two Mills ratios cancels for small mu
    assert near(clt_delta(run, epsilon), truth, accuracy) or truth < 1e-300


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("delta", [0.3, 1e-5, 1e-100])
def test_epsilon_of_one_gaussian(mu, delta):
    run = gaussian(mu)
    truth = exact.epsilon(oracle(run), delta, "remove")
    assert near(clt_epsilon(run, delta), truth, 1e-11) or truth == clt_epsilon(run, delta) == 0


def test_mu():
    assert clt_mu(hs.Composition()) == 0
    assert clt_mu(9 * gaussian(0.5) + 4 * gaussian(1.0)) == 2.5
    expected = 0.01 * math.sqrt(500 * math.expm1(1))
    assert clt_mu(500 * STEP) == pytest.approx(expected, rel=1e-15)
    mixed = clt_mu(500 * STEP + gaussian(1.0))
    assert mixed == pytest.approx(math.hypot(expected, 1), rel=1e-15)


def test_not_a_bound():
    """It understates the run that everybody shows by 3 %, a short one by 60 %."""
    run = 10_000 * STEP
    assert clt_epsilon(run, 1e-5) < 0.99 * run.epsilon_bounds(1e-5).lower
    short = 100 * hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.001)
    assert clt_epsilon(short, 1e-6) < 0.5 * short.epsilon_bounds(1e-6).lower
    assert clt_delta(short, 1.0) < 0.5 * short.delta_bounds(1.0).lower


def test_corners():
    free = hs.Composition()
    assert clt_epsilon(free, 1e-5) == 0
    assert clt_delta(free, [0.0, 1.0]).tolist() == [0, 0]
    loud = 1 * hs.Gaussian(noise_multiplier=1e-3).poisson_sampled(0.5)
    assert clt_mu(loud) == math.inf
    assert clt_epsilon(loud, 1e-5) == math.inf
    assert clt_delta(loud, 1e4) == 1
    most = 10**9 * hs.Gaussian(noise_multiplier=1e-3)
    assert clt_delta(most, 1e4) == 1
    assert clt_epsilon(most, 1e-300) == pytest.approx(clt_mu(most) ** 2 / 2, rel=1e-5)
    quiet = 1 * hs.Gaussian(noise_multiplier=1e12)
    assert 0 <= clt_delta(quiet, 0.0) < 1e-12
    assert clt_epsilon(quiet, 1e-5) == 0
