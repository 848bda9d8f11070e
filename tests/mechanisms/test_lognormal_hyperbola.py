# SPDX-License-Identifier: Apache-2.0
"""The contour that bends to the left, against integrals in ball arithmetic and vertical lines."""

import cmath
import math
import random

import pytest
from flint import acb, arb, ctx

from exact.balls import normal_tail
from hockeystick import _core
from mechanisms.test_lognormal_series import put, put_of_two


def call(mu, t, d, accuracy, wide=1.2):
    (bounds,) = contour(mu, t, (d / wide, d * wide), accuracy, [d])[0]
    return bounds[0] / t, bounds[1] / t


def contour(mu, t, ends, accuracy, at):
    """Bounds of E (S - K)_+ of t copies, samples, and the rule; an accuracy of 1 is t."""
    return _core.sampling.lognormal_hyperbola(mu, [(1, t)], True, ends, accuracy * t, at)


@pytest.mark.every(2)
@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("accuracy", [1e-7, 1e-10, 1e-18])
def test_two_steps_enclose_the_integral(mu, accuracy):
    """Where accuracy is fine, rounding alone parts the ends; where it is coarse, the rule."""
    rng = random.Random(mu)
    deviation = math.sqrt(2 * math.expm1(mu * mu))
    for _ in range(3):
        d = deviation * 10 ** rng.uniform(0.7, 1.5)
        lower, upper = call(mu, 2, d, accuracy)
        with ctx.workprec(200):
            truth = put_of_two(mu, arb(2) + arb(d)) - arb(d) / 2
            assert truth.rad() < 1e-22
            assert arb(lower) < truth < arb(upper)
        assert upper - lower < 1e-12 + accuracy * 2


@pytest.mark.parametrize(
    ("mu", "t", "deviations"),
    [
        (0.6, 20, 6),
        (0.8, 1000, 7),
        (1.0, 3, 8),
        (1.0, 1000, 7),
        (1.25, 10**4, 20),
        (1.6, 10**6, 25),
    ],
)
def test_the_vertical_line_agrees(mu, t, deviations):
    d = deviations * math.sqrt(t * math.expm1(mu * mu))
    low, high = put(mu, t, (d / 1.2, d * 1.2), 1e-14, d)
    for accuracy in (1e-9, 1e-12, 1e-15):
        for wide in (1.02, 2):
            lower, upper = call(mu, t, d, accuracy, wide)
            assert lower <= (high - d) / t + 1e-15
            assert upper >= (low - d) / t - 1e-15
            assert upper - lower < 2 * accuracy + 1e-12


def test_it_is_not_built_where_it_would_take_many_nodes():
    for mu, t, d in ((1.0, 10**6, 3.0), (0.01, 5, 0.1)):
        assert contour(mu, t, (d, 1.1 * d), 1e-12, [d])[:2] == ([], 0)


def shape(mu, t, d, accuracy):
    """The rule, and what a point of a hyperbola and its derivative are."""
    names = ("samples", "m", "alpha", "width", "step", "moduli", "left_out")
    return dict(zip(names, contour(mu, t, (d, d), accuracy, [])[1:], strict=True))


