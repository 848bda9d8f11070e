# SPDX-License-Identifier: Apache-2.0
"""Exponentials next to a curve: the formulas of the page in ball arithmetic, and true distances."""

import itertools
import math

import pytest
from flint import arb

from exact.balls import normal_tail
from exact.one_step import gaussian_delta
from hockeystick import _core

pytestmark = pytest.mark.bits(300)

parts = _core.large_loss
EPSILON, CENTRE = 1.0, 0.02
LOSSES = [0.5, 0.62, 0.75, 0.85, 0.92, 0.96, 0.985, 1.0, 1.02, 1.05, 1.1, 1.18, 1.3, 1.5]


def gaussian(mu, loss):
    """delta and e^loss Q(L >= loss) of N(mu, 1) against N(0, 1), in balls."""
    called = loss.exp() * normal_tail(loss / mu + mu / 2)
    return gaussian_delta(mu, loss), called


def knots(error=0.0, infinite=(0.0, 0.0), mu=0.25, losses=LOSSES):
    at = [gaussian(arb(mu), arb(loss)) for loss in losses]
    delta, called = ([float(row[k].mid()) for row in at] for k in range(2))
    return losses, delta, called, [error] * len(losses), infinite


BEYOND = (0.02, 0.004)


@pytest.mark.parametrize(
    "errors", [(1e-3, 0, 0, 0), (0, 1e-3, 0, 0), (0, 0, 1e-3, 0), (0, 0, 0, 1e-3), (0, 0, 0, 0)]
)
def test_knots_are_summed_from_the_top(errors):
    cells = [(0.01 * (1 + i % 3), 0.004 * (1 + i % 2) / (1 + i)) for i in range(len(LOSSES) - 1)]
    found = parts.knots(cells, BEYOND, errors=errors, infinite=(0.1, 0.2), losses=LOSSES)
    assert found[0] == LOSSES
    assert found[4] == (0.1, 0.2)
    mass, delta = map(arb, BEYOND)
    called = mass - delta
    relative = errors[0] + errors[1] + errors[2] + 4 * arb(errors[3])
    relative += 16 * arb(2) ** -53 * (len(cells) + 8)
    for i in range(len(LOSSES) - 1, -1, -1):
        for mine, exact in ((found[1][i], delta), (found[2][i], called)):
            assert abs(mine - exact) <= arb(1e-14) * exact
        assert abs(found[3][i] - relative * mass) <= arb(2e-9) * relative * mass
        if i:
            p, above = map(arb, cells[i - 1])
            fall = (arb(LOSSES[i - 1]) - arb(LOSSES[i])).exp()
            delta += above + (1 - fall) * called
            called = fall * called + p - above
            mass += p


def fit(given, at=EPSILON, centre=CENTRE, unit=3.0, within=0.05, *, tail=False):
    return parts.fit(given, EPSILON, centre=centre, unit=unit, within=within, at=at, tail=tail)


class Sum:
    """The exponentials."""

    def __init__(self, weights, unit, centre):
        self.terms = [(arb(w), arb(unit) * (2 * k + 1)) for k, w in enumerate(weights)]
        self.centre = arb(centre)

    def derivative(self, s, order=0, *, sizes=False):
        """Of some order; or that of the sum of all sizes."""
        return sum(
            (
                (abs(w) if sizes else w) * t**order * (t * (s - self.centre)).exp()
                for w, t in self.terms
            ),
            arb(0),
        )


def largest(*values):
    return max(values, key=lambda x: float(x.mid()))


def least(*values):
    return min(values, key=lambda x: float(x.mid()))


def size_at(psi, at, a, b):
    """Of what is summed, its second derivative between two knots counted."""
    s = arb(at) - a
    return psi.derivative(s, sizes=True) + (b - a) ** 2 * psi.derivative(s, 2, sizes=True)


def check_distances(found, exact, psi, at):
    for (a, b), pair, truths in zip(itertools.pairwise(LOSSES), found, exact, strict=True):
        spare = arb(1e-12) * size_at(psi, at, a, b) + arb(1e-13)
        for mine, truth in zip(pair, truths, strict=True):
            assert abs(mine - truth) <= arb(1e-8) * truth + spare


def check_none_is_farther(found, psi, at, curve):
    """At points between the knots, in balls."""
    for (a, b), (above, below) in zip(itertools.pairwise(LOSSES), found, strict=True):
        for k in range(9):
            loss = arb(a) + (arb(b) - a) * k / 8
            gap = curve(loss) - psi.derivative(arb(at) - loss)
            assert gap <= above + arb(1e-16)
            assert -gap <= below + arb(1e-16)


