# SPDX-License-Identifier: Apache-2.0
"""The curve of a random allocation: its series against integrals in ball arithmetic."""

import cmath
import itertools
import math
import random

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick import _core


def normal(x):
    return (
        (-x / arb(2).sqrt()).erfc() / 2 if isinstance(x, arb) else (-x / acb(2).sqrt()).erfc() / 2
    )


def put_of_one(mu, k):
    """E (k - Y)_+ for one log-normal Y of mean 1; k a ball with positive real part."""
    x = k.log() / mu
    return k * normal(x + mu / 2) - normal(x - mu / 2)


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
        left = k * (30 / arb(2).sqrt()).erfc() + rest * normal(rest.log() / mu + mu / 2)
        return (total + arb(left / 2, left / 2)) / 2


def enclosed(mu, t, d, accuracy=1e-13):
    found = _core.sampling.allocation_put(mu, t, (min(d / 2, d), max(d / 2, d)), accuracy, [d])
    return found[0]


@pytest.mark.parametrize("mu", [0.3, 0.5, 0.8, 1.0])
def test_two_steps_enclose_the_integral(mu):
    rng = random.Random(mu)
    deviation = math.sqrt(2 * math.expm1(mu * mu))
    for _ in range(6):
        d = rng.choice([rng.uniform(-1.4, -0.05), rng.uniform(0.1, 4) * deviation])
        lower, upper = enclosed(mu, 2, d)
        with ctx.workprec(120):
            truth = put_of_two(mu, arb(2) + arb(d))
            assert truth.rad() < 1e-25
            assert arb(lower) <= truth <= arb(upper)
        assert lower <= upper < lower + 1e-9


@pytest.mark.parametrize(
    ("mu", "t"), [(0.5, 3), (1.0, 100), (1.0, 1000), (0.25, 10**6), (1.5, 10**4)]
)
def test_lines_agree(mu, t):
    """Other ranges and accuracies take other lines, periods and samples."""
    deviation = math.sqrt(t * math.expm1(mu * mu))
    for d in (
        -min(deviation, 0.4 * t),
        -0.1 * deviation,
        0.5 * deviation,
        3 * deviation,
        9 * deviation,
    ):
        sign = math.copysign(1, d)
        found = []
        for near, far, accuracy in (
            (0.5, 1, 1e-13),
            (0.9, 1.5, 1e-10),
            (0.2, 3, 1e-7),
            (1, 1.01, 1e-15),
        ):
            far = min(far, 0.95 * t / abs(d)) if sign < 0 else far  # noqa: PLW2901
            ends = sorted((near * d, max(far, 1) * d))
            (bounds,) = _core.sampling.allocation_put(mu, t, tuple(ends), accuracy, [d])
            found.append(bounds)
        lowest, highest = max(low for low, _ in found), min(high for _, high in found)
        assert lowest <= highest, (mu, t, d, found)
        assert found[0][1] - found[0][0] < 1e-9 * max(1, abs(d) / t)


@pytest.mark.parametrize("noise", [2.0, 5.0])
def test_points_of_the_curve_enclose_the_integral(noise):
    """Over all blocks of K, and for every mu within 4 u."""
    interval, mu = 0.02, 1 / noise
    alpha, lower, upper = _core.sampling.allocation_curve(mu, 2, interval, 1e-9)
    for k in range(3, len(alpha), len(alpha) // 12):
        for off in (-(2.0**-52), 2.0**-52):
            with ctx.workprec(200):
                put = put_of_two(arb(mu) * (1 + arb(off)), 2 * arb(alpha[k]))
                assert arb(lower[k]) < put + 1 - arb(alpha[k]) < arb(upper[k])
        assert upper[k] - lower[k] < 1e-9
    assert upper[-1] < 1e-8
    # Kinks lie on one lattice.
    for kinks, spacing in ((alpha[::4], interval), (alpha[::2], interval / 2)):
        losses = [math.log(a) / spacing for a in kinks]
        assert max(abs(x - round(x)) for x in losses) < 1e-9


# From independent programs: importance sampling and convolution in convex order agree with these.
KNOWN = {
    (1.0, 1000, 1e-6): (0.1717286845, 0.149431),
    (1.0, 100, 1e-6): (0.8579859765, 0.486425),
    (2.0, 1000, 1e-6): (0.0592315, 0.0588768),
    (4.0, 2, 1e-6): (0.741258, 0.734618),
    (1.0, 10**9, 1e-6): (6.56689e-5, 6.56657e-5),
}


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_known_answers_are_enclosed(case):
    noise, steps, delta = case
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    for adjacency, known in zip(("remove-one", "add-one"), KNOWN[case], strict=True):
        lower, upper = epoch.epsilon_bounds(delta, adjacency=adjacency)
        assert lower <= known * (1 + 2e-5)
        assert upper >= known * (1 - 2e-5)
        assert upper <= lower * 1.001


def test_a_record_that_keeps_its_place_sees_less_noise():
    kept = hs.Gaussian(noise_multiplier=2.0).random_allocation(steps=100, epochs=4)
    single = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100)
    for epsilon in (0.1, 0.5, 1.0):
        a, b = kept.delta_bounds(epsilon), single.delta_bounds(epsilon)
        assert a.lower <= b.upper
        assert b.lower <= a.upper


