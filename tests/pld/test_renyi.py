# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of a stored distribution: chords of its kinks, moved by the losses' error."""

from itertools import pairwise

import pytest
from flint import arb, ctx

from hockeystick import _core
from pld import stored

OFF = 1e-6  # of each loss; kinks move by twice as much
LAWS = {  # by the term that is the largest: the first index, and masses, less than 1 of Q's
    "the chord from 1": (-1, [0.05, 0.05, 0.9]),
    "hats of cells": (-8, [0.0094 * 1.2**k for k in range(17)]),
    "the peak at 1": (-1, [0.4, 0.0, 0.6]),
    "the chord to the largest loss": (3, [0.1, 0.2, 0.7]),
}


def kinks(first, masses, interval, side):
    """Losses, moved, with the certified values at them."""
    points = [(arb(interval) * (first + k), arb(m)) for k, m in enumerate(masses)]
    sign = 1 if side == "upper" else -1
    found = []
    for at, _ in points:
        value = sum((m * (1 - (at - loss).exp()) for loss, m in points if loss > at), arb(0))
        found.append(((at + sign * 2 * arb(OFF)).exp(), value))
    return found


def integral(points, t):
    """(1 + t) t alpha^(t - 1) times the line through each two points, from one to the next."""
    cells = []
    for (low, one), (high, other) in pairwise(points):
        slope = (other - one) / (high - low)
        start = one - slope * low
        powers = [0 * low if low == 0 else low**e for e in (t, t + 1)]
        cells.append(
            (1 + t) * start * (high**t - powers[0]) + t * slope * (high ** (t + 1) - powers[1])
        )
    return cells


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("order", [1.5, 3.0, 40.0])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_divergences_are_the_integral_of_chords(law, order, side):
    """Without the error of the losses they would differ by 1e-6 and more."""
    (first, masses), interval = LAWS[law], 0.25
    step = stored.step(
        range(first, first + len(masses)), masses, interval=interval, side=side, loss_error=OFF
    )
    (found,) = _core.pld_renyi(stored.alone(step), [order])
    with ctx.workprec(200):
        t = arb(order) - 1
        points = kinks(first, masses, interval, side)
        if side == "upper":
            points = [(arb(0), arb(1)), *points]
            moment = sum(integral(points, t), arb(0))
        else:  # each cell is that of the chord less the trivial curve, or nothing
            one = next((k for k, (alpha, _) in enumerate(points) if alpha > 1), len(points))
            cells = integral(points, t)
            for k, (low, high) in enumerate(pairwise(points)):
                ends = low[0], arb(1) if k + 1 == one else high[0]
                if k < one:
                    cells[k] -= sum(integral([(a, 1 - a) for a in ends], t), arb(0))
            moment = 1 + sum((cell.max(arb(0)) for cell in cells), arb(0))
        formula = moment.log() / t
        assert abs(arb(found) - formula) < 1e-6 * OFF * formula + 1e-13 * order
