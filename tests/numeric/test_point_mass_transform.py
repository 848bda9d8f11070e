# SPDX-License-Identifier: Apache-2.0
"""Characteristic functions of point masses, against ball arithmetic."""

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from hockeystick import _core

transform = _core.numeric.point_mass_transform


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(160):
        yield


def sampled(size, rate=1e-5, tilt=1.0):
    """Losses of a rarely sampled Gaussian: most are next to 0, few are large."""
    x = np.linspace(-8, 12, size)
    losses = np.log1p(rate * np.expm1(2 * x - 2))
    return np.exp(-x * x / 2 + tilt * losses), losses


def normal(size, deviation):
    rng = np.random.default_rng(size)
    return rng.random(size), rng.normal(0, deviation, size)


LAWS = {
    "sampled": (*sampled(1500), 0.7, 5000),
    "rarely sampled": (*sampled(400, 1e-12, 9.0), 0.3, 700),
    "few": (*sampled(50), 0.7, 100),
    "wide": (*normal(300, 3.0), 0.1, 2000),
    "thousands of turns": (*normal(300, 3e5), 0.1, 500),
    "next to 0": (*normal(300, 1e-9), 0.1, 500),
    "a lattice": (np.ones(200), np.arange(200) * 0.01 * math.pi, 20.0, 300),
    "one point": (np.ones(300), np.full(300, -1.7), 0.9, 400),
    "halves of turns": (np.ones(4), np.array([0.5, -0.5, 1.5, 1.0]), 2 * math.pi, 64),
    "masses that underflow": (10.0 ** -np.arange(0, 300.0, 2), np.linspace(0, 7, 150), 0.9, 400),
    "one frequency": (*normal(20, 3.0), 0.1, 2),
}


def check(law, frequencies):
    """Errors of some samples are within their bounds."""
    masses, places, spacing, count = law
    samples = transform(masses.tolist(), places.tolist(), spacing, count)
    assert len(samples) == count - 1
    total = sum(map(arb, masses.tolist()), arb(0))
    for k in frequencies:
        re, im, rounding = samples[k - 1]
        w = arb(spacing) * k
        turned = (
            arb(m) * (acb(0, w * arb(x)).exp() - 1)
            for m, x in zip(masses.tolist(), places.tolist(), strict=True)
        )
        off = abs(sum(turned, acb(0)) / total - acb(re, im))
        assert off <= arb(rounding), k


def some(count):
    wanted = (1, 2, count // 10, count // 3, count // 2, count - 2, count - 1)
    return sorted({k for k in wanted if 0 < k < count})


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_samples_are_enclosed(law):
    check(law, some(law[-1]))


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(12))
def test_samples_of_random_masses_are_enclosed(seed):
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(1, 200)), int(rng.integers(2, 3000))
    masses = rng.random(size) * np.exp(-rng.uniform(0, 60, size))
    places = rng.normal(0, 1, size) * 10.0 ** rng.uniform(-9, 2, size)
    check((masses, places, 10.0 ** rng.uniform(-2, 1), count), some(count))
