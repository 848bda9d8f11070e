# SPDX-License-Identifier: Apache-2.0
"""The transform of a log-normal variable, against integrals in ball arithmetic."""

import cmath
import itertools
import math
import random

import pytest
from flint import acb, arb

from hockeystick import _core

pytestmark = pytest.mark.bits(300)

MUS = (0.01, 0.125, 0.5, 0.7, 1.0, 1.3, 2.0, 3.3)
KERNELS = _core.numeric.available_kernels()


def truth(mu, s):
    """E [e^(-z) - 1 + z] and E (Y - 1) (1 - e^-z), z = s (Y - 1), on a line x = v - i y.

    There s Y is turned by mu y to within pi / 2 of the real axis, |e^-z| <= e^r, r = max(Re s, 0),
    and |Y| raises the mean of v by mu: what is beyond the ends is in the radius.
    """
    angle = cmath.phase(s)
    turned = arb.pi() / 8 if angle <= math.pi / 2 else arb(angle / 2)
    mu, s = arb(mu), acb(s.real, s.imag)
    down = acb(0, -(turned / mu) if angle > math.pi / 2 else -min(turned / mu, arb(1)))

    def integrate(function):
        ends = [-24, -10, -5, 0, 5, 10, 24 + 2 * mu]
        parts = (acb.integral(function, a, b) for a, b in itertools.pairwise(ends))
        return sum(parts, acb(0)) / (2 * arb.pi()).sqrt()

    def at(v):
        x = v + down
        y = (mu * x - mu * mu / 2).exp() - 1
        return y, s * y, (-x * x / 2).exp()

    def value(v, _):
        _, z, weight = at(v)
        return ((-z).exp() - 1 + z) * weight

    def slope(v, _):
        y, z, weight = at(v)
        return y * (1 - (-z).exp()) * weight

    r = max(s.real, arb(0))
    tail = (down.imag**2 / 2).exp() * (24 / arb(2).sqrt()).erfc()
    value_left = 2 * (r.exp() + 1 + abs(s)) * tail
    slope_left = 2 * (r.exp() + 1) * (1 + (mu * mu).exp()) * tail
    return [
        integrate(function) + acb(arb(0, left), arb(0, left))
        for function, left in ((value, value_left), (slope, slope_left))
    ]


def draws(number):
    rng = random.Random(7)
    for _ in range(number):
        mu = rng.choice(MUS)
        size = 10 ** rng.uniform(-4, 1.7)
        angle = rng.choice([0, 0.5 * rng.random(), 0.5 * (1 - 1e-6), 0.25])
        if mu > 0.6 and rng.random() < 0.3:
            angle = 0.5 + 0.25 * rng.random()
        s = cmath.rect(size, math.pi * angle)
        yield mu, complex(min(s.real, 20), s.imag), rng.choice(KERNELS)


@pytest.mark.parametrize(("mu", "s", "kernel"), list(draws(40)))
def test_the_stated_errors_hold(mu, s, kernel):
    value, error, slope, slope_error, same = _core.sampling.lognormal_transform(mu, s, kernel)
    assert same
    exact, exact_slope = truth(mu, s)
    assert abs(exact - acb(value.real, value.imag)) < arb(error)
    assert abs(exact_slope - acb(slope.real, slope.imag)) < arb(slope_error)
    assert error <= 1e-10 * max(1, abs(value)) * math.exp(max(0, s.real))
    spread = math.exp(mu * mu) * math.exp(max(0, s.real))
    assert slope_error <= 1e-10 * max(1, abs(slope)) * spread


def test_where_no_line_serves_nothing_is_known():
    for mu, s in ((0.01, -1e-3 + 1j), (1.0, -2 + 1j), (1.0, 1 - 1j), (1.0, 700 + 1j)):
        assert _core.sampling.lognormal_transform(mu, s)[1] == math.inf


@pytest.mark.parametrize("mu", MUS)
def test_a_moment_is_bounded_from_above(mu):
    for c in (1e-5, 0.3, 1.0, 1.0000001, 30.0):
        above = _core.sampling.log_moment_above(mu, c)
        exact = (1 + truth(mu, complex(c, 0))[0].real).log()
        assert exact < arb(above)
        loose = 1e-13 * math.exp(c) if c > 1 else 0  # absolute there
        assert arb(above) < exact + 1e-11 * abs(exact) + 1e-12 * min(1, c * c) + loose


