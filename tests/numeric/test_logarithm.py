# SPDX-License-Identifier: Apache-2.0
"""Logarithms on vectors, with each instruction set, against ball arithmetic."""

import numpy as np
import pytest
from flint import arb

from hockeystick import _core

U = 2.0**-53
KERNELS = _core.numeric.available_kernels()

pytestmark = pytest.mark.bits(160)


def padded(values):
    return np.concatenate([values, np.ones(-len(values) % 8)])


def relative(got, exact):
    return abs(arb(got) / exact - 1) if exact != 0 else abs(arb(got))


def worst(got, exact):
    return max(relative(g, e) for g, e in zip(got, exact, strict=True))


def logarithm_arguments(samples):
    """All sizes, the neighbours of 1, the ends of the reduced range, where the exponent changes."""
    rng = np.random.default_rng(11)
    seams = np.ldexp(np.sqrt(0.5), np.arange(-30, 30))
    seams = np.concatenate([seams * (1 + k * 2.0**-21) for k in (-2, -1, 0, 1, 2)])
    near = 1 + rng.choice([-1, 1], samples(400)) * np.exp2(rng.uniform(-52, -1, samples(400)))
    wide = np.exp2(rng.uniform(-1022, 1023.9, samples(400)))
    ends = [np.finfo(float).tiny, np.finfo(float).max, 1.0, 2.0, 0.5]
    return padded(np.concatenate([seams, near, wide, rng.uniform(0.5, 3, samples(1000)), ends]))


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_logarithm_is_within_its_bound(kernel, samples):
    x = logarithm_arguments(samples)
    off = worst(_core.numeric.logarithms(x, kernel), [arb(a).log() for a in x])
    assert off <= arb(3 * U)
    assert off > arb(U)  # the bound is not idle


@pytest.mark.parametrize("kernel", KERNELS)
def test_logarithms_of_one_plus_are_within_their_bound(kernel, samples):
    rng = np.random.default_rng(12)
    signs = rng.choice([-1, 1], samples(1000))
    small = signs * np.exp2(rng.uniform(-1074, -0.01, samples(1000)))
    usual = signs * np.exp2(rng.uniform(-60, -0.01, samples(1000)))
    near_minus_one = -1 + np.exp2(rng.uniform(-53, 0, samples(200)))
    large = np.exp2(rng.uniform(0, 1023.9, samples(200)))
    seams = logarithm_arguments(samples) - 1
    ends = [0.0, -0.0, 5e-324, -1 + 2.0**-53, np.finfo(float).max, 2.0**53, 2.0**53 - 1]
    x = np.concatenate([small, usual, near_minus_one, large, seams, ends])
    x = padded(x[x > -1])
    off = worst(_core.numeric.logarithms_of_1_plus(x, kernel), [arb(a).log1p() for a in x])
    assert off <= arb(4 * U)
    assert off > arb(U)
