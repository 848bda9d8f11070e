# SPDX-License-Identifier: Apache-2.0
"""Distribution functions of sums of log-normal variables, against ball arithmetic."""

import cmath
import itertools
import math

import pytest
from flint import acb, arb, ctx

from hockeystick import _core


def bounds(mu, parts, to, accuracy, at):
    return _core.sampling.lognormal_sum(mu, parts, to, accuracy, at)[0]


def normal(x):
    kind = arb if isinstance(x, arb) else acb
    return (-x / kind(2).sqrt()).erfc() / 2


def up_to(mu, scale, k):
    """P(scale * Y <= k) for one log-normal Y of mean 1; k a ball with positive real part."""
    return normal((k / scale).log() / mu + mu / 2)


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


@pytest.mark.parametrize(
    ("mu", "parts"),
    [
        (1.0, [(1, 100)]),
        (1.0, [(1, 96), (math.e, 4)]),
        (0.5, [(1, 10**9)]),
        (0.01, [(1, 30), (1.0001, 3)]),
        (1e-3, [(1, 10**12)]),
        (1.5, [(1, 7), (9.4, 5)]),
    ],
    ids=str,
)
def test_lines_agree(mu, parts):
    """Other ranges and accuracies take other lines, periods and samples."""
    spread = math.sqrt(sum(n * a * a for a, n in parts) * math.expm1(mu * mu))
    for d in (-3 * spread, -0.5 * spread, 0.0, 0.7 * spread, 3 * spread, 12 * spread):
        ranges = [(max(d, spread / 4), 1e-13), (2 * spread, 1e-6), (40 * spread, 1e-3)]
        found = [bounds(mu, parts, to, accuracy, [d])[0] for to, accuracy in ranges if d <= to]
        assert max(low for low, _ in found) <= min(high for _, high in found)
        assert found[0][1] - found[0][0] < 1e-6


def test_sums_whose_samples_leave_the_range_are_not_known():
    ((lower, upper),) = bounds(5.0, [(1, 2)], 1e6, 1e-10, [1e3])
    assert (lower, upper) == (0, 1)


U = 2.0**-53


def sample(mu, parts, s):
    """What the transform's error, a s, logarithms and turns make of log g(s), and log |g(s)|.

    Where the error is not known, it is all of the size, which is then from above.
    """
    variance = math.expm1(mu * mu)
    size = most = wrong = 0.0
    is_known = True
    for scale, count in parts:
        z = scale * s
        g, off_transform = _core.sampling.lognormal_transform(mu, z)[:2]
        error = off_transform + 2 * U * abs(z) ** 2 * math.exp(z.real) * variance
        modulus, logarithm = abs(1 + g), cmath.log(1 + g)
        off = error / modulus + 32 * U * min(abs(g), 2) * (1 + 1 / modulus**2)
        wrong += count * off * 1.01
        wrong += 8 * U * (count * (abs(logarithm.real) + abs(logarithm.imag)) + 8)
        is_known = is_known and off < 0.01
        size += count * logarithm.real
        most += count * math.log(modulus + error)
    return (wrong, size) if is_known and wrong < 1 else (None, most)


SERIES = [  # mu, parts, the largest d, accuracy
    (1.0, [(1.0, 1.0)], 3.0, 1e-8),
    (0.3, [(1.0, 2.0)], 1.0, 1e-13),
    (0.8, [(1.0, 3.0), (1.9, 2.0)], 4.0, 1e-10),
    (0.05, [(1.0, 1e6)], 60.0, 1e-3),
    (0.5, [(1.0, 30.0)], 20.0, 1e-13),
]
series = pytest.mark.parametrize(("mu", "parts", "to", "accuracy"), SERIES)


@series
def test_the_rounding_of_samples_is_the_formula(mu, parts, to, accuracy):
    booked = _core.sampling.lognormal_sum_booked(mu, parts, to, accuracy)
    rounding = size = turning = 0.0
    for j in range(booked["samples"]):
        s = complex(booked["lambda"], booked["spacing"] * j)
        wrong, log_size = sample(mu, parts, s)
        most = math.exp(log_size) * (2 if j else 1) / abs(s)
        rounding += most * (math.expm1(wrong) + 24 * U if wrong is not None else 1.01)
        size, turning = size + 1.5 * most, turning + most * j
    assert booked["rounding"] == pytest.approx(rounding, rel=1e-6, abs=0)
    assert booked["size"] == pytest.approx(size, rel=1e-9)
    assert booked["turning"] == pytest.approx(turning, rel=1e-9)


def log_left_out(booked, mu, parts, theta):
    """The log of the bound, on the line of an angle, of the samples left out; inf if none."""
    lam, omega = booked["lambda"], booked["spacing"] * booked["samples"]
    rise, fall, down = (theta / mu) ** 2 / 2, omega * math.sin(theta), lam * math.cos(theta)
    c, total, power = down + fall, 0.0, 0.0
    for scale, count in parts:
        moment = _core.sampling.log_moment_above(mu, scale * c)
        total += count * (rise + scale * (lam - down - fall) + moment)
        least = scale * c - moment
        power += count * least / 2 / math.log(2 * scale * c / least) if least > 0 else 0
    if power <= 1.01:
        return math.inf
    rest = 1 + c / (booked["spacing"] * math.sin(theta) * (power - 1))
    return total + math.log(2 / omega * rest)


@series
def test_samples_left_out_are_the_formula(mu, parts, to, accuracy):
    """At the best of 400 angles, to which the code's search comes close."""
    booked = _core.sampling.lognormal_sum_booked(mu, parts, to, accuracy)
    highest = min(1.5, booked["spacing"] * booked["samples"] * mu * mu * 2)
    least = min(log_left_out(booked, mu, parts, highest * k / 400) for k in range(1, 400))
    assert math.log(booked["tail"]) == pytest.approx(least, abs=0.03)


@series
def test_the_width_is_the_formula(mu, parts, to, accuracy):
    """Rounding and tail twice, and both aliases once."""
    booked = _core.sampling.lognormal_sum_booked(mu, parts, to, accuracy)
    lam, period, chernoff = booked["lambda"], booked["period"], booked["chernoff"]
    blocks = booked["samples"] // 32 + 32
    for d in (0.1 * to, 0.5 * to, to):
        turned = booked["turning"] * (4 * booked["spacing"] * d + 16) * U
        sums = booked["size"] * (blocks + 16 + 8 * lam * d) * U
        error = math.exp(lam * d) / period * (booked["rounding"] + booked["tail"] + turned + sums)
        below = 0.0
        if sum(scale * count for scale, count in parts) + d > period:
            fall = (chernoff - lam) * period
            below = math.exp(chernoff * d + booked["log_chernoff"] - fall) / -math.expm1(-fall)
        ((lower, upper),) = bounds(mu, parts, to, accuracy, [d])
        width = 2 * error + 1 / math.expm1(lam * period) + below
        if lower > 0 and upper < 1:
            assert upper - lower == pytest.approx(width, rel=1e-6, abs=4 * U)