def test_where_nearly_all_cancels_the_error_is_relative():
    for kernel in KERNELS:
        value, error = _core.sampling.lognormal_transform(1.0, 1e-6 + 1e-6j, kernel)[:2]
        assert error < 1e-12 * abs(value)


@pytest.mark.parametrize(("mu", "c"), [(0.01, 400.0), (0.05, 138.0), (0.125, 90.0)])
def test_a_moment_far_below_the_nodes_errors_is_bounded_closely(mu, c):
    """Of e^-c and less, where sums over nodes leave e^-33: within the width of the saddle."""
    above = _core.sampling.log_moment_above(mu, c)
    m = arb(mu)

    def integrand(x, _):
        return (-arb(c) * ((m * x - m * m / 2).exp() - 1) - x * x / 2).exp()

    ends = [-40, -20, -10, -5, 0, 5, 10]
    parts = (acb.integral(integrand, a, b) for a, b in itertools.pairwise(ends))
    total = sum(parts, acb(0)).real / (2 * arb.pi()).sqrt()
    exact = total.log()  # beyond the ends is e^-100 of it
    assert exact < arb(above)
    assert arb(above) < exact + arb(1 + c * mu * mu).log() / 2 + 1e-11 * c


U = 2.0**-53


@pytest.mark.parametrize("mu", MUS)
def test_what_the_line_leaves_out_is_the_formula(mu):
    """The aliases by their bound, the nodes left out by their sums: under twice of these."""
    line = _core.sampling.lognormal_line(mu)
    c, b, d = (arb(line[name]) for name in ("centre", "half_width", "step"))
    strip = 2 * ((c + b) ** 2 / 2).exp() / ((2 * arb.pi() * b / d).exp() - 1)
    assert strip < arb(line["strip"]) < strip * (1 + arb(2) ** -30)

    def size(v, mean):
        return d * ((c * c - (v - mean) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()

    m, lowest = arb(mu), line["lowest"]
    highest = lowest + len(line["y"])  # the first node left out
    left = sum((size((lowest - k) * d, 0) for k in range(1, 60)), arb(0))
    assert left < arb(line["left"]) < 2 * left
    # With |Y - 1| at most |Y| + 1: of squares, the means are moved by mu each.
    right = arb(0)
    for k in range(60):
        v = (highest + k) * d
        right += (m * m).exp() * size(v, 2 * m) + 2 * size(v, m) + size(v, 0)
    assert right < arb(line["right"]) < 2 * right


@pytest.mark.parametrize(("mu", "c"), [(0.01, 1.0000001), (0.125, 33.0), (1.0, 30.0)])
def test_rounding_of_sums_on_the_real_line_is_the_formula(mu, c):
    """Near c = 1 that of the sum is the largest term, where e^-c is left that of its terms."""
    line = _core.sampling.lognormal_line(mu)
    above = _core.sampling.log_moment_above(mu, c)
    terms = [
        arb(size) * (-arb(c) * y).exp() for size, y in zip(line["size"], line["y"], strict=False)
    ]
    total = sum(terms, arb(0)) * (1 + (40 + len(line["y"])) * U)
    total += arb(line["strip"]) + arb(line["left"]) + arb(line["right"]) + 20 * U
    page = c + total.log() + 8 * U * (c + 50)
    assert abs(arb(above) - page) < 8 * U


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("c", [1e-3, 0.3, 1.0])
def test_small_moments_are_raised_by_what_the_transform_states(mu, c):
    value, error = _core.sampling.lognormal_transform(mu, complex(c, 0))[:2]
    above = _core.sampling.log_moment_above(mu, c)
    page = (1 + arb(value.real) + error).log()
    assert 4 * U < arb(above) / page - 1 < 12 * U
    assert error > 100 * U * value.real


@pytest.mark.parametrize(("mu", "c"), [(0.01, 400.0), (0.05, 138.0), (0.125, 90.0)])
def test_the_bound_by_a_tangent_is_rounded_up(mu, c):
    above = _core.sampling.log_moment_above(mu, c)
    m = arb(mu)
    z = c * m * m * (-m * m / 2).exp()
    w = (1 + z).log()
    for _ in range(3):
        w -= (w - z * (-w).exp()) / (1 + w)
    a = c * (-w - m * m / 2).exp()
    line, square = a * (1 + w), (a * m) ** 2 / 2
    rounding = 32 * U * (c + line * (1 + w + m * m) + square)
    assert 0.9 < (arb(above) - (c - line + square)) / rounding < 1.1
