# SPDX-License-Identifier: Apache-2.0
"""The transform of a log-normal variable, against integrals in ball arithmetic."""

import cmath
import itertools
import math
import random

import pytest
from flint import acb, arb, ctx

from hockeystick import _core

MUS = (0.01, 0.125, 0.5, 0.7, 1.0, 1.3, 2.0, 3.3)


def truth(mu, s):
    """E [e^(-z) - 1 + z], z = s (Y - 1), on the line x = v - i y, where z turns by mu y <= pi / 8.

    There |e^-z - 1 + z| <= e^Re s + 1 + |s| (|Y| + 1) and |Y| raises the mean of v by mu: what is
    beyond the ends is in the radius.
    """
    with ctx.workprec(160):
        mu, s = arb(mu), acb(s.real, s.imag)
        down = acb(0, -min(arb.pi() / (8 * mu), arb(1)))

        def integrand(v, _):
            x = v + down
            z = s * ((mu * x - mu * mu / 2).exp() - 1)
            return ((-z).exp() - 1 + z) * (-x * x / 2).exp()

        ends = [-20, -10, -5, 0, 5, 10, 20 + 2 * mu]
        total = sum((acb.integral(integrand, a, b) for a, b in itertools.pairwise(ends)), acb(0))
        total /= (2 * arb.pi()).sqrt()
        size = (s.real.exp() + 1 + abs(s)) * (down.imag**2 / 2).exp()
        bound = 2 * size * (20 / arb(2).sqrt()).erfc()
        return total + acb(arb(0, bound), arb(0, bound))


def draws(number):
    rng = random.Random(7)
    for _ in range(number):
        mu = rng.choice(MUS)
        size = 10 ** rng.uniform(-4, 1.7)
        angle = rng.choice([0, math.pi / 2 * rng.random(), math.pi / 2 * (1 - 1e-6)])
        s = cmath.rect(size, angle)
        yield mu, complex(min(max(s.real, 1e-6), 20), s.imag)


@pytest.mark.parametrize(("mu", "s"), list(draws(24)))
def test_the_stated_error_holds(mu, s):
    value, error = _core.sampling.lognormal_transform(mu, s)
    with ctx.workprec(160):
        assert abs(truth(mu, s) - acb(value.real, value.imag)) < arb(error)
    assert error <= 1e-11 * max(1, abs(value)) * math.exp(max(0, s.real))


@pytest.mark.parametrize("mu", MUS)
def test_a_moment_is_bounded_from_above(mu):
    for c in (1e-5, 0.3, 1.0, 1.0000001, 30.0):
        above = _core.sampling.log_moment_above(mu, c)
        with ctx.workprec(160):
            exact = (1 + truth(mu, complex(c, 0)).real).log()
            assert exact < arb(above)
            loose = 1e-13 * math.exp(c) if c > 1 else 0  # absolute there
            assert arb(above) < exact + 1e-11 * abs(exact) + 1e-12 * min(1, c * c) + loose


def test_where_nearly_all_cancels_the_error_is_relative():
    value, error = _core.sampling.lognormal_transform(1.0, 1e-6 + 1e-6j)
    assert error < 1e-12 * abs(value)
