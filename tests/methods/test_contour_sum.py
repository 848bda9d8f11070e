# SPDX-License-Identifier: Apache-2.0
"""Stated errors of the contour sum against the same sum in ball arithmetic.

The lines are given: what their samples are off by points where it adds up, so that an error which
is stated too small by half is one that is too small.
"""

import cmath
import math
from fractions import Fraction

import pytest
from flint import acb, arb

import exact
from hockeystick import _core

LOWER, TILT, HIGHER = 0.5, 1.25, 2.5
PERIOD = 12.0
SPACING = 2 * math.pi / PERIOD
DISTANT = {LOWER: -1e9, HIGHER: -1e9}  # bounds of log M where repetitions are not asked about

pytestmark = pytest.mark.bits(300)


def points(count):
    return [acb(arb(TILT), arb(SPACING) * k) for k in range(count)]


def aligned(radii, times, epsilon, phase=0.0):
    """Samples of these moduli whose powers all turn to where they add to the sum, or beyond."""
    samples = []
    for k, radius in enumerate(radii, 1):
        z = complex(TILT, SPACING * k)
        turn = k * math.fmod(SPACING * epsilon, 2 * math.pi) + cmath.phase(z * (z + 1)) + phase
        samples.append(cmath.rect(radius, turn / times))
    return samples


def rows(
    samples, times, epsilons, *, log_moment=(0.0, 0.0), errors=(0.0, 0.0), modulus=0.0, left_out=0.0
):
    given = [(s.real - 1, s.imag, *errors) for s in samples]
    line = ((log_moment, DISTANT, given, modulus, left_out), times)
    return _core.contour.given_deltas(
        [line],
        tilts=(LOWER, TILT, HIGHER),
        period=PERIOD,
        count=len(samples) + 1,
        epsilons=epsilons,
    )


def exact_sum(samples, times, epsilon, log_moment=0.0, off=0.0):
    """The trapezoid rule of samples longer than given by `off`, without a rounding."""
    total = acb(0)
    for k, z in enumerate(points(len(samples) + 1)):
        power = acb(1)
        if k:
            given = 1 + acb(samples[k - 1].real - 1, samples[k - 1].imag)
            power = (given * (1 + arb(off) / abs(given))) ** times
        turned = power * acb(0, -k * arb(SPACING) * epsilon).exp()
        total += (2 if k else 1) * turned / (z * (z + 1))
    scale = (times * arb(log_moment) - arb(TILT) * epsilon).exp() * arb(SPACING) / (2 * arb.pi())
    return scale * total.real


@pytest.mark.parametrize("errors", [(1e-6, 0.0), (0.0, 1e-6), (3e-9, 3e-9), (0.02, 0.01)])
@pytest.mark.parametrize("times", [1, 40, 1000])
def test_errors_of_samples_are_within_those_stated(times, errors):
    """With the last, powers of 40 and more are within their errors of 0, and count as 0."""
    radii = [0.97] * 9 if sum(errors) > 1e-3 else [1 - 0.01 * k**1.5 for k in range(1, 20)]
    samples = aligned(radii, times, 0.75)
    ((value, rounding, tail, _),) = rows(samples, times, [0.75], errors=errors)
    off = exact_sum(samples, times, 0.75, off=sum(errors)) - arb(value)
    assert 0 < off <= arb(rounding)
    assert arb(rounding) <= 1.5 * off + arb(1e-12)
    assert tail < 1e-100


@pytest.mark.parametrize("error", [1e-9, 1e-4, 2e-3, 1e-2, 0.05])
def test_an_error_of_the_moment_moves_the_sum_and_its_errors(error):
    """The scale is off by e^(n error): by as much more are the errors that it multiplies."""
    times, off = 40, 0.01
    samples = aligned([0.99] * 12, times, 0.75)
    log_moment = 0.75 * TILT / times
    ((value, rounding, _, _),) = rows(
        samples, times, [0.75], log_moment=(log_moment, error), errors=(off, 0.0)
    )
    truth = exact_sum(samples, times, 0.75, arb(log_moment) + arb(error), off)
    assert truth - arb(value) <= arb(rounding)
    assert arb(rounding) <= (1.2 if times * error > 0.1 else 1.1) * (truth - arb(value))


