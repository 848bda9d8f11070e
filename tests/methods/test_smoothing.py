# SPDX-License-Identifier: Apache-2.0
"""Smoothing factors and moments of steps against ball arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from hockeystick import _core
from pld import stored

SIDES = ("upper", "lower")
RADII = [1e-6, 1e-3, 0.05, 0.5, 5.0, 40.0]


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(400):
        yield


def transform(radius, z):
    """E e^(z eta): of six uniform variables on [-r, r]."""
    return ((radius * z).sinh() / (radius * z)) ** 6


def factor(side, radius, shift, z):
    z, radius = acb(z.real, z.imag), arb(radius)
    if side == "upper":
        return (z * arb(shift)).exp() * transform(radius, z)
    return (1 + z) * transform(radius, z) - z * transform(radius, z + 1)


@pytest.mark.parametrize("side", SIDES)
def test_large_tilts_are_counted(side):
    """Hyperbolic functions of arguments near 50 and 100, at angles next to 0."""
    for radius, tilt in ((0.1, 1100.3), (5.0, 11.7), (40.0, 1.1)):
        smoothing = _core.contour.Smoothing(side, radius)
        for k in range(200):
            z = complex(tilt * (1 + k * 2.0**-14), 2.0**-7 / radius)
            value, error = smoothing.at(z)
            truth = factor(side, radius, smoothing.shift, z)
            assert abs(truth - acb(value.real, value.imag)) <= arb(error)


@pytest.mark.parametrize("tilt", [1e-3, 1.3, 30.0, 1000.0])
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("side", SIDES)
def test_factors_are_within_their_stated_errors(side, radius, tilt):
    """Angles of all sizes, right above powers of two, where rounding is largest."""
    smoothing = _core.contour.Smoothing(side, radius)
    if radius * tilt > 100:
        return
    for exponent in range(-3, 30, 2):
        for k in range(6):
            w = 2.0**exponent * (1 + (2 * k + 1) * 2.0**-30 / 3) / radius
            value, error = smoothing.at(complex(tilt, w))
            truth = factor(side, radius, smoothing.shift, complex(tilt, w))
            assert abs(truth - acb(value.real, value.imag)) <= arb(error)


@pytest.mark.parametrize("side", SIDES)
def test_the_rounding_of_angles_is_met(side):
    """It is what errors are stated for: nearly an eighth of that, where little else is off."""
    smoothing, most = _core.contour.Smoothing(side, 5.0), 0.0
    for k in range(400):
        w = 2.0**34 * (1 + k * 2.0**-36 / 3) / 5
        value, error = smoothing.at(complex(1.3, w))
        truth = factor(side, 5.0, smoothing.shift, complex(1.3, w))
        off = abs(truth - acb(value.real, value.imag)) / arb(error)
        most = max(most, float(off.mid()))
    assert 0.05 < most <= 1


@pytest.mark.every(4)
@pytest.mark.parametrize("frequency", [1e-3, 0.02, 1.0, 15.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("tilt", [1e-3, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("radius", [1e-3, 0.05, 0.5, 5.0])
@pytest.mark.parametrize("side", SIDES)
def test_no_factor_beyond_a_frequency_exceeds_its_bound(side, radius, tilt, frequency):
    """Also where the frequency is below that from which on factors fall."""
    smoothing = _core.contour.Smoothing(side, radius)
    bound, order = smoothing.bound(tilt, frequency), smoothing.order(frequency)
    if not math.isfinite(bound):
        return
    highest = max(50 / radius, 100 * frequency)
    peaks = [(k + 0.5) * math.pi / radius for k in range(8)]
    for w in [*np.geomspace(frequency, highest, 120), *(p for p in peaks if p >= frequency)]:
        size = abs(factor(side, radius, smoothing.shift, complex(tilt, w)))
        assert size * (arb(w) / arb(frequency)) ** order <= arb(bound)


@pytest.mark.parametrize("radius", [1e-12, 1e-9, *RADII, 17.3, 300.0, 700.0])
def test_the_shift_is_no_less_than_jensens_inequality_needs(radius):
    r = arb(radius)
    needed = 6 * (r.sinh() / r).log()
    shift = arb(_core.contour.Smoothing("upper", radius).shift)
    assert needed <= shift <= needed + 257 * arb(2) ** -53 * (1 + needed)


@pytest.mark.parametrize("count", [3, 12, 60])
@pytest.mark.parametrize("radius", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("side", SIDES)
def test_smoothed_samples_left_out_are_within_the_tail(side, radius, count):
    """Were all moments as large as at the tilt, and all that they are multiplied by added up."""
    tilt, period = 0.25, 12.0
    spacing = 2 * math.pi / period
    line = ((0.0, 0.0), {0.0: -1e9, 2.5: -1e9}, [(-1.0, 0.0, 0.0, 0.0)] * (count - 1), 1.0, 0.0)
    ((_, _, tail, _),) = _core.contour.given_deltas(
        [(line, 1)],
        tilts=(0.0, tilt, 2.5),
        period=period,
        count=count,
        side=side,
        radius=radius,
        epsilons=[0.0],
    )
    shift = _core.contour.Smoothing(side, radius).shift
    rest = arb(0)
    with ctx.workprec(80):
        for k in range(count, count + 1500):
            z = complex(tilt, spacing * k)
            ball = acb(z.real, z.imag)
            rest += abs(factor(side, radius, shift, z) / (ball * (ball + 1)))
    worst = 2 * rest * arb(spacing) / (2 * arb.pi())
    assert worst <= arb(tail)


def step(offset, interval, tilt, side="upper"):
    """Masses of all bits on a grid far from 0 whose losses are near it."""
    rng = np.random.default_rng(7)
    index = np.arange(-20, 21) - round(offset / interval)
    mass = rng.random(index.size)
    masses = mass / mass.sum() * 0.999
    made = stored.step(index, masses, interval=interval, offset=offset, side=side)
    losses = [arb(offset) + arb(interval) * int(k) for k in index]
    return made, [arb(m) for m in _core.parts.tilted_masses(made, tilt, 0.125)], losses


GRIDS = [(0.0, 0.01), (0.0, 3.3), (1e6 + 0.1, 0.7), (-1e9 / 3, 1 / 3)]


@pytest.mark.parametrize("tilt", [0.3, 2.0])
@pytest.mark.parametrize(("offset", "interval"), GRIDS)
def test_moments_of_steps_are_within_their_stated_errors(offset, interval, tilt):
    made, masses, losses = step(offset, interval, tilt)
    line = _core.contour.step_line(made, tilt, 0.125)
    total = sum(masses, arb(0))
    value, error = line.log_moment()
    assert abs(arb(value) - total.log() - arb(0.125)) <= arb(error)
    for spacing in (1e-3 / interval, 0.7, 31.0):
        samples = line.samples(spacing, 200)
        assert samples[0] == (0.0, 0.0, 0.0, 0.0)
        for k in (1, 2, 3, 50, 199):
            re, im, rounding, truncation = samples[k]
            angle = arb(spacing) * k
            truth = sum(
                (m * acb(0, angle * loss).exp() for m, loss in zip(masses, losses, strict=True)),
                acb(0),
            )
            assert abs(truth / total - 1 - acb(re, im)) <= arb(rounding)
            assert truncation == 0


@pytest.mark.parametrize("log_moment", [-1e3, -3.0, 0.0, 0.1, 1e3, 1e6])
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 0.3, 7.0, 1e4])
def test_chernoffs_exponent_is_rounded_up(tilt, log_moment):
    """K - t epsilon + log max_y e^(-t y) (1 - e^-y), also where the first two all but cancel."""
    t = arb(tilt)
    peak = t * (t / (1 + t)).log() - (1 + t).log() if tilt else arb(0)
    for loss_error in (0.0, 1e-9, 0.1):
        for epsilon in (-5.0, 0.0, 1 / 3, 1e3, (log_moment - 1) / tilt if tilt else 1.0):
            bound = _core.contour.chernoff_log_above(tilt, log_moment, epsilon, loss_error)
            truth = arb(log_moment) + peak - t * (arb(epsilon) - arb(loss_error))
            assert truth <= arb(bound)
            size = 1 + abs(log_moment) + abs(peak) + tilt * (abs(epsilon) + loss_error)
            assert bound <= truth + arb(1e-14) * size + 0.011 * t * loss_error


def test_chernoffs_inequality_says_nothing_below_0():
    assert _core.contour.chernoff_log_above(-0.1, 0.0, 1.0, 0.0) == math.inf
    assert _core.contour.chernoff_log_above(math.nan, 0.0, 1.0, 0.0) == math.inf
