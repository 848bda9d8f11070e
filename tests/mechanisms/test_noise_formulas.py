# SPDX-License-Identifier: Apache-2.0
"""What noise given by functions states to be off by: the formulas of the pages, term by term.

At an accuracy of 1e-6, so that it decides; in cells that are wide enough for differences of tails,
and in narrow ones, for which chords of the log density serve.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from flint import arb

from mechanisms.noises import LEAST, Normal, Noted, normal_edges, rounded

ACCURACY, SHIFT = 1e-6, 0.5
WITHIN = 1e-6
TAIL = arb("1.001") * ACCURACY  # of a tail


pytestmark = pytest.mark.bits(200)


def off(g):
    """What a log density is off by."""
    return arb("1.00001") * ACCURACY * (1 + abs(g))


def log_densities(xs):
    return [arb(g) for g in rounded(Normal().log_density, np.array(xs))]


def mean_exponential(z):
    """Of e^y between 0 and z."""
    return (z.exp() - 1) / z


@dataclass
class Estimate:
    """A mass, and what it is off by."""

    value: arb
    error: arb


def by_tails(xs, factor):
    """The difference of two tails."""
    low, high = (arb(t) for t in rounded(Normal().tail, np.array(xs)))
    return Estimate(factor * (low - high), factor * TAIL * (low + high))


def by_chords(xs, factor):
    """Between the chords of both halves of a panel, and the chords that extend them."""
    low, high = xs
    g = log_densities([low, middle := low + (high - low) / 2, high])
    error = max(map(off, g), key=float)
    first, second = arb(middle) - low, arb(high) - middle
    down, rise, ratio = g[0] - g[1], g[2] - g[1], second / first
    unit = g[1].exp() * first * factor
    least = mean_exponential(down) + ratio * mean_exponential(rise)
    most = mean_exponential(-rise / ratio) + ratio * mean_exponential(-down * ratio)
    lower = unit * (arb("-1.001") * error).exp() * least
    upper = unit * (arb("3.01") * error).exp() * most
    return Estimate((lower + upper) / 2, (upper - lower) / 2)


class Cell:
    """A cell as seen from both centres, and what is stated of it."""

    def __init__(self, x, width):
        self.edges = normal_edges(SHIFT, x, width)
        self.found, ends, _ = Noted(Normal(), ACCURACY).integrate(SHIFT, self.edges)
        self.xs = [float(end) for end in ends]
        self.moved = [end + SHIFT for end in self.xs]
        mass = by_tails if width > 0.01 else by_chords
        self.p = mass(self.xs, arb(1))
        self.q = mass(self.moved, arb(self.edges[0]).exp())
        self.losses = [self.loss_error(k) for k in range(2)]

    def loss_error(self, k):
        """What the search missed, both log densities, their difference, and the rounding of x."""
        g, moved, beyond = log_densities([self.xs[k], self.moved[k], self.moved[k] * (1 + 1e-3)])
        steepness = (abs(moved - beyond) + off(moved) + off(beyond)) / arb("0.001")
        rounding = LEAST * (arb("1.01") * abs(g - moved) + arb("1.001") * steepness)
        return abs(g - moved - arb(self.edges[k])) + off(g) + off(moved) + rounding

    def above_error(self, p, q, k):
        """P - e^l Q: both masses, and the loss of the edge with which Q is weighted."""
        return p.error + q.error + arb("1.001") * (self.losses[k].exp() - 1) * q.value

    def share_errors(self):
        """Of what lies above the lower edge, below the upper one, and above the last."""
        grown = (arb(self.edges[1]) - arb(self.edges[0])).exp()
        raised = Estimate(grown * self.q.value, grown * self.q.error)
        # At most half of what the mass may have above or below, whose middle is taken then.
        most = (1 - 1 / grown) / 2, (grown - 1) / 2
        tail, other = (
            Estimate(f * t, f * t * TAIL)
            for f, t in (
                (f, arb(rounded(Normal().tail, np.array([x[1]]))[0]))
                for f, x in ((arb(1), self.xs), (arb(self.edges[1]).exp(), self.moved))
            )
        )
        beyond = self.above_error(tail, other, 1)
        for q, k in ((self.q, 0), (raised, 1)):
            yield arb("1.01") * most[k].min(self.above_error(self.p, q, k) / self.p.value)
        yield 2 * beyond / tail.value
        self.above_last = tail.value - other.value + beyond


def agree(found, formula):
    return abs(arb(found) / formula - 1) < WITHIN


CELLS = [(x, width) for x in (0.3, 3.0) for width in (0.25, 1e-4)]


@pytest.mark.parametrize(("x", "width"), CELLS)
def test_losses_are_off_by_functions_and_places(x, width):
    cell = Cell(x, width)
    assert agree(cell.found.loss_error, max(cell.losses, key=float))


@pytest.mark.parametrize(("x", "width"), CELLS)
def test_masses_are_off_by_tails_or_by_the_gap_of_chords(x, width):
    cell = Cell(x, width)
    assert abs(arb(cell.found.p[0]) / cell.p.value - 1) < 1e-12
    assert agree(cell.found.mass_error, cell.p.error / (cell.p.value - cell.p.error))


@pytest.mark.parametrize(("x", "width"), CELLS)
def test_shares_are_off_by_masses_and_the_losses_of_their_edges(x, width):
    cell = Cell(x, width)
    assert agree(cell.found.share_error_p, max(cell.share_errors(), key=float))
    assert abs(arb(cell.found.upper_tail_above) / cell.above_last - 1) < 1e-12


def test_what_lies_below_the_first_edge_is_the_rest_and_its_error():
    cell = Cell(0.3, 0.25)
    tail = arb(rounded(Normal().tail, np.array(cell.moved))[0])
    assert agree(cell.found.lower_tail_q - float(1 - tail), TAIL * tail)


@pytest.mark.parametrize("x", [37.15, 37.3, 37.46])
def test_masses_beyond_reach_are_at_infinity(x):
    """The tail that is too small for doubles, and 1e-306 for what the functions do not tell."""
    found, (at, _), reach = Noted(Normal(), 1e-14).integrate(1.0, [x + 0.5, 1e4])
    formula = Normal().tail(at) - Normal().tail(reach) + arb("1e-306")
    assert abs(arb(found.infinity_mass) / formula - 1) < 1e-3
    assert math.isclose(found.lower_tail_q, 1, rel_tol=1e-12)