def test_curves_fall_with_steps_and_noise():
    def epsilon(noise, steps):
        return (
            hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps).epsilon_bounds(1e-5)
        )

    for noise, steps in ((1.0, 200), (2.0, 20), (4.0, 3)):
        assert epsilon(noise, 2 * steps).upper < epsilon(noise, steps).lower
        assert epsilon(1.2 * noise, steps).upper < epsilon(noise, steps).lower


@pytest.mark.parametrize(("noise", "steps"), [(1000.0, 2), (100.0, 33), (30.0, 5)])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
def test_much_noise_and_few_steps_are_answered(noise, steps, adjacency):
    """The loss is nearly that of a Gaussian of noise sqrt(steps) times as large."""
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    wide = hs.Gaussian(noise_multiplier=noise * steps**0.5)
    bounds = epoch.epsilon_bounds(1e-6, adjacency=adjacency)
    assert abs(bounds.lower / wide.epsilon(1e-6) - 1) < 5 / noise


U = 2.0**-53
SERIES = [  # mu, t, range of K - t, accuracy
    (1.0, 3.0, (0.5, 2.0), 1e-6),
    (1.0, 100.0, (10.0, 20.0), 1e-13),
    (0.25, 1e6, (250.0, 500.0), 1e-13),
    (0.5, 30.0, (-8.0, -4.0), 1e-13),
    (0.05, 1e6, (30.0, 300.0), 1e-3),
]
series = pytest.mark.parametrize(("mu", "t", "ends", "accuracy"), SERIES)


def samples(mu, t, booked):
    """Samples of the transform in their unit, at most how large, and what their log is off by."""
    for j in range(booked["samples"]):
        s = complex(booked["lambda"], booked["spacing"] * j)
        g, error = _core.sampling.lognormal_transform(mu, s)[:2]
        modulus, logarithm = abs(1 + g), cmath.log(1 + g)
        off = error / modulus + 32 * U * min(abs(g), 2) * (1 + 1 / modulus**2)
        size = abs(t * logarithm.real) + abs(t * logarithm.imag) + booked["log_unit"] + 8
        wrong = t * off * 1.01 + 8 * U * size
        weight = (2 if j else 1) / abs(s) ** 2
        if off < 0.01 and wrong < 1:
            value = cmath.exp(t * logarithm - booked["log_unit"]) / s**2 * (2 if j else 1)
            yield value, abs(value), math.expm1(wrong) + 24 * U
        else:
            most = math.exp(t * math.log(modulus + error) - booked["log_unit"]) * weight
            yield 0, most, 1.01


def sums_of_blocks(values, turn):
    """Sums of the sizes of all partial sums of blocks of 8."""
    total = sizes = 0.0
    for start in range(0, len(values), 8):
        part = enumerate(values[start : start + 8], start)
        total += sum((value * cmath.exp(1j * turn * j)).real for j, value in part)
        sizes += abs(total)
    return sizes


@series
def test_the_rounding_of_samples_is_the_formula(mu, t, ends, accuracy):
    booked = _core.sampling.allocation_booked(mu, t, ends, accuracy)
    terms = list(samples(mu, t, booked))
    most = [size for _, size, _ in terms]
    rounding = sum(size * wrong for _, size, wrong in terms)
    assert booked["rounding"] == pytest.approx(rounding, rel=1e-6, abs=0)
    assert booked["size"] == pytest.approx(1.5 * sum(most), rel=1e-9)
    turning = sum(j * size for j, size in enumerate(most))
    assert booked["turning"] == pytest.approx(turning, rel=1e-9)


