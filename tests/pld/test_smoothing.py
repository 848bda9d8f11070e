# SPDX-License-Identifier: Apache-2.0
"""Smoothing factors and moments of steps against ball arithmetic."""

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from hockeystick import _core
from pld import stored

SIDES = ("upper", "lower")
DEVIATIONS = [1e-6, 1e-3, 0.05, 0.5, 5.0, 15.0]

pytestmark = pytest.mark.bits(400)


def transform(variance, z):
    """E e^(z eta) of a normal variable."""
    return (variance * z * z / 2).exp()


def factor(side, variance, z):
    z, variance = acb(z.real, z.imag), arb(variance)
    if side == "upper":
        return (z * variance / 2).exp() * transform(variance, z)
    return (1 + z) * transform(variance, z) - z * transform(variance, z + 1)


@pytest.mark.parametrize("side", SIDES)
def test_large_tilts_are_counted(side):
    """Exponents of some hundreds, at angles next to 0."""
    for deviation, tilt in ((0.025, 1100.3), (2.0, 11.7), (15.0, 1.1)):
        smoothing = _core.contour.Smoothing(side, deviation)
        for k in range(200):
            z = complex(tilt * (1 + k * 2.0**-14), 2.0**-7 / deviation)
            value, error = smoothing.at(z)
            truth = factor(side, smoothing.variance, z)
            assert abs(truth - acb(value.real, value.imag)) <= arb(error)


@pytest.mark.parametrize("tilt", [1e-3, 1.3, 30.0, 1000.0])
@pytest.mark.parametrize("deviation", DEVIATIONS)
@pytest.mark.parametrize("side", SIDES)
def test_factors_are_within_their_stated_errors(side, deviation, tilt):
    """Frequencies of all sizes, right above powers of two, where rounding is largest."""
    smoothing = _core.contour.Smoothing(side, deviation)
    if deviation * tilt > 30:
        return
    for exponent in range(-20, 6):
        for k in range(6):
            w = 2.0**exponent * (1 + (2 * k + 1) * 2.0**-30 / 3) / deviation
            value, error = smoothing.at(complex(tilt, w))
            truth = factor(side, smoothing.variance, complex(tilt, w))
            assert abs(truth - acb(value.real, value.imag)) <= arb(error)


@pytest.mark.parametrize("side", SIDES)
def test_the_rounding_of_angles_and_exponents_is_met(side):
    """They are what errors are stated for: an eighth of that."""
    smoothing, most = _core.contour.Smoothing(side, 1e-4), 0.0
    for k in range(400):
        z = complex(1.3, 1e5 * (1 + k * 2.0**-36 / 3))
        value, error = smoothing.at(z)
        off = abs(factor(side, smoothing.variance, z) - acb(value.real, value.imag)) / arb(error)
        most = max(most, float(off.mid()))
    assert 0.12 < most <= 1


@pytest.mark.parametrize(("tilt", "frequency"), [(0.01, 3.0), (2.0, 1.0), (30.0, 15.0)])
@pytest.mark.parametrize("deviation", [0.02, 0.3, 1.0])
def test_the_error_of_a_lower_factor_is_the_formula(deviation, tilt, frequency):
    """Of exponents, angles and tangents, relative to a bound of all terms."""
    smoothing = _core.contour.Smoothing("lower", deviation)
    v, b = smoothing.variance, smoothing.variance * frequency
    grown = math.exp(v / 2 * (tilt * tilt - frequency * frequency))
    raised = math.expm1(v * (tilt + 0.5))
    lifted = raised + 2 * (1 + raised) * min(1.0, b)
    exponents = 2 * v * (tilt * (tilt + 1) + frequency**2) + 3 * b * tilt + 16
    tangents = 4 * v * (tilt + 0.5) + b + 24
    booked = grown * (1 + abs(complex(tilt, frequency)) * lifted) * (exponents + tangents)
    _, error = smoothing.at(complex(tilt, frequency))
    assert error / 2.0**-53 == pytest.approx(booked, rel=1e-6)


