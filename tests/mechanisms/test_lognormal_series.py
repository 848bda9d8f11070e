# SPDX-License-Identifier: Apache-2.0
"""Sums of log-normal variables by series, against integrals in ball arithmetic."""

import cmath
import itertools
import math
import random

import pytest
from flint import acb, arb, ctx

from exact.balls import normal_tail
from hockeystick import _core


def bounds(mu, parts, to, accuracy, at):
    """Of P(S - E S <= d) at each d."""
    return _core.sampling.lognormal_series(mu, parts, False, (0, to), accuracy, at)[0]


def put(mu, t, ends, accuracy, d):
    """Of E (t + d - S)_+, S a sum of t copies of Y; an accuracy of 1 is t."""
    return _core.sampling.lognormal_series(mu, [(1, t)], True, ends, accuracy * t, [d])[0][0]


def up_to(mu, scale, k):
    """P(scale * Y <= k) for one log-normal Y of mean 1; k a ball with positive real part."""
    return normal_tail(-(k / scale).log() / mu - mu / 2)


def truth_of_two(mu, scale, d):
    """P(Y_1 + scale * Y_2 <= 1 + scale + d); what is beyond 30 deviations is in the radius."""
    with ctx.workprec(120):
        mu, scale, k = arb(mu), arb(scale), arb(1) + arb(scale) + arb(d)
        top = k.log() / mu + mu / 2

        def integrand(x, analytic):
            rest = k - (mu * x - mu * mu / 2).exp()
            if analytic and not rest.real > 0:
                return acb("nan")
            return up_to(mu, scale, rest) * (-x * x / 2).exp()

        ends = sorted([arb(-30), arb(-6), top - 2, top - arb(2) ** -40], key=float)
        total = sum((acb.integral(integrand, a, b) for a, b in itertools.pairwise(ends)), acb(0))
        left = (30 / arb(2).sqrt()).erfc() + arb(2) ** -40
        return total.real / (2 * arb.pi()).sqrt() + arb(left / 2, left / 2)


def put_of_one(mu, k):
    """E (k - Y)_+ for one log-normal Y of mean 1; k a ball with positive real part."""
    x = k.log() / mu
    return k * normal_tail(-x - mu / 2) - normal_tail(mu / 2 - x)


def put_of_two(mu, k):
    """E (K - Y_1 - Y_2)_+ / 2 over Y_1 < K.

    What is beyond 30 deviations is in the radius, and Y_1 next to K, where Y_2 would have to be
    smaller than what is left.
    """
    with ctx.workprec(200):
        mu, k = arb(mu), arb(k)
        top, near = k.log() / mu + mu / 2, arb(2) ** -40

        def integrand(x, analytic):
            y = (mu * x - mu * mu / 2).exp()
            rest = k - y
            if analytic and not rest.real > 0:
                return acb("nan")
            return put_of_one(mu, rest) * (-x * x / 2).exp()

        ends = [arb(-30), arb(-6), top - 2, top - arb(2) ** -8, top - near]
        ends = sorted(ends, key=float)
        total = sum((acb.integral(integrand, a, b) for a, b in itertools.pairwise(ends)), acb(0))
        total = total.real / (2 * arb.pi()).sqrt()
        rest = k * mu * near
        left = k * (30 / arb(2).sqrt()).erfc() + rest * normal_tail(-rest.log() / mu - mu / 2)
        return (total + arb(left / 2, left / 2)) / 2


def is_enclosed(found, truth):
    with ctx.workprec(120):
        lower, upper = map(arb, found)
        return (lower <= truth or truth.overlaps(lower)) and (
            upper >= truth or truth.overlaps(upper)
        )


@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("accuracy", [0.5, 1e-3, 1e-8])
@pytest.mark.parametrize("far", [2, 20])
def test_one_variable_encloses_its_distribution(mu, accuracy, far):
    deviation = math.sqrt(math.expm1(mu * mu))
    at = [-0.5 * min(1, deviation), 0.1 * deviation, deviation, far * deviation]
    for found, d in zip(bounds(mu, [(1, 1)], far * deviation, accuracy, at), at, strict=True):
        with ctx.workprec(120):
            assert is_enclosed(found, up_to(arb(mu), arb(1), 1 + arb(d)))
        assert found[1] - found[0] < max(accuracy, 2e-3)


