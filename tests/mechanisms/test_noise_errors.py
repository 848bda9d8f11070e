# SPDX-License-Identifier: Apache-2.0
"""Noise given by functions: its stated errors at the very thresholds it chose, in ball arithmetic.

The functions given are exact but for one rounding, or off as far as they may be; they note where
they are asked, so that no error of an edge hides one of a mass.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from flint import arb, ctx

from exact.balls import normal_tail
from hockeystick import _core
from mechanisms.noises import BITS, LEAST, Normal, Noted, normal_edges


@dataclass(frozen=True)
class Steep:
    """The density e^(-x^20): near 1 its slope is many times its logarithm."""

    def tail(self, x):
        """The mass above x."""
        return arb.gamma_upper(x**20, arb(1) / 20) / (2 * (arb(1) / 20).gamma())

    def log_density(self, x):
        """At x."""
        return -(x**20) - (2 * (arb(21) / 20).gamma()).log()


@dataclass(frozen=True)
class Scaled:
    """Normal noise of any scale: its density may underflow where its mass does not."""

    scale: float

    def tail(self, x):
        """The mass above x."""
        return normal_tail(x / self.scale)

    def log_density(self, x):
        """At x."""
        return Normal().log_density(x / self.scale) - arb(self.scale).log()


def check(noted, shift, edges):
    """Of two edges and the cell between: what is stated holds for the thresholds, exactly."""
    got, (low, high), _ = noted.integrate(shift, edges)
    noise, s = noted.noise, arb(shift)
    with ctx.workprec(BITS):
        losses = [noise.log_density(x) - noise.log_density(x + s) for x in (low, high)]
        for loss, edge in zip(losses, edges, strict=True):
            assert abs(loss - edge) <= got.loss_error, "loss_error"
        tails = [noise.tail(x) for x in (low, high)]
        others = [noise.tail(x + s) for x in (low, high)]
        p, q = tails[0] - tails[1], others[0] - others[1]
        assert abs(got.p[0] - p) <= got.mass_error * p, "mass_error"
        assert abs(got.upper_tail_p - tails[1]) <= got.mass_error * tails[1], "mass_error"
        assert abs(got.lower_tail_p - (1 - tails[0])) <= got.mass_error, "mass_error"
        assert got.lower_tail_q >= 1 - others[0], "lower_tail_q"
        above, below = p - losses[0].exp() * q, losses[1].exp() * q - p
        for computed, truth in ((got.above[0], above), (got.below[0], below)):
            stated = got.share_error * truth + got.share_error_p * p
            assert abs(computed - truth) <= stated, "share_error"
        divergence = tails[1] - losses[1].exp() * others[1]
        assert divergence <= got.upper_tail_above, "upper_tail_above"
        assert divergence >= got.upper_tail_above - got.share_error_p * tails[1] * (1 + 1e-12)
    return got


@pytest.mark.every(2)
@pytest.mark.parametrize("width", [1e-6, 2e-5, 1e-3, 0.1])
@pytest.mark.parametrize(("shift", "x"), [(1 / 3, 0.2), (1 / 3, 5.0), (1 / 3, 32.1), (32.3, 1.5)])
def test_rounding_is_booked(shift, x, width, samples):
    """x + shift is rounded, if shift is large by more than its own last place, and all values."""
    for k in range(samples(12)):
        check(Noted(Normal(), LEAST), shift, normal_edges(shift, x + k * 1e-2, width))


def test_rounding_is_booked_where_the_density_is_steep(samples):
    for k in range(samples(40)):
        x = 0.53 + k * 1e-3
        ends = [(y + 1 / 3) ** 20 - y**20 for y in (2 / 3 + x - 0.5, 2 / 3 + x - 0.499)]
        check(Noted(Steep(), LEAST), 1 / 3, ends)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("x", [0.3, 3.0, 30.0])
def test_an_accuracy_that_is_used_up_is_booked(x, sign):
    """Losses are off as far as they may be, or tails."""
    edges = normal_edges(0.5, x, 0.25)

    def switched(y):
        return sign * np.where(y < x + 0.375, 1, -1)

    for accuracy in (1e-9, 1e-6):
        check(Noted(Normal(), accuracy, log_off=switched), 0.5, edges)
        check(Noted(Normal(), accuracy, tail_off=switched), 0.5, edges)
        check(Noted(Normal(), accuracy, tail_off=lambda y: 0 * y + sign), 0.5, edges)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("waves", [0, 1])
def test_an_accuracy_that_is_used_up_within_a_cell_is_booked(waves, sign):
    """At its ends one way, half way between them the other, or everywhere the same."""
    x, width = 0.3, 1e-3

    def log_off(y):
        return sign * np.where(np.cos(2 * math.pi * waves * (y - x) / width) > 0, 1, -1)

    check(Noted(Normal(), 1e-6, log_off=log_off), 1.0, normal_edges(1.0, x, width))


@pytest.mark.parametrize("x", [36.6, 36.0, 33.5])
@pytest.mark.parametrize("width", [1e-4, 0.01, 0.3])
def test_tails_that_underflow_on_the_other_side(x, width):
    got = check(Noted(Normal(), 1e-14), 4.0, normal_edges(4.0, x, width))
    assert got.share_error_p < 1e-4 or width < 0.01


def test_what_is_too_small_is_booked():
    """At +inf for P and at -inf for Q, with all that lies beyond reach."""
    noted = Noted(Normal(), 1e-14)
    *_, reach = noted.integrate(1.0, [1e4])
    for x in (37.18, float(reach) * (1 - 1e-5)):
        got, (at, _), end = noted.integrate(1.0, [x + 0.5, 1e4])
        with ctx.workprec(BITS):
            assert got.infinity_mass >= Normal().tail(at)
            assert got.infinity_mass <= 3 * Normal().tail(at) + 2e-306
        assert (got.p[0], got.upper_tail_p) == (0, 0)
        assert end == reach


def test_what_is_too_small_is_not_lost_to_the_reverse():
    edges = [40.0 * (x + 20) for x in (-60.0, -39.0, -37.5, -30.0)]
    noted = Noted(Normal(), 1e-14)
    pair = _core.additive_noise_pair(noted.log_density, noted.distribution, 1e-14, 40.0)
    got = pair.integrate(edges)
    assert (got.p[0], got.p[1]) == (0, 0)
    assert got.p[2] > 0
    with ctx.workprec(BITS):
        assert got.lower_tail_q >= 1 - normal_tail(arb(2.5) - 1e-9)
        assert got.infinity_mass >= normal_tail(arb(37.5) + 1e-9)


def used_up(x, sign):
    return Noted(Normal(), 1e-6, log_off=lambda y: sign * np.where(y < abs(x) + 0.25, 1, -1))


@pytest.mark.parametrize("sign", [1, -1])
def test_what_the_loss_is_off_by_is_booked_where_the_other_side_is_weighted_with_it(sign):
    """P - e^e Q, where e is the edge asked for and the threshold's loss another."""
    x, s, noise = 30.0, 0.5, Normal()
    edge = s * (x + s / 2)
    with ctx.workprec(BITS):
        got, (at,), _ = used_up(x, sign).integrate(s, [edge])
        p, q = noise.tail(at), noise.tail(at + s)
        truth = p - (noise.log_density(at) - noise.log_density(at + s)).exp() * q
        assert got.upper_tail_above - got.share_error_p * p <= truth <= got.upper_tail_above
        got, (at, _), reach = used_up(x, sign).integrate(s, [edge, edge + 100])
        p, q = noise.tail(at) - noise.tail(reach), noise.tail(at + s) - noise.tail(reach + s)
        truth = p - (noise.log_density(at) - noise.log_density(at + s)).exp() * q
        assert abs(got.above[0] - truth) <= got.share_error * truth + got.share_error_p * p