@pytest.mark.parametrize("deviation", [1e-9, 1e-7, 1e-5])
def test_factors_of_little_smoothing_are_as_good_as_1(deviation):
    """Their rounding is next to themselves, not to the moments whose difference they are."""
    smoothing = _core.contour.Smoothing("lower", deviation)
    for w in (0.0, 0.1 / deviation, 1 / deviation):
        value, error = smoothing.at(complex(0.1 / deviation, w))
        assert error < 1e-14 * (1 + abs(value))


@pytest.mark.every(4)
@pytest.mark.parametrize("frequency", [1e-3, 0.02, 1.0, 15.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("tilt", [1e-3, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("deviation", [1e-3, 0.05, 0.5, 5.0])
@pytest.mark.parametrize("side", SIDES)
def test_no_factor_beyond_a_frequency_exceeds_its_bound(side, deviation, tilt, frequency):
    """Also where the frequency is below that from which on factors fall."""
    smoothing = _core.contour.Smoothing(side, deviation)
    bound, order = smoothing.bound(tilt, frequency), smoothing.order(frequency)
    if not math.isfinite(bound) or bound < 1e-290:
        return
    highest = max(30 / deviation, 3 * frequency)
    for w in np.geomspace(frequency, highest, 120):
        size = abs(factor(side, smoothing.variance, complex(tilt, w)))
        assert size * (arb(w) / arb(frequency)) ** arb(order) <= arb(bound)


@pytest.mark.parametrize("deviation", [0.15, 0.2, 0.3])
def test_where_tangents_add_all_that_they_may_the_bound_of_a_factor_is_met(deviation):
    """At half a turn of the lower factor's e^x, where e^x - 1 is about -2."""
    smoothing = _core.contour.Smoothing("lower", deviation)
    frequency, tilt = math.pi / smoothing.variance, 1e-3
    size = abs(factor("lower", smoothing.variance, complex(tilt, frequency)))
    bound = arb(smoothing.bound(tilt, frequency))
    assert 0.9 * bound < size <= bound


@pytest.mark.parametrize("count", [3, 12, 60])
@pytest.mark.parametrize("deviation", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("side", SIDES)
def test_smoothed_samples_left_out_are_within_the_tail(side, deviation, count):
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
        deviation=deviation,
        epsilons=[0.0],
    )
    variance = _core.contour.Smoothing(side, deviation).variance
    rest = arb(0)
    with ctx.workprec(80):
        for k in range(count, count + 1500):
            z = complex(tilt, spacing * k)
            ball = acb(z.real, z.imag)
            rest += abs(factor(side, variance, z) / (ball * (ball + 1)))
    worst = 2 * rest * arb(spacing) / (2 * arb.pi())
    assert worst <= arb(tail)


GRIDS = [(0.0, 0.01), (0.0, 3.3), (1e6 + 0.1, 0.7), (-1e9 / 3, 1 / 3)]


@pytest.mark.parametrize(("offset", "interval"), GRIDS)
def test_losses_of_steps_are_within_their_stated_error(offset, interval):
    """Also on a grid far from 0 whose losses are near it. Too small masses count as infinite."""
    index = np.arange(-20, 21) - round(offset / interval)
    mass = np.random.default_rng(7).random(index.size)
    mass[3] = 1e-306
    grid = {"interval": interval, "offset": offset, "infinity_mass": 1e-9}
    made = stored.step(index, mass / mass.sum() * 0.999, side="upper", **grid)
    line, loss_error, lower, upper = _core.contour.step_line(made, 0.0)
    assert line.size() == index.size - 1
    assert lower == 1e-9 < upper < 1.001e-9
    exact = [arb(offset) + arb(interval) * int(k) for k in index]
    off = max(abs(arb(offset + interval * int(k)) - at) for k, at in zip(index, exact, strict=True))
    assert off <= arb(loss_error)
    assert arb(loss_error) < 16 * arb(2) ** -53 * (abs(offset) + 20 * interval)


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