def between_knots(losses, psi, at):
    """Each interval's width, `at` less its ends, and the largest and least second derivative."""
    for a, b in itertools.pairwise(map(arb, losses)):
        d, s, r = b - a, arb(at) - a, arb(at) - b
        wave = d * d / 8 * psi.derivative(s, 4, sizes=True)
        bends = [psi.derivative(y, 2) for y in (s, r)]
        yield d, s, r, largest(*bends) + wave, least(*bends) - wave


def apart_of_tail(given, psi, at):
    """Both bounds of the page for tails, for each interval."""
    losses, delta, called, error, (m0, m1) = given
    found = []
    for i, (d, s, r, most, low) in enumerate(between_knots(losses, psi, at)):
        high = arb(delta[i]) + called[i] + error[i] + m1
        last = arb(delta[i + 1]) + called[i + 1] - error[i + 1] + m0
        ends = [psi.derivative(y) for y in (s, r)]
        above = high - least(*ends) + d * d / 8 * largest(most, arb(0))
        below = largest(*ends) + d * d / 8 * largest(-low, arb(0)) - last
        found.append((largest(above, arb(0)), largest(below, arb(0))))
    return found


@pytest.mark.parametrize("unit", [0.5, 3.0, 12.0])
@pytest.mark.parametrize("at", [EPSILON, EPSILON - 0.01])
@pytest.mark.parametrize("error", [0.0, 1e-4])
@pytest.mark.parametrize("infinite", [(0.0, 0.0), (1e-4, 3e-4)])
def test_distances_of_tails_are_those_of_the_page(unit, at, error, infinite):
    given = knots(error, infinite)
    weights, found, _ = fit(given, at=at, unit=unit, within=0.3, tail=True)
    psi = Sum(weights, unit, CENTRE)
    check_distances(found, apart_of_tail(given, psi, at), psi, at)
    if not (error or infinite[1]):
        check_none_is_farther(found, psi, at, lambda loss: sum(gaussian(arb(0.25), loss), arb(0)))


def apart(given, psi, at):
    """Both bounds of the page, for each interval."""
    losses, delta, called, error, (m0, m1) = given
    found = []
    for i, (d, s, r, most, low) in enumerate(between_knots(losses, psi, at)):
        e, f = arb(error[i]), arb(error[i + 1])
        high, lower = arb(delta[i]) + e, arb(delta[i + 1]) + f
        fall = largest(high - lower, arb(0)) / (1 - (-d).exp())
        spare = least(psi.derivative(s) - high, psi.derivative(r) - lower)
        above = d * d / 8 * largest(most + fall, arb(0)) - spare + arb(m1)
        first, last = arb(delta[i]) - e, arb(delta[i + 1]) - f
        middle = psi.derivative((s + r) / 2)
        first_end = first - ((d / 2).exp() - 1) * (arb(called[i]) + e)
        last_end = last + (1 - (-d / 2).exp()) * largest(arb(called[i + 1]) - f, arb(0))
        over = largest(
            psi.derivative(s) - first,
            middle - first_end,
            middle - last_end,
            psi.derivative(r) - last,
        )
        below = d * d / 32 * largest(-low, arb(0)) + over - arb(m0)
        found.append((largest(above, arb(0)), largest(below, arb(0))))
    return found


@pytest.mark.every(3)
@pytest.mark.parametrize("unit", [0.5, 3.0, 12.0])
@pytest.mark.parametrize("at", [EPSILON, EPSILON + 0.003, EPSILON - 0.01])
@pytest.mark.parametrize("error", [0.0, 1e-6, 1e-4])
@pytest.mark.parametrize("infinite", [(0.0, 0.0), (1e-4, 3e-4)])
@pytest.mark.parametrize("within", [0.02, 0.3])
def test_distances_are_those_of_the_page(unit, at, error, infinite, within):
    given = knots(error, infinite)
    weights, found, _ = fit(given, at=at, unit=unit, within=within)
    psi = Sum(weights, unit, CENTRE)
    check_distances(found, apart(given, psi, at), psi, at)


@pytest.mark.parametrize("odd", [0, 1])
def test_each_tangent_is_off_by_the_errors_of_its_knot(odd):
    losses, delta, called, _, infinite = knots()
    given = losses, delta, called, [1e-3 * (i % 2 == odd) for i in range(len(losses))], infinite
    weights, found, _ = fit(given, unit=3.0, within=0.3)
    exact = apart(given, Sum(weights, 3.0, CENTRE), EPSILON)
    for pair, truths in zip(found, exact, strict=True):
        for mine, truth in zip(pair, truths, strict=True):
            assert abs(mine - truth) <= arb(1e-8) * truth + arb(1e-12)