@pytest.mark.every(3)
@pytest.mark.parametrize("off", [0.0, 0.05])
@pytest.mark.parametrize("count", [2, 8, 33])
@pytest.mark.parametrize(("modulus", "times"), [(1.0, 1), (0.99, 100), (1.0, 10**6)])
def test_samples_left_out_are_within_the_tail(modulus, times, count, off):
    """Were all as large as the bound, and added up; with the scale off besides."""
    log_moment = 0.75 * TILT / times
    ((value, rounding, tail, _),) = rows(
        [0j] * (count - 1), times, [0.75], log_moment=(log_moment, off / times), modulus=modulus
    )
    assert abs(arb(value)) > 0
    assert rounding >= 0
    rest = arb(0)
    farthest = 20_000
    for k in range(count, farthest):
        w = arb(SPACING) * k
        rest += 1 / ((arb(TILT) ** 2 + w * w) * ((arb(TILT) + 1) ** 2 + w * w)).sqrt()
    rest += (1 - arb(1e-6)) / (arb(SPACING) ** 2 * farthest)
    scale = (times * arb(log_moment) + arb(off) - arb(TILT) * arb(0.75)).exp()
    worst = scale * 2 * arb(modulus) ** times * rest * arb(SPACING) / (2 * arb.pi())
    assert worst <= arb(tail)
    if count == 33 and off == 0:
        assert arb(tail) <= 1.2 * worst


@pytest.mark.parametrize("times", [1, 7, 10**9])
def test_losses_left_out_are_part_of_the_tail(times):
    """What a run has of them at most, by the union bound."""
    left_out = (1 / 3) * 1e-10 / times
    samples = aligned([0.9] * 9, times, 0.75)
    ((value, rounding, tail, alias),) = rows(samples, times, [0.75])
    assert rows(samples, times, [0.75], left_out=left_out)[0][:2] == (value, rounding)
    ((_, _, more, _),) = rows(samples, times, [0.75], left_out=left_out)
    assert arb(left_out) * times <= arb(more) - arb(tail) <= 1.01 * arb(left_out) * times
    assert alias < 1e-100


@pytest.mark.parametrize("sign", [1, -1])
def test_rounding_of_the_turn_is_within_that_stated(sign):
    """An angle rounded by as much as one can be, and samples whose parts change most with it."""

    def lost(epsilon):
        return Fraction(SPACING * epsilon) / (Fraction(SPACING) * Fraction(epsilon)) - 1

    nearby = [2.0**24 / SPACING + k * 2.0**-28 for k in range(1, 500)]
    epsilon = max(nearby, key=lambda epsilon: sign * lost(epsilon))
    assert sign * lost(epsilon) > 0.9 * 2**-53
    samples = aligned([1.0] * 29, 1, epsilon, math.pi / 2)
    log_moment = epsilon * TILT
    ((value, rounding, _, _),) = rows(samples, 1, [epsilon], log_moment=(log_moment, 0.0))
    # The scale and its error, much larger, are the same for both.
    scale = (arb(log_moment) - arb(TILT) * epsilon).exp()
    with_scale = arb(value) * scale / arb(math.exp(log_moment - TILT * epsilon))
    off = abs(exact_sum(samples, 1, epsilon, log_moment) - with_scale)
    assert off <= arb(rounding)
    assert off > 0.4 * arb(rounding)


FAR = [epsilon * (1 + 2**-40) for epsilon in (0.5, 3.0, 1e4, 2.0**33 / SPACING, -1e6, 1e9)]


@pytest.mark.parametrize("times", [1, 77, 10**6, 10**9])
@pytest.mark.parametrize("epsilon", FAR)
def test_rounding_of_powers_and_turns_is_within_that_stated(times, epsilon):
    """Samples and epsilons of all bits: no error is given, and all that is met is rounding."""
    for seed in range(12):
        radii = [
            math.exp(-(0.3 + 0.01 * seed + 0.007 * k) * k / (times * 20)) for k in range(1, 30)
        ]
        samples = aligned(radii, times, epsilon)
        log_moment = epsilon * TILT / times
        ((value, rounding, _, _),) = rows(samples, times, [epsilon], log_moment=(log_moment, 0.0))
        off = abs(exact_sum(samples, times, epsilon, log_moment) - arb(value))
        assert off <= arb(rounding)