@pytest.mark.parametrize("sign", [1, -1])
def test_what_the_loss_is_off_by_is_booked_below(sign):
    """e^e' Q - P far below the centres, where most of the mass is at e'."""
    x, s, noise = -30.0, 0.5, Normal()
    edge = s * (x + s / 2)
    with ctx.workprec(BITS):
        got, ends, _ = used_up(x, sign).integrate(s, [edge - 5, edge])
        p = noise.tail(ends[1]) - noise.tail(ends[0])
        q = noise.tail(ends[1] - s) - noise.tail(ends[0] - s)
        loss = noise.log_density(ends[1]) - noise.log_density(ends[1] - s)
        truth = loss.exp() * q - p
        assert abs(got.below[0] - truth) <= got.share_error * truth + got.share_error_p * p


@pytest.mark.every(2)
@pytest.mark.parametrize("scale", [2.0**-500, 2.0**50, 2.0**300, 2.0**960])
@pytest.mark.parametrize("width", [1e-6, 1e-3, 0.5])
def test_densities_that_underflow(scale, width):
    for x in (3.0, 20.0, 30.0, 36.0):
        check(Noted(Scaled(scale), 1e-14), scale, normal_edges(1.0, x, width))


@pytest.mark.parametrize("width", [1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("shift", [1e-3, 1.0])
def test_no_mass_counts_twice(width, shift):
    """Next to loss 0, to either side of which thresholds are looked for nearer to the centres."""
    got, ends, _ = Noted(Normal(), 1e-6).integrate(shift, [-1.0, -width, width, 1.0])
    assert ends[1] >= ends[2]  # distances, of points below 0
    assert got.loss_error < 1e-5 + 2 * width


def test_shifts_next_to_which_reach_is_lost():
    """Half of Q lies below the centre of its noise, and none of it is lost."""

    def log_density(x):
        return -np.abs(x) - math.log(2)

    pair = _core.additive_noise_pair(log_density, lambda x: np.exp(x) / 2, 1e-13, 1e20)
    got = pair.integrate([-2e20, -1e19, 1e19])
    assert got.lower_tail_q >= 1
    assert 0 <= got.upper_tail_above <= got.upper_tail_p <= 1
    assert got.lower_tail_p + got.infinity_mass + got.p.sum() + got.upper_tail_p >= 1 - 1e-12


@dataclass(frozen=True)
class Exponential:
    """Laplace noise: all losses above its centres are the same."""

    def tail(self, x):
        """The mass above x."""
        return (-x).exp() / 2

    def log_density(self, x):
        """At x."""
        return -x - arb(2).log()


@dataclass(frozen=True)
class Kinked:
    """Normal noise whose log density falls by another 100,000 per unit beyond a kink."""

    kink: float

    def tail(self, x):
        """The mass above x; the total is 1 but for what no double tells from it."""
        beyond = (10**5 * (arb(self.kink) + 50000)).exp() * normal_tail(
            max(x, arb(self.kink)) + 10**5
        )
        return beyond + (normal_tail(x) - normal_tail(arb(self.kink)) if x < self.kink else 0)

    def log_density(self, x):
        """At x."""
        return Normal().log_density(x) - 10**5 * max(0, x - self.kink)


def test_what_lies_beyond_the_panels_is_booked():
    """The secant outwards crosses the kink, so that panels end long before it."""
    for x in (33.055, 33.065):
        check(Noted(Kinked(37.08), 1e-14), 4.0, normal_edges(4.0, x, 1e-3))


def test_masses_that_use_up_their_accuracy():
    """A P-mass too large and a Q-mass too small: the tails are off differently at all four ends."""
    x, width, shift = 0.3, 0.25, 0.5
    for sign in (1, -1):

        def tail_off(y, sign=sign):
            return sign * np.where(np.abs(y - (x + shift / 2 + width / 2)) > 0.3, 1, -1)

        check(Noted(Normal(), 1e-6, tail_off=tail_off), shift, normal_edges(shift, x, width))


def used_up_at_reach(shift):
    """Laplace functions whose losses at both ends of reach are nearer to 0 by all they may."""
    noted = Noted(Exponential(), 1e-6, log_off=lambda x: 0 * x - 1)
    *_, reach = noted.integrate(shift, [0.0])
    noted.log_off = lambda x: np.where(x > float(reach) + shift / 2, 1, -1)
    return noted, reach


@pytest.mark.parametrize("share", [0.45, 0.95])
def test_where_losses_end_is_known_within_its_error(share):
    shift = 1.0
    noted, reach = used_up_at_reach(shift)
    edge = shift - share * 1e-6 * (2 * float(reach) + shift)
    got, _, end = noted.integrate(shift, [-edge, edge])
    assert end == reach
    with ctx.workprec(BITS):
        assert got.upper_tail_p * (1 + got.mass_error) >= 0.5
        assert got.upper_tail_above >= -(arb(edge) - shift).expm1() / 2 - got.loss_error
        assert got.lower_tail_q >= 0.5


def test_what_lies_below_reach_is_booked():
    """As near to what is booked as the search for reach comes."""
    noted = Noted(Exponential(), 1e-14)
    shift = 2.0**-10
    got, _, reach = noted.integrate(shift, [-1.0, 0.0])
    with ctx.workprec(BITS):
        assert got.lower_tail_q >= Exponential().tail(reach) >= 0.51e-306
        assert got.infinity_mass >= Exponential().tail(reach + shift) >= 0.51e-306
    got, _, reach = noted.integrate(shift, [0.0, 1.0])
    with ctx.workprec(BITS):
        assert got.infinity_mass >= Exponential().tail(reach)


def test_the_rounding_of_x_is_booked_next_to_a_power_of_two(samples):
    """Where it is as large for its size as it comes: at a tail of Q, at both ends of a cell."""
    noted, shift = Noted(Normal(), LEAST), 1 / 3
    for k in range(samples(16)):
        got, (at,), _ = noted.integrate(shift, normal_edges(shift, -32.34 - k * 1e-2, 0)[:1])
        with ctx.workprec(BITS):
            assert got.lower_tail_q >= normal_tail(at - arb(shift))
        check(noted, 4.0, normal_edges(4.0, 1e-3 + k * 7e-5, 1e-6))
