# SPDX-License-Identifier: Apache-2.0
"""One epoch of random allocation in balls: two contours, integrals, and what must be equal."""

import itertools
import math

import pytest
from flint import acb, arb, ctx
from mpmath import mp

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick.verify import closed
from hockeystick.verify.allocation import Allocated
from hockeystick.verify.hyperbola import Hyperbola
from hockeystick.verify.inversion import Inversion
from hockeystick.verify.lognormal import Transform
from hockeystick.verify.pilot import Pilot, Strike
from hockeystick.verify.vertical import Plan, Vertical


def curve(noise, steps, *, removes, digits=12, epochs=1):
    return Allocated(noise, steps, epochs, removes=removes, digits=digits)


@pytest.mark.every(6)
@pytest.mark.parametrize("angle", [0.0, 0.4])
@pytest.mark.parametrize("noise", [0.2, 1.0, 300.0])
def test_the_transform_is_a_long_sum_of_mpmath(noise, angle):
    """Also where Re(s) < 0, by the same line of x turned as far."""
    least = angle * min(1.0, 1 / noise)
    with ctx.workprec(200), mp.workdps(30):
        mu = 1 / mp.mpf(noise)
        transform = Transform(1 / arb(noise), least)
        for modulus, turn in ((0.5, 0.7), (9.0, math.pi / 2 + least / 2)):
            s = (modulus * math.cos(turn), modulus * math.sin(turn))
            step, down = mp.mpf(min(0.1, noise / 60)), (math.pi / 4 + least / 2) * noise
            down = min(down, least * noise + 3)  # any line in the strip will do
            points = [mp.mpc(k * step, -down) for k in range(-int(12 / step), int(12 / step))]
            terms = (-mp.mpc(*s) * mp.exp(mu * x - mu * mu / 2) - x * x / 2 for x in points)
            truth = step * sum(map(mp.exp, terms)) / mp.sqrt(2 * mp.pi)
            found = transform(acb(*s), 50.0)
            for part, known in ((found.real, truth.real), (found.imag, truth.imag)):
                assert abs(arb_to_mp(part) - known) <= arb_to_mp(part.rad()) + mp.mpf(10) ** -23
            assert float(abs(found).rad()) < 1e-15


def arb_to_mp(x):
    return mp.mpf(x.mid().str(40, radius=False))


@pytest.mark.parametrize("mu", [0.05, 0.5, 5.0])
def test_a_piece_of_a_curve_is_bounded_by_the_slope_around_it(mu):
    curve = Hyperbola(1.0, 0.5, 0.3 * min(1.0, mu), 0.02)
    transform, shift = Transform(arb(mu), curve.angle), arb(2)
    with ctx.workprec(100):
        low, middle, high = arb(1), arb(1.05), arb(1.1)
        box, length = curve.at(low.union(high), 0.0), curve.speed(high, 0.0) * (high - low) / 2
        _, most = transform.tilted(curve.at(middle, 0.0), box, length, shift, 20.0)
        for s in (curve.at(u, 0.0) for u in (low, middle, high)):
            assert abs(transform(s, 30.0) * (s * shift).exp()).upper() <= most


PLACES = [  # noise, steps, deviations of the sum beyond its mean
    (1.0, 1000, 4.0),
    (1.0, 1000, -3.0),
    (1.0, 7, 1.5),
    (2.0, 2, -1.0),
    (0.7, 10**4, -0.1),
    (0.7, 10**4, 2.0),
]


@pytest.mark.every(3)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_two_contours_agree(place):
    """A series on a vertical line, whose aliases are of one sign, and a hyperbola."""
    noise, steps, deviations = place
    beyond = deviations * math.sqrt(steps * math.expm1(noise**-2))
    strike, pilot = Strike(steps + beyond, beyond), Pilot(1 / noise, steps)
    goal = pilot.log_put(strike) - 35
    series = Vertical(Plan(pilot, strike, goal), lambda: 1 / arb(noise), steps)
    bent = Inversion(pilot, lambda: 1 / arb(noise), steps, strike, goal)
    with ctx.workprec(max(series.bits, bent.bits)):
        for moved in (0.0, 0.02 * beyond):
            k = arb(strike.k) + arb(moved)
            found = series.put(k), bent.put(k)
            assert found[0].overlaps(found[1]), [x.str(20) for x in found]
            assert all(x.rad() < abs(x) * arb(10) ** -9 for x in found)