@pytest.mark.parametrize("times", [10**4, 10**6, 10**7 + 1])
@pytest.mark.parametrize("angle", [0.012, 1.1])
def test_rounding_of_powers_that_turn_often_is_within_that_stated(angle, times):
    """Thousands of turns: by exponentials where samples are next to 1, else by squaring."""
    met, epsilon = 0.0, 0.75
    for seed in range(8):
        whole = 2 * math.pi * round(angle * (1 + 0.01 * seed) * times / (2 * math.pi)) / times
        samples = [
            s * cmath.rect(1, whole) for s in aligned([1 - 1e-9 / times] * 12, times, epsilon)
        ]
        ((value, rounding, _, _),) = rows(samples, times, [epsilon])
        off = abs(exact_sum(samples, times, epsilon) - arb(value))
        assert off <= arb(rounding)
        met = max(met, float((off / arb(rounding)).mid()))
    assert met > 0.001


@pytest.mark.parametrize("times", [3, 10**6 + 3])
def test_rounding_of_the_scale_is_within_that_stated(times):
    """Exponents that all but cancel, and moments and epsilons of all bits."""
    largest = 0.0
    for seed in range(1, 60):
        log_moment = 1234.5 * seed / 7.3
        epsilon = (times * log_moment - 0.7) / TILT
        ((value, rounding, _, _),) = rows([], times, [epsilon], log_moment=(log_moment, 0.0))
        off = abs(exact_sum([], times, epsilon, log_moment) - arb(value))
        assert off <= arb(rounding)
        largest = max(largest, float((off / arb(rounding)).mid()))
    assert largest > 0.4


GAUSSIANS = [(1.0, 1), (1e-3, 1), (1e3, 10**6), (59.47, 10**9), (0.05, 1000), (1.0, 10**9)]


@pytest.mark.parametrize("width", [4.0, 6.0, 18.0])
@pytest.mark.parametrize("away", [0.0, 2.5, 9.0, 30.0])
@pytest.mark.parametrize(("sigma", "times"), GAUSSIANS)
def test_gaussians_are_enclosed_with_all_that_repeats(sigma, times, away, width):
    """In closed form; epsilons many deviations away, periods of a few."""
    mu = math.sqrt(times) / sigma
    epsilon, tilt = mu * mu / 2 + away * mu, (away + 1) / mu
    ((value, rounding, tail, alias),) = _core.contour.contour_deltas(
        [(_core.dominating_pair("gaussian", [sigma]), times)],
        tilts=(tilt / 4, tilt, 2 * tilt),
        period=width * mu,
        count=40,
        frequency=1.0,
        log_accuracy=36.0,
        epsilons=[epsilon],
    )
    truth = exact.delta(((exact.Step(sigma, 1.0), times),), epsilon, "remove")
    assert truth <= arb(value) + arb(rounding) + arb(tail)
    assert truth >= arb(value) - arb(rounding) - arb(tail) - arb(alias)
    if width == 4 and away > 0:
        assert arb(value) - truth > 10 * (arb(rounding) + arb(tail))


@pytest.mark.parametrize("width", [4.0, 6.0, 18.0])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
@pytest.mark.parametrize(("sigma", "times"), [*GAUSSIANS, (0.08, 1), (2.0, 900)])
def test_between_the_poles_it_is_what_gaussians_leave_of_1(sigma, times, share, width):
    """In closed form, however little that is; epsilon is a share of the mean loss."""
    mu = math.sqrt(times) / sigma
    epsilon, tilt = share * mu * mu / 2, (share - 1) / 2
    ((value, rounding, tail, alias),) = _core.contour.contour_deltas(
        [(_core.dominating_pair("gaussian", [sigma]), times)],
        tilts=(tilt - 0.4, tilt, tilt / 4),
        period=width * max(mu, 10.0),
        count=40 if mu > 1 else 40_000,
        frequency=1.0,
        log_accuracy=36.0,
        epsilons=[epsilon],
    )
    mu, root = arb(times).sqrt() / arb(sigma), arb(2).sqrt()
    low, high = arb(epsilon) / mu - mu / 2, arb(epsilon) / mu + mu / 2
    truth = ((-low / root).erfc() + arb(epsilon).exp() * (high / root).erfc()) / 2
    assert truth <= arb(value) + arb(rounding) + arb(tail)
    assert truth >= arb(value) - arb(rounding) - arb(tail) - arb(alias)
    if width == 18 and 10 < mu < 100:
        assert arb(rounding) + arb(tail) + arb(alias) <= 1e-4 * truth
