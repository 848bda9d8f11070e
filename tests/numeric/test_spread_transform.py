# SPDX-License-Identifier: Apache-2.0
"""Characteristic functions by a nonuniform Fourier transform, against ball arithmetic."""

import math

import numpy as np
import pytest
from flint import acb, arb, arb_poly, ctx

from hockeystick import _core

transform = _core.numeric.point_mass_transform
ORDER = 18
U = 2.0**-53

pytestmark = pytest.mark.bits(160)


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


def check(law, frequencies, *, is_spread=True):
    """Errors of some samples are within their bounds."""
    masses, places, spacing, count = law
    samples = transform(masses.tolist(), places.tolist(), spacing, count, is_spread=is_spread)
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


@pytest.mark.parametrize("is_spread", [True, False], ids=["spread", "turned"])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_samples_are_enclosed(law, is_spread):
    check(law, some(law[-1]), is_spread=is_spread)


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(12))
def test_samples_of_random_masses_are_enclosed(seed):
    rng = np.random.default_rng(seed)
    size, count = int(rng.integers(1, 200)), int(rng.integers(2, 3000))
    masses = rng.random(size) * np.exp(-rng.uniform(0, 60, size))
    places = rng.normal(0, 1, size) * 10.0 ** rng.uniform(-9, 2, size)
    check((masses, places, 10.0 ** rng.uniform(-2, 1), count), some(count))


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_spreading_and_turning_agree(law):
    masses, places, spacing, count = law
    spread, turned = (
        np.array(transform(masses.tolist(), places.tolist(), spacing, count, is_spread=way))
        for way in (True, False)
    )
    off = np.hypot(*(spread - turned).T[:2])
    assert np.all(off <= spread[:, 2] + turned[:, 2])


def test_errors_of_masses_next_to_0_are_relative_to_their_angles():
    """The moment less 1 keeps its digits."""
    masses, places = normal(300, 1e-9)
    *_, (re, im, rounding) = transform(masses.tolist(), places.tolist(), 0.1, 500, is_spread=True)
    assert rounding < 300 * U * 50 * 1e-9
    assert math.hypot(re, im) < 50 * 1e-9


def spline(x):
    """The cardinal B-spline at x in [0, ORDER], by its truncated powers: from the nearer end."""
    x = x if x < ORDER / 2 else ORDER - x
    terms = (
        (-1) ** j * math.comb(ORDER, j) * (x - j) ** (ORDER - 1) for j in range(ORDER) if x > j
    )
    return sum(terms, arb(0)) / math.factorial(ORDER - 1)


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
def test_masses_are_spread_by_splines(kernel):
    rng = np.random.default_rng(5)
    offsets = [0.0, 1.0, 0.5, 2.0**-60, 1 - 2.0**-53, *rng.random(12).tolist()]
    masses = [1.0, *(10.0 ** rng.uniform(-200, 3, len(offsets) - 1)).tolist()]
    scale = math.factorial(ORDER - 1)
    with ctx.workprec(400):
        for mass, offset, found in zip(
            masses, offsets, _core.numeric.spread(masses, offsets, kernel), strict=True
        ):
            for i, value in enumerate(found):
                truth = arb(mass) * scale * spline(arb(ORDER - 1 - i) + arb(offset))
                assert abs(arb(value) - truth) <= 52 * U * truth + arb(2) ** -1000


@pytest.mark.parametrize("part", [1 / 8, 0.1, 1 / 64])
def test_aliases_are_below_their_bound_and_near_it(part):
    t, most = arb(part), 0.0
    for place in (0.0, 0.2, 0.5, 0.8):
        total = acb(0)
        for at in range(-ORDER // 2, ORDER // 2 + 2):
            x = arb(at) - place + ORDER // 2
            if 0 < x < ORDER:
                total += spline(x) * (acb(0, -2 * t * at) * arb.pi()).exp()
        sinc = (arb.pi() * t).sin() / (arb.pi() * t)
        off = abs(total / sinc**ORDER - (acb(0, -2 * t * place) * arb.pi()).exp())
        bound = 2.01 * (t / (1 - t)) ** ORDER
        assert off <= bound
        most = max(most, float((off / bound).mid()))
    assert most > 0.4


def test_the_transform_of_the_spline_is_what_its_series_says():
    """Its logarithm is 18 sum zeta(2 n) t^(2 n) / n; nine terms do up to t = 1/8."""
    t = arb(1) / 8
    exact = -ORDER * ((arb.pi() * t).sin() / (arb.pi() * t)).log()
    zeta = [arb(2 * n).zeta() for n in range(1, 10)]
    series = ORDER * arb_poly([0, *(z / n for n, z in enumerate(zeta, 1))])(t**2)
    assert abs(exact - series) < 0.02 * U


@pytest.mark.parametrize("size", [3, 100, 5000])
def test_the_error_of_what_is_near_is_the_formula(size):
    """Of exact masses and places, at angles below 1: moments, and angles of all."""
    spacing, count = 0.01, 20
    masses = [1.0 + k % 3 for k in range(size)]
    places = [(k % 41 - 20) / 25 for k in range(size)]
    spread = sum(m * abs(x) for m, x in zip(masses, places, strict=True)) / sum(masses)
    rows = _core.numeric.point_mass_transform(masses, places, spacing, count, is_spread=True)
    for k, (_, _, error) in enumerate(rows, 1):
        booked = 1.01 * k * spacing * spread * (1.8 * (size / 8 + 75) + 8)
        assert error / 2.0**-53 == pytest.approx(booked, rel=1e-6)