@pytest.mark.parametrize("mu", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("accuracy", [0.9, 1e-2, 1e-10])
def test_two_variables_enclose_the_integral(mu, is_scaled, accuracy):
    scale = math.exp(mu * mu) if is_scaled else 1.0
    parts = [(1, 1), (scale, 1)] if is_scaled else [(1, 2)]
    deviation = math.sqrt((1 + scale * scale) * math.expm1(mu * mu))
    at = [-0.4 * min(2, deviation), 0.2 * deviation, 1.5 * deviation, 4 * deviation]
    for found, d in zip(bounds(mu, parts, 4 * deviation, accuracy, at), at, strict=True):
        assert is_enclosed(found, truth_of_two(mu, scale, d))
        assert found[1] - found[0] < max(accuracy, 1e-8)


def test_sums_whose_samples_leave_the_range_are_not_known():
    ((lower, upper),) = bounds(5.0, [(1, 2)], 1e6, 1e-10, [1e3])
    assert (lower, upper) == (0, 1)


@pytest.mark.parametrize("mu", [0.3, 0.5, 0.8, 1.0])
def test_put_of_two_variables_encloses_the_integral(mu):
    rng = random.Random(mu)
    deviation = math.sqrt(2 * math.expm1(mu * mu))
    for _ in range(6):
        d = rng.choice([rng.uniform(-1.4, -0.05), rng.uniform(0.1, 4) * deviation])
        lower, upper = put(mu, 2, sorted((d / 2, d)), 1e-13, d)
        with ctx.workprec(120):
            truth = 2 * put_of_two(mu, arb(2) + arb(d))
            assert truth.rad() < 1e-25
            assert arb(lower) <= truth <= arb(upper)
        assert lower <= upper < lower + 2e-9


U = 2.0**-53
ONE = [(1.0, 1.0)]
SERIES = [  # mu, parts, whether of put, the range of K - E S, accuracy
    (1.0, ONE, False, (0.0, 3.0), 1e-8),
    (0.3, [(1.0, 2.0)], False, (0.0, 1.0), 1e-13),
    (0.8, [(1.0, 3.0), (1.9, 2.0)], False, (0.0, 4.0), 1e-10),
    (0.05, [(1.0, 1e6)], False, (0.0, 60.0), 1e-3),
    (0.5, [(1.0, 30.0)], False, (0.0, 20.0), 1e-13),
    (1.0, [(1.0, 3.0)], True, (0.5, 2.0), 3e-6),
    (1.0, [(1.0, 100.0)], True, (10.0, 20.0), 1e-11),
    (0.25, [(1.0, 1e6)], True, (250.0, 500.0), 1e-7),
    (0.5, [(1.0, 30.0)], True, (-8.0, -4.0), 3e-12),
    (0.05, [(1.0, 1e6)], True, (30.0, 300.0), 1e3),
]
series = pytest.mark.parametrize(("mu", "parts", "is_put", "ends", "accuracy"), SERIES)


def booked_of(*asked):
    return _core.sampling.lognormal_series(*asked, [])[2]


def samples(mu, parts, is_put, booked):
    """Samples of the transform in their unit, and how far they are off."""
    for j in range(booked["samples"]):
        s = complex(booked["lambda"], booked["spacing"] * j)
        log_size, turn, wrong, is_known = _core.sampling.lognormal_power(mu, parts, s, 0.0)
        log_g = complex(log_size - booked["log_unit"], turn)
        value = cmath.exp(log_g) * (2 if j else 1) / s ** (2 if is_put else 1)
        off = math.expm1(wrong + 8 * U * (booked["log_unit"] + 8)) + 24 * U if is_known else 1.01
        yield s, value if is_known else 0, abs(value) * off


@series
def test_sums_over_samples_and_their_rounding_are_the_formula(mu, parts, is_put, ends, accuracy):
    """Of each sample, and of its turn and the sum: some ten u and one of each angle."""
    booked = booked_of(mu, parts, is_put, ends, accuracy)
    terms = list(samples(mu, parts, is_put, booked))
    for d in ends:
        _, ((total, error),), _ = _core.sampling.lognormal_series(
            mu, parts, is_put, ends, accuracy, [d]
        )
        formula = sum((value * cmath.exp(1j * s.imag * d)).real for s, value, _ in terms)
        given = sum(off for *_, off in terms)
        assert abs(total - formula) < error
        turned = sum(abs(value) * (16 + s.imag * abs(d)) for s, value, _ in terms) * U
        sums = sum(abs(value) for _, value, _ in terms) * (16 + len(terms)) * U
        assert given + turned < error * (1 + 1e-9) < given + 1.5 * (turned + sums)


def log_left_out(booked, mu, parts, is_put, theta):
    """The log of the bound, on the line of an angle, of the samples left out; inf if none."""
    lam, omega = booked["lambda"], booked["spacing"] * booked["samples"]
    rise, fall, down = (theta / mu) ** 2 / 2, omega * math.sin(theta), lam * math.cos(theta)
    c, total, power = down + fall, -booked["log_unit"], 0.0
    for scale, count in parts:
        moment = _core.sampling.log_moment_above(mu, scale * c)
        total += count * (rise + scale * (lam - down - fall) + moment)
        least = scale * c - moment
        power += count * least / 2 / math.log(2 * scale * c / least) if least > 0 else 0
    if is_put:
        return total + math.log(2 / (booked["spacing"] ** 2 * (booked["samples"] - 1)))
    if power <= 1.01:
        return math.inf
    rest = 1 + c / (booked["spacing"] * math.sin(theta) * (power - 1))
    return total + math.log(2 / omega * rest)


@series
def test_samples_left_out_are_the_formula(mu, parts, is_put, ends, accuracy):
    """At the best of many angles, to which the one of the code comes close."""
    booked = booked_of(mu, parts, is_put, ends, accuracy)
    highest = min(1.5, booked["spacing"] * booked["samples"] * mu * mu * 2)
    angles = (1.5 * 10 ** (-k / 100) if is_put else highest * k / 600 for k in range(1, 600))
    least = min(log_left_out(booked, mu, parts, is_put, angle) for angle in angles)
    assert least - 0.03 < math.log(booked["tail"]) < least + (0.18 if is_put else 0.06)


@series
def test_the_width_is_the_formula(mu, parts, is_put, ends, accuracy):
    """Rounding and tail twice, and both aliases once."""
    booked = booked_of(mu, parts, is_put, ends, accuracy)
    deviation = math.sqrt(sum(n * a * a for a, n in parts) * math.expm1(mu * mu))
    lam, period, chernoff = booked["lambda"], booked["period"], booked["chernoff"]
    for d in (ends[0], ends[1]) if is_put else (0.1 * ends[1], 0.5 * ends[1], ends[1]):
        (found,), ((total, off),), _ = _core.sampling.lognormal_series(
            mu, parts, is_put, ends, accuracy, [d]
        )
        scaled = abs(total) * (16 + 8 * (lam * abs(d) + booked["log_unit"])) * U
        error = math.exp(lam * d + booked["log_unit"]) / period * (off + scaled + booked["tail"])
        q = math.exp(-lam * period)
        above = q / (1 - q)
        if is_put:
            above = above * (deviation / 2 + max(0.0, d)) + period * q / (1 - q) ** 2
        below = 0.0
        if sum(a * n for a, n in parts) + d > period:
            fall = (chernoff - lam) * period
            exponent = chernoff * d + booked["log_chernoff"] - fall
            below = math.exp(exponent) / -math.expm1(-fall) / (chernoff * math.e if is_put else 1)
        lower, upper = found
        if is_put or (lower > 0 and upper < 1):
            rounded = 4 * U * max(1.0, abs(upper))
            assert upper - lower == pytest.approx(2 * error + above + below, rel=1e-6, abs=rounded)


@pytest.mark.parametrize("t", [2650.0, 2750.0])
def test_far_below_the_mean_the_exponent_of_chernoffs_bound_is_rounded_up(t):
    mu, d = 0.5, -0.3 * t
    ((lower, upper),), _, booked = _core.sampling.lognormal_series(
        mu, [(1, t)], True, (d, d), 1e-13 * t, [d]
    )
    with ctx.workprec(120):
        lam = arb(booked["lambda"])
        moment = arb(t) * arb(_core.sampling.log_moment_above(mu, booked["lambda"]))
        exponent, size = lam * d + moment - 1 - lam.log(), -lam * d + moment + 8
        assert -690 < exponent < -600
        assert 14 * size * U < arb(upper).log() - exponent < 18 * size * U
    assert lower == 0
