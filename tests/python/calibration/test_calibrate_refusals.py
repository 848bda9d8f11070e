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
        (None, "^make must be a function of one number, got None"),
        (lambda sigma: sigma, "^make must return a mechanism or a composition, .* returned 1.0$"),
        (lambda sigma: noise(sigma).epsilon(1e-5), "^make must return a mechanism"),
        (lambda: STEP, "positional argument"),
        (lambda name: STEP * name.upper(), None),
    ],
)
def test_bad_families(make, message):
    with pytest.raises(TypeError if message else AttributeError, match=message):
        hs.calibrate(make, **TARGET)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {},
            TypeError,
            "^the target must be epsilon and delta, rho, mu, bayes_risk, .*; got none$",
        ),
        ({"epsilon": 1.0}, TypeError, "^the target must be .*; got epsilon$"),
        ({**TARGET, "advantage": 0.1}, TypeError, "got advantage, delta, epsilon$"),
        ({"epsilon": 0.0, "delta": 1e-5}, ValueError, "^epsilon must be finite and > 0"),
        ({"epsilon": math.nan, "delta": 1e-5}, ValueError, "^epsilon must be finite and > 0"),
        ({"epsilon": math.inf, "delta": 1e-5}, ValueError, "^epsilon must be finite and > 0"),
        (
            {"epsilon": "2", "delta": 1e-5},
            TypeError,
            "^epsilon must be a real number that is finite and > 0",
        ),
        ({"epsilon": 2.0, "delta": -0.5}, ValueError, "^delta must be in"),
        ({"epsilon": 2.0, "delta": {}}, TypeError, "^delta must be a real number that is in"),
        ({"advantage": 1.0}, ValueError, "^advantage must be in"),
        ({"advantage": math.nan}, ValueError, "^advantage must be in"),
        ({"tpr": 0.1, "fpr": 0.1}, ValueError, "^tpr must be above fpr = 0.1"),
        ({"tpr": 1.0, "fpr": 0.1}, ValueError, "^tpr must be in"),
        ({"tpr": 0.5, "fpr": 0.0}, ValueError, "^fpr must be in"),
        ({"tpr": 0.5}, TypeError, "got tpr$"),
        ({"mu": 0.0}, ValueError, "^mu must be finite and > 0"),
        ({"mu": 1.0, "smallest_rate": 0.6}, ValueError, "^smallest_rate must be in"),
        ({"smallest_rate": 0.1}, TypeError, "got smallest_rate$"),
        ({"bayes_risk": 0.5}, ValueError, "^bayes_risk must be below 0.5, which guessing reaches"),
        ({"bayes_risk": 0.1, "prior": 1.0}, ValueError, "^prior must be in"),
        ({**TARGET, "tolerance": 0.0}, ValueError, "^tolerance must be"),
        ({**TARGET, "memory_limit": 0}, ValueError, "^memory_limit must be"),
        ({**TARGET, "adjacency": "both"}, ValueError, "^adjacency must be"),
        ({**TARGET, "integer": 1}, TypeError, "^integer must be"),
        ({**TARGET, "bounds": 3}, TypeError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (1, "2")}, TypeError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (2, 1)}, ValueError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (-1, 1)}, ValueError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (0, 0)}, ValueError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (1, math.nan)}, ValueError, "^bounds must be a pair"),
        ({**TARGET, "bounds": (1.2, 1.8), "integer": True}, ValueError, "^bounds must hold"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        hs.calibrate(noise, **arguments)
