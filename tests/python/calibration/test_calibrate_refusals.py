# SPDX-License-Identifier: Apache-2.0
"""Targets out of reach, families that cannot be searched, and bad arguments of calibrate."""

import math

import pytest

import hockeystick as hs

TARGET = {"epsilon": 2.0, "delta": 1e-5}


def test_families_that_are_not_monotone_are_refused():
    def make(x):
        return hs.Gaussian(noise_multiplier=2 - min(1, abs(math.log(x / 2))))

    with pytest.raises(ValueError, match="^make must be monotone in its parameter; epsilon is be"):
        hs.calibrate(make, epsilon=0.5, delta=1e-5)


def test_a_tolerance_out_of_reach_is_reported():
    def laplace(scale):
        return 10_000 * hs.Laplace(noise_multiplier=scale).poisson_sampled(0.5)

    with pytest.raises(hs.CertificationError, match="raise memory_limit"):
        hs.calibrate(laplace, **TARGET, tolerance=1e-9, memory_limit=2**20)