@series
def test_samples_left_out_are_the_formula(mu, t, ends, accuracy):
    """At the best of many angles, next to which the code's guess lies."""
    booked = _core.sampling.allocation_booked(mu, t, ends, accuracy)
    lam, count, period = booked["lambda"], booked["samples"], booked["period"]
    omega = booked["spacing"] * count

    def at(theta):
        cut, fall = lam * (1 - math.cos(theta)), omega * math.sin(theta)
        moment = _core.sampling.log_moment_above(mu, lam * math.cos(theta) + fall)
        return t * ((theta / mu) ** 2 / 2 + cut - fall + moment)

    least = min(at(1.5 * 10 ** (-k / 100)) for k in range(600)) - booked["log_unit"]
    tail = math.exp(least) * period**2 / (2 * math.pi**2 * (count - 1))
    assert 0.99 * tail < booked["tail"] < 1.2 * tail


@series
def test_the_width_is_the_formula(mu, t, ends, accuracy):
    """Rounding and tail twice, and both aliases once."""
    booked = _core.sampling.allocation_booked(mu, t, ends, accuracy)
    deviation = math.sqrt(t * math.expm1(mu * mu))
    lam, period, chernoff = booked["lambda"], booked["period"], booked["chernoff"]
    values = [value for value, _, _ in samples(mu, t, booked)]
    for d in ends:
        turn = booked["spacing"] * d
        turned = booked["turning"] * 3 * abs(turn) + booked["size"] * 8 * 10
        sums = booked["size"] * (8 + 16 + 8 * (lam * abs(d) + booked["log_unit"]))
        rounding = booked["rounding"] + (turned + sums + sums_of_blocks(values, turn)) * U
        scale = math.exp(lam * d + booked["log_unit"]) / period
        error = scale * (rounding + booked["tail"])
        q = math.exp(-lam * period)
        above = q / (1 - q) * (deviation / 2 + max(0.0, d)) + period * q / (1 - q) ** 2
        below = 0.0
        if t + d > period:
            fall = (chernoff - lam) * period
            exponent = chernoff * d + booked["log_chernoff"] - 1 - math.log(chernoff)
            below = math.exp(exponent - fall) / -math.expm1(-fall)
        ((lower, upper),) = _core.sampling.allocation_put(mu, t, ends, accuracy, [d])
        width = (2 * error + above + below) / t
        assert upper - lower == pytest.approx(width, rel=1e-6, abs=U / 2)


@pytest.mark.parametrize("t", [2650.0, 2750.0])
def test_far_below_the_mean_the_exponent_of_chernoffs_bound_is_rounded_up(t):
    mu, d = 0.5, -0.3 * t
    booked = _core.sampling.allocation_booked(mu, t, (d, d), 1e-13)
    ((lower, upper),) = _core.sampling.allocation_put(mu, t, (d, d), 1e-13, [d])
    with ctx.workprec(120):
        lam = arb(booked["lambda"])
        moment = arb(t) * arb(_core.sampling.log_moment_above(mu, booked["lambda"]))
        exponent, size = lam * d + moment - 1 - lam.log(), -lam * d + moment + 8
        assert -690 < exponent < -600
        assert 14 * size * U < (arb(upper) * t).log() - exponent < 18 * size * U
    assert lower == 0


def test_points_below_the_mean_are_moved_outward():
    """By 2 u of mu, and 8 u of K / t - 1."""
    mu, t, interval, tail = 1.0, 4.0, 0.02, 1e-9
    alpha, lower, upper = _core.sampling.allocation_curve(mu, t, interval, tail)
    spread = math.sqrt(math.expm1(mu * mu) / t)
    ends = (-min(spread, 0.5) * t, 0.0)
    places = [k for k, a in enumerate(alpha) if 0.51 < a < 0.6]
    at = [t * (alpha[k] - 1) for k in places]
    found = _core.sampling.allocation_at(mu, t, ends, tail / 64, at)
    for k, (low, high) in zip(places, found, strict=True):
        with ctx.workprec(120):
            line = 1 - arb(alpha[k])
            margin = 2 * U * mu + 8 * U * (line + 1e-4)
            assert 0.7 * margin < arb(upper[k]) - high - line < 1.3 * margin
            assert 0.7 * margin < arb(low) + line - arb(lower[k]) < 1.3 * margin