@pytest.mark.parametrize("unit", [0.5, 3.0, 12.0])
def test_nothing_of_the_curve_is_farther(unit):
    weights, found, _ = fit(knots(), unit=unit)
    psi = Sum(weights, unit, CENTRE)
    check_none_is_farther(found, psi, EPSILON, lambda loss: gaussian(arb(0.25), loss)[0])


def test_rounding_of_powers_is_counted():
    """Far from the centre, where exponents of a thousand are off by their rounding."""
    losses = [1 + k / 64 for k in range(-16, 17)]
    given = losses, [1e-3] * 33, [1e-3] * 33, [0.0] * 33, (0.0, 0.0)
    unit, at = 40.0, EPSILON + 0.25
    weights, found, _ = fit(given, at=at, unit=unit, centre=0.0)
    psi = Sum(weights, unit, 0.0)
    exact = apart(given, psi, at)
    for loss, (above, below), truths in zip(losses, found, exact, strict=False):
        size = psi.derivative(arb(at - loss), sizes=True)
        booked = size * 2.0**-53 * (64 + 9 * unit * 4 * (abs(at) + abs(loss)))
        grown = psi.derivative(arb(at - loss), 2, sizes=True)
        for mine, truth in zip((above, below), truths, strict=True):
            assert mine >= truth
            assert mine <= truth * (1 + arb(1e-8)) + 4 * booked + arb(1e-12) * grown


def test_a_curve_of_zeros_is_met():
    given = LOSSES, [0.0] * 14, [0.0] * 14, [0.0] * 14, (0.0, 0.0)
    weights, found, size = fit(given)
    assert weights == [0.0] * 5
    assert size == 0
    assert max(max(pair) for pair in found) == 0


ABOVE, BELOW = [(10.0, 0.2), (60.0, 5.0)], [(-20.0, 0.1), (-90.0, 4.0)]


@pytest.mark.parametrize("epsilon", [1.0, 1.065, 0.9])
@pytest.mark.parametrize("ends", [(0.0, 0.0), (5.0, 0.0), (0.0, 5.0)])
@pytest.mark.parametrize("order", ["rising", "falling", "both"])
def test_the_mean_is_that_of_the_page(epsilon, ends, order):
    n = len(LOSSES) - 1
    apart_by = {
        "rising": [1e-3 * 1.5**i for i in range(n)],
        "falling": [1e-3 * 1.5 ** (n - i) for i in range(n)],
        "both": [1e-3 * (1 + abs(i - 6)) for i in range(n)],
    }[order]
    right, left = ends
    found = parts.average_apart(
        LOSSES, apart_by, epsilon, centre=CENTRE, above=ABOVE, below=BELOW, right=right, left=left
    )

    def chernoff(rows, s):
        return least(*((arb(m) - arb(t) * s).exp() for t, m in rows))

    at = [arb(epsilon) - loss for loss in LOSSES]
    j = next(i for i in range(n) if at[i + 1] <= CENTRE or i == n - 1)
    total = arb(apart_by[j])
    for way, rows in ((range(j - 1, -1, -1), ABOVE), (range(j + 1, n), BELOW)):
        known = apart_by[j]
        for i in way:
            if apart_by[i] > known:
                s = at[i + 1] if rows is ABOVE else at[i]
                total += (arb(apart_by[i]) - known) * least(arb(1), chernoff(rows, s))
                known = apart_by[i]
    total += right * chernoff(ABOVE, at[0]) + left * least(arb(1), chernoff(BELOW, at[-1]))
    assert total <= found <= total * (1 + arb(1e-12))


def test_the_mean_of_a_law_is_bounded():
    """Of a sum with atoms, whose Chernoff table is exact."""
    law = [(-0.2, 0.1), (-0.02, 0.3), (0.03, 0.4), (0.08, 0.15), (0.4, 0.05)]

    def moment(t):
        return math.log(sum(p * math.exp(t * s) for s, p in law))

    above = [(t, moment(t)) for t in (5.0, 20.0, 60.0)]
    below = [(t, moment(t)) for t in (-5.0, -20.0, -60.0)]
    apart_by = [1e-3 * (1 + abs(i - 6)) ** 2 for i in range(len(LOSSES) - 1)]
    found = parts.average_apart(
        LOSSES, apart_by, EPSILON, centre=CENTRE, above=above, below=below, right=0.1, left=0.1
    )
    truth = 0.0
    for s, p in law:
        loss = EPSILON - s
        i = next((k for k in range(len(LOSSES) - 1) if LOSSES[k] <= loss <= LOSSES[k + 1]), None)
        truth += p * (apart_by[i] if i is not None else 0.1)
    assert truth <= found <= 20 * truth