def moment(mu, s):
    """G(s) = E e^(-s (Y - 1)) - 1 for log-normal Y of mean 1, turned to where e^(-s Y) falls."""
    turn = s.arg() / 2

    def integrand(x, _):
        y = (mu * (x - acb(0, 1) * turn / mu) - arb(mu) ** 2 / 2).exp()
        density = (-((x - acb(0, 1) * turn / mu) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()
        return density * (-s * y).exp()

    whole = acb.integral(integrand, -16, 16, rel_tol=arb(2) ** -60, abs_tol=arb(2) ** -80)
    return whole * s.exp() - 1


def points(m, alpha, ats):
    for at in ats:
        z = acb(-arb(alpha), at)
        yield m * (1 + z.sin()), m * acb(0, 1) * z.cos()


def modulus(mu, t, d, m, alpha):
    """The integral of |f s'| / 2 pi, by a sum that is below it but for what its step leaves."""
    step, total = 0.25, arb(0)
    for s, tangent in points(m, alpha, [step * (k + 0.5) for k in range(16)]):
        power = (1 + moment(mu, s)) ** t - 1
        total += 2 * step * abs((s * d).exp() * power / (s * s) * tangent) / (2 * arb.pi())
    return total


# Of the first three the inner edge costs nearly all, of the others the outer one.
RULES = [
    (1.0, 3, 12.0, 1e-6),
    (0.5, 2, 4.0, 1e-7),
    (1.0, 100, 60.0, 1e-7),
    (0.6, 88, 12.18, 2.4e-5),
    (1.195, 588, 49.7, 1.3e-4),
]


@pytest.mark.parametrize(("mu", "t", "d", "accuracy"), RULES)
def test_the_rule_is_off_by_the_moduli_of_both_edges(mu, t, d, accuracy):
    """Each at least the integral; no more is left out but samples beyond the last."""
    rule = shape(mu, t, d, accuracy)
    with ctx.workprec(90):
        edges = (rule["alpha"] - rule["width"], rule["alpha"] + rule["width"])
        for found, alpha in zip(rule["moduli"], edges, strict=True):
            truth = modulus(mu, t, d, rule["m"], alpha)
            assert 0.98 * truth < found < math.inf
        both = sum(map(arb, rule["moduli"]))
        formula = both / ((2 * arb.pi() * rule["width"] / rule["step"]).exp() - 1)
        beyond = accuracy * t / 4
        assert formula <= rule["left_out"] * (1 + arb("1e-9"))
        assert rule["left_out"] <= formula * (1 + arb("1e-6")) + beyond
        ((lower, upper),) = contour(mu, t, (d, d), accuracy, [d])[0]
        assert (upper - lower) / 2 >= rule["left_out"]


@pytest.mark.parametrize(("mu", "t"), [(0.5, 10), (1.0, 100), (1.5, 7)])
@pytest.mark.parametrize("turned", [0.0, 1.2, 2.3])
def test_small_s_costs_three_moments(mu, t, turned):
    """The variance, the third absolute moment, and half the square of the modulus."""
    for size in (1e-3, 0.05, 1.0):
        a = 0.9 * size * complex(math.cos(turned), math.sin(turned))
        b = size * complex(math.cos(turned + 0.1), math.sin(turned + 0.1))
        found = _core.sampling.log_power_near_zero(mu, t, a, b, size)
        square = arb(mu) ** 2
        variance, third = square.exp() - 1, (3 * square).exp() + 3 * square.exp() + 4
        y = max(0.0, turned + 0.1 - math.pi / 2) / arb(mu)
        rest = third / 6 * (y * y / 2 + max(0.0, a.real)).exp() * arb(size) ** 3
        most = variance / 2 * arb(size) ** 2 + rest
        re = max(arb(a.real) ** 2, arb(b.real) ** 2) - arb(a.imag) ** 2
        formula = t * (variance / 2 * re + rest + most**2 / 2)
        assert abs(found - formula) < arb("1e-6") * t * (variance * arb(size) ** 2 + rest)


def rounding_of_samples(mu, t, d, rule):
    """What the page books for each sample, with what the sum states of g."""
    unit, total = 2.0**-53, 0.0
    m, alpha, step = rule["m"], rule["alpha"], rule["step"]
    for k in range(rule["samples"]):
        at = (k + 0.5) * step
        s = m * (1 - math.sin(alpha) * math.cosh(at) + 1j * math.cos(alpha) * math.sinh(at))
        tangent = m * (-math.sin(alpha) * math.sinh(at) + 1j * math.cos(alpha) * math.cosh(at))
        moved = unit * m * (6 + at + (14 + at) * math.sinh(at))
        log_size, turn, wrong, _ = _core.sampling.lognormal_power(mu, [(1, t)], s, moved)
        power = complex(log_size, turn)
        angle, most = abs(power.real) + abs(power.imag), math.exp(power.real)
        grown_off = most * math.expm1(wrong) + 24 * unit * angle * max(1.0, most)
        grown, weight = abs(cmath.exp(power) - 1), abs(tangent / s**2) * step / math.pi
        booked = grown_off + (40 * unit + 3 * moved / abs(s)) * grown + d * moved * grown
        total += math.exp(s.real * d) * weight * booked
    return total


@pytest.mark.parametrize(("mu", "t", "d"), [(1.0, 10**4, 1200.0), (0.7, 10**5, 2500.0)])
def test_rounding_is_that_of_all_samples(mu, t, d):
    """Where nothing that is left out shows; sums of samples add a few u to each."""
    rule = shape(mu, t, d, 1e-18)
    ((lower, upper),) = contour(mu, t, (d, d), 1e-18, [d])[0]
    error = (upper - lower) / 2 - rule["left_out"]
    formula = rounding_of_samples(mu, t, d, rule)
    assert formula < error < 1.1 * formula


@pytest.mark.parametrize("parts", [[(1, 2)], [(1, 1), (math.exp(0.64), 1)], [(1, 300), (2.0, 4)]])
@pytest.mark.parametrize("mu", [0.5, 0.8, 1.5])
@pytest.mark.parametrize("accuracy", [1e-6, 1e-14])
def test_probabilities_of_sums_agree_with_vertical_lines(mu, parts, accuracy):
    deviation = math.sqrt(sum(n * a * a for a, n in parts) * math.expm1(mu * mu))
    ends, at = (2 * deviation, 8 * deviation), [k * deviation for k in (2, 3.5, 8)]
    above = _core.sampling.lognormal_hyperbola(mu, parts, False, ends, accuracy, at)[0]
    known = _core.sampling.lognormal_series(mu, parts, False, ends, 1e-13, at)[0]
    for (lower, upper), (least, most) in zip(above, known, strict=True):
        assert lower <= 1 - least + 1e-16
        assert upper >= 1 - most - 1e-16
        assert upper - lower < 2 * accuracy + 1e-12


@pytest.mark.parametrize("accuracy", [1e-4, 1e-9, 1e-15])
def test_one_variable_exceeds_k_as_its_normal_variable_does(accuracy):
    mu, at = 1.0, [4.0, 9.0, 31.0]
    found = _core.sampling.lognormal_hyperbola(mu, [(1, 1)], False, (4.0, 32.0), accuracy, at)[0]
    for (lower, upper), d in zip(found, at, strict=True):
        with ctx.workprec(120):
            truth = normal_tail((1 + arb(d)).log() + arb(mu) / 2)
            assert arb(lower) < truth < arb(upper)