def put_of_one(mu, k):
    x = k.log() / mu
    return k * normal_tail(-x - mu / 2) - normal_tail(mu / 2 - x)


def integrated(inner, mu, k):
    """E inner(k - Y), inner(k) <= k, which vanishes where k - Y < 0; balls with all errors."""
    top = k.log() / mu + mu / 2
    cut = arb(2) ** -30

    def integrand(x, analytic):
        rest = k - (mu * x - mu * mu / 2).exp()
        if not rest.real > 0:
            return acb("nan") if analytic else acb(arb(0, 1e3), arb(0, 1e3))
        return inner(mu, rest) * (-x * x / 2).exp()

    ends = [arb(-9), arb(-3), *(top - arb(2) ** -j for j in (0, 2, 5, 9, 14)), top - cut]
    ends = sorted((x for x in ends if x >= -9), key=float)
    parts = (
        acb.integral(integrand, a, b, rel_tol=arb(2) ** -34, abs_tol=arb(2) ** -40)
        for a, b in itertools.pairwise(ends)
    )
    total = sum(parts, acb(0)).real / (2 * arb.pi()).sqrt()
    left = k * ((9 / arb(2).sqrt()).erfc() + cut * mu * k * cut)
    return total + arb(left / 2, left / 2)


@pytest.mark.every(9)
@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [-0.3, 0.2, 1.0])
@pytest.mark.parametrize("removes", [True, False])
def test_two_steps_are_an_integral(noise, epsilon, removes):
    with ctx.workprec(100):
        at, mu = arb(epsilon), 1 / arb(noise)
        alpha = at.exp()
        if removes:
            truth = integrated(put_of_one, mu, 2 * alpha) / 2 + 1 - alpha
        else:
            truth = integrated(put_of_one, mu, 2 / alpha) / 2 * alpha
        found = curve(noise, 2, removes=removes)(at)
        assert truth.rad() < 1e-6
        assert found.overlaps(truth), (found, truth)
        assert found.rad() < 1e-10 * found


@pytest.mark.every(6)
@pytest.mark.parametrize("noise", [20.0, 1.0, 0.3])
@pytest.mark.parametrize("removes", [True, False])
def test_one_step_is_the_gaussian(noise, removes):
    with ctx.workprec(120):
        one, known = curve(noise, 1, removes=removes), closed.gaussian(1 / arb(noise) ** 2)
        for epsilon in (0.0, 0.3 / noise, 3 / noise):
            found = one(arb(epsilon))
            assert found.overlaps(known(arb(epsilon)))
            assert found.rad() < found * arb(10) ** -10


HOSTILE = [
    (1000.0, 2, 1e-3, True),
    (0.2, 2, 30.0, True),
    (0.2, 10**12, 1e-3, False),
    (1000.0, 10**12, 3e-9, True),
    (1000.0, 10**12, 3e-9, False),
    (1.0, 3, 20.0, False),
    (1.0, 1000, 6.0, True),
]


@pytest.mark.every(7)
@pytest.mark.parametrize(("noise", "steps", "epsilon", "removes"), HOSTILE)
def test_ends_of_the_range_are_known(noise, steps, epsilon, removes):
    with ctx.workprec(150):
        found = curve(noise, steps, removes=removes)(arb(epsilon))
        assert 0 < found.lower() <= closed.gaussian(1 / arb(noise) ** 2)(arb(epsilon))
        assert found.rad() < found * arb(10) ** -11


def test_compositions_are_known_from_both_sides():
    epoch = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=10)
    for run in (2 * epoch, epoch + hs.Laplace(noise_multiplier=1.0)):
        result = hs.verify(run, delta=1e-5)
        assert not result.known
        assert "a gap is left" in result.reason
        assert result.enclosed is not False
        assert result.lower <= result.fast.upper
        assert result.fast.lower <= result.upper


def test_a_piece_that_touches_zero_is_cut(monkeypatch):
    """A hyperbola's piece whose ball holds 0 has no bound: it was kept, and spoilt all digits."""
    made = []
    start = Inversion.__init__
    monkeypatch.setattr(
        Inversion, "__init__", lambda self, *args: (made.append(1), start(self, *args))[1]
    )
    epoch = hs.Gaussian(noise_multiplier=3.510095784414097).random_allocation(steps=2)
    result = hs.verify(
        epoch, delta=9.006707198191792e-13, adjacency="remove-one", digits=8, fast=False
    )
    assert result.digits >= 8
    assert 1.394090 < result.lower <= result.upper < 1.395268
    assert len(made) <= 3
