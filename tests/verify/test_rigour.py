# SPDX-License-Identifier: Apache-2.0
"""Places of the second accountant where a guess or a wide ball might have entered a bound."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import acb, arb, ctx

import hockeystick as hs
from hockeystick.adjacency import Direction
from hockeystick.verify import closed, pieces
from hockeystick.verify.atoms import Steps
from hockeystick.verify.laws import MixedLaplace, law


@pytest.mark.parametrize("direction", [Direction.ADD, Direction.REMOVE])
@pytest.mark.parametrize("short", [0.5, 1e-3, 1e-9])
@pytest.mark.parametrize("bits", [60, 130])
def test_a_loss_that_balls_do_not_find(direction, short, bits):
    """Next to the largest, or least, loss of a rare sample, at too few bits: a wide ball."""
    step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(1e-30)
    sign = 1 if direction is Direction.ADD else -1
    at = arb(sign * 1e-30 * (1 - short))
    curves = []
    for working in (bits, 500):
        with ctx.workprec(working):
            curves.append(closed.drawn(law(step, direction))(at))
    assert curves[0].overlaps(curves[1])


def test_a_loss_wider_than_what_tells_losses_apart():
    """The loss may be 1.5, beyond the epsilon of 1, though its middle is below."""
    wide = Steps([(arb(0.5, 1.0), arb(0.25))])
    assert wide(arb(1)).contains(0.25 * -arb(-0.5).expm1())
    assert wide(arb(1)).contains(0)


@pytest.mark.parametrize("imaginary", [0.5, 2.0, 2.9])
@pytest.mark.parametrize("rate", [0.01, 0.3, 0.7])
@pytest.mark.parametrize("removes", [True, False])
def test_the_bound_on_an_ellipse_is_one(imaginary, rate, removes):
    """The argument of the weight is not largest at the top of the ellipse's box."""
    m, c, farthest, a = arb(0.5), arb(1.5), arb(40), arb(1.5)
    pair = MixedLaplace(m, arb(rate), removes)
    bound = pieces._largest(pair, c, farthest, a, imaginary / m)
    for j in range(-4, 5):
        for k in range(-16, 17):
            u = acb(a * m * j / 4, arb(imaginary) * k / 16)
            weight = 1 + arb(rate) * (u.exp() - 1)
            z = acb(c, farthest)
            value = ((u - m) / 2).exp() * ((-u).exp() * weight if removes else acb(1)) / 4
            power = weight**z if removes else weight ** (-z)
            assert abs(value * power) <= bound


def test_many_digits_are_not_called_exact():
    run = hs.Gaussian(noise_multiplier=1.0)
    few, many = (hs.verify(run, delta=1e-5, digits=d, fast=False) for d in (650, 700))
    assert Decimal(few.radius) > 0
    assert abs(Fraction(few.middle) - Fraction(many.middle)) <= Fraction(few.radius) + Fraction(
        many.radius
    )
    exact = hs.verify(hs.ApproximateDP(epsilon=0.5, delta=1e-6), delta=1e-6, fast=False)
    assert exact.radius == "0"
    assert math.isinf(exact.digits)


@pytest.mark.parametrize("rate", [0.0, 2.0**-60, 0.1, 0.25, 0.4375, 0.9375, 0.99, 1.0])
def test_power_of_finite_laws_is_that_of_neyman_and_pearson(rate):
    """Also at corners of the trade-off curve, where its slope is not told."""
    p, q, n = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)), 2
    truth, left = Fraction(0), Fraction(rate)
    for k in range(n, -1, -1):
        mine, other = (math.comb(n, k) * x[0] ** k * x[1] ** (n - k) for x in (p, q))
        share = min(left / other, Fraction(1))
        truth, left = truth + share * mine, left - share * other
    run = n * hs.DiscretePair(p=(0.75, 0.25), q=(0.25, 0.75))
    result = hs.verify(
        run, false_positive_rate=rate, adjacency=hs.Adjacency.REMOVE_ONE, digits=20, fast=False
    )
    assert result.known
    assert result.digits >= 20
    assert abs(Fraction(result.middle) - truth) <= Fraction(result.radius)
