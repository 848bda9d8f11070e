# SPDX-License-Identifier: Apache-2.0
"""Targets out of reach, families that cannot be searched, and bad arguments of calibrate."""

import math

import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
TARGET = {"epsilon": 2.0, "delta": 1e-5}


def noise(sigma):
    return 10_000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)


def added_noise(sigma):
    return 1000 * STEP + 4 * hs.Gaussian(noise_multiplier=sigma)


def test_no_parameter_is_private_enough():
    with pytest.raises(ValueError, match=r"^epsilon must be within the reach of make, got 0.1"):
        hs.calibrate(added_noise, epsilon=0.1, delta=1e-5)
    with pytest.raises(ValueError, match="at the most private parameter, 2.0, .* bounds$"):
        hs.calibrate(noise, epsilon=0.1, delta=1e-5, bounds=(1, 2))


def test_a_risk_that_is_too_high_is_said_to_be():
    with pytest.raises(ValueError, match="^bayes_risk must be within .* got 0.49: .* lower the "):
        hs.calibrate(noise, bayes_risk=0.49, bounds=(1, 2))


def test_families_that_are_not_monotone_are_refused():
    def make(x):
        return hs.Gaussian(noise_multiplier=2 - min(1, abs(math.log(x / 2))))

    with pytest.raises(ValueError, match="^make must be monotone in its parameter; epsilon is be"):
        hs.calibrate(make, epsilon=0.5, delta=1e-5)


def test_families_that_are_constant_are_refused():
    with pytest.raises(ValueError, match="^make must depend on its parameter: epsilon is 2.99"):
        hs.calibrate(lambda x: hs.ApproximateDP(epsilon=3.0 + 0 * x, delta=0.0), **TARGET)


def test_a_tolerance_out_of_reach_is_reported():
    def laplace(scale):
        return 10_000 * hs.Laplace(noise_multiplier=scale).poisson_sampled(0.5)

    with pytest.raises(hs.CertificationError, match="raise memory_limit"):
        hs.calibrate(laplace, **TARGET, tolerance=1e-9, memory_limit=2**20)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (None, "^make must be a function of one number, .* got None"),
        (lambda sigma: sigma, "^make must return a mechanism or a composition, .* returned 1.0$"),
        (lambda sigma: noise(sigma).epsilon(1e-5), "^make must return a mechanism"),
        (lambda: STEP, "positional argument"),
        (lambda name: STEP * name.upper(), None),
    ],
)
def test_bad_families(make, message):
    with pytest.raises(TypeError if message else AttributeError, match=message):
        hs.calibrate(make, **TARGET)
