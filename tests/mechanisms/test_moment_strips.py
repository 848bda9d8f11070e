# SPDX-License-Identifier: Apache-2.0
"""What the trapezoid rule is off by, by the formulas of its page in ball arithmetic."""

import math

import pytest
from flint import arb

from hockeystick import _core
from mechanisms.mixtures import FORMS, Mixture, least, most, near

WIDTH = 0.5  # of a cell
PARTS = ("beyond", "below", "cells", "upright", "down")

pytestmark = pytest.mark.bits(80)


def widest(steepest):
    return least(arb("0.97") * arb.pi() / steepest, arb(12))


def by_strips(mixture, form, step, tilt, frequency):
    """The best of six strips."""
    _, ahead, behind = FORMS[form]
    found = []
    for k in range(1, 7):
        a = widest(mixture.steepest) * k / 6
        falls = ahead < 0 or behind < 0
        bend = -(mixture.steepest * a / 2).cos().log() if falls else arb(0)
        rise = (abs(ahead) + abs(behind)) * mixture.steepest * a
        found.append(a * a / 2 + tilt * bend + frequency * rise - 2 * arb.pi() * a / step)
    return arb("3.2") * least(*found).exp()


class Cells:
    """The path over cells, as the page has it."""

    def __init__(self, mixture, form, needs):
        _, _, highest, _, self.accuracy, _ = needs
        self.mixture = mixture
        self.own, self.ahead, self.behind = FORMS[form]
        self.heights = [widest(mixture.steepest) * arb("0.72") ** k for k in range(32)]
        reach = math.sqrt(2 * self.accuracy) + 4
        top = max(0.0, (self.own + highest * self.ahead) * float(mixture.steepest)) + reach
        first = -math.ceil(reach / WIDTH) * WIDTH
        count = math.ceil((top + reach) / WIDTH / 8) * 8
        self.x = [first + WIDTH * k for k in range(count)]
        self.value = [mixture.value(x) for x in self.x]
        self.slope = [(mixture.slope(x), abs(self.behind) * mixture.slope(-x)) for x in self.x]
        self.value_behind = [mixture.value(-x) for x in self.x]

    def grown(self, k, tilt, sign):
        """log(P e^(tilt L) / phi) at an end, and its error with that sign."""
        rate, behind = self.own + arb(tilt) * self.ahead, arb(tilt) * self.behind
        value = rate * self.value[k] + behind * self.value_behind[k]
        return value + sign * (abs(rate) + abs(behind)) * self.mixture.error

    def rises(self, tilt):
        """Whether that increases."""
        return self.own + tilt * self.ahead > 0

    def moment_below(self, tilt):
        """log M from below: in each cell both factors where they are smallest."""
        sum_ = arb(0)
        for k in range(len(self.x) - 1):
            far = max(abs(self.x[k]), abs(self.x[k + 1]))
            value = self.grown(k if self.rises(tilt) else k + 1, tilt, -1)
            sum_ += (value - arb(far) ** 2 / 2).exp()
        return (sum_ * WIDTH).log()

    def exponents(self, j, slopes, step, tilt, frequency):
        """What the modulus grows by at a height, by the slopes and anywhere, over the divisor."""
        a, steepest = self.heights[j], self.mixture.steepest
        sides, bends = 1 + abs(self.behind), tilt if self.ahead < 0 or self.behind else 0
        v = 2 * arb.pi() * a / step
        shrunk = [1 - a * slope * a * steepest / 2 for slope in slopes]
        fall = v if v > 1 else (arb("1.6") * v).log()
        anywhere = a * a / 2 + frequency * sides * a * steepest - fall
        if bends:
            anywhere -= bends * (a * steepest / 2).cos().log()
        if not all(left > 0 for left in shrunk):
            return arb("inf"), anywhere
        turn = sum((a * slope / left for slope, left in zip(slopes, shrunk, strict=True)), arb(0))
        by_slope = a * a / 2 + frequency * turn - fall
        bent = shrunk[1 if self.behind else 0]
        return by_slope - (bends * bent.log() if bends else 0), anywhere

    def largest(self, k, tilt, below):
        """log of the largest density of cell k."""
        x = max(self.x[k], min(self.x[k + 1], 0.0))
        return self.grown(k + 1 if self.rises(tilt) else k, tilt, 1) - arb(x) ** 2 / 2 - below

    def error(self, step, tilt, frequency):
        """By parts: beyond the last cells, below the first, in cells, upright, on the way down."""
        below, last = self.moment_below(tilt), len(self.x) - 1
        at_end = [self.grown(k, tilt, 1) - arb(self.x[k]) ** 2 / 2 - below for k in (0, last)]
        beyond, end = (2 + arb(step)) * at_end[1].exp(), last
        while end > 1:
            more = beyond + 2 * (WIDTH + arb(step)) * self.largest(end - 1, tilt, below).exp()
            if not more <= arb("0.01") * arb(-self.accuracy).exp():
                break
            beyond, end = more, end - 1

        def grown(j, slopes):
            return self.exponents(j, slopes, step, tilt, frequency)

        heights = range(len(self.heights))
        served = [j for j in heights if j == 0 or 2 * arb.pi() * self.heights[j] > step]
        flat = min(served, key=lambda j: float(grown(j, (0, 0))[1]))
        parts, used, exponent = dict.fromkeys(PARTS, arb(0)), None, arb(0)
        parts["beyond"] = beyond
        far = (self.slope[0][0], abs(self.behind) * self.mixture.steepest)
        cells = [("below", at_end[0], far, far, 1.0)]
        for k in range(end + 1):
            steepest = (self.slope[k + 1][0], self.slope[k][1])
            cells.append(("cells", self.largest(k, tilt, below), self.slope[k], steepest, WIDTH))
        for name, log, from_, slopes, scale in cells:
            by_slopes = [float(grown(j, slopes)[0]) for j in heights]
            best = by_slopes.index(min(by_slopes))
            by_slope, anywhere = grown(best, slopes)[0], grown(flat, (0, 0))[1]
            before, used = used, flat if anywhere < by_slope else best
            exponent = least(by_slope, anywhere)
            parts[name] += scale * (log + exponent).exp()
            if before not in {None, used}:
                ends = [grown(before, from_), grown(used, from_)]
                upright = least(*(most(*pair) for pair in zip(*ends, strict=True)))
                apart = abs(self.heights[used] - self.heights[before])
                parts["upright"] += apart * (log + upright).exp()
        way_down = self.largest(end, tilt, below) + most(arb(0), exponent)
        parts["down"] = self.heights[used] * way_down.exp()
        return {name: arb("3.2") * part for name, part in parts.items()}


# Shifts and rates, error of logs, form, lowest tilt, tilt, highest, frequency, accuracy; then tilt
# and frequency asked.
STRIPS = [
    (((2.0, 0.1),), 0.0, "remove", (1.0, 2.0, 3.0, 1.0, 20.0, 0.0), 2.5, 0.0),
    (((2.0, 0.1),), 0.0, "add", (1.0, 2.0, 3.0, 3.0, 20.0, 0.0), 2.5, 2.0),
    (((2.0, 0.1),), 0.0, "replace", (1.0, 2.0, 3.0, 3.0, 20.0, 0.0), 2.5, 2.0),
    (((0.1, 0.1),), 0.0, "remove", (1.0, 2.0, 3.0, 3.0, 20.0, 0.0), 2.5, 1.0),
]
# And what makes up a twentieth of the error or more.
CELLS = [
    (((3, 1.8e-5),), 0, "add", (22, 44, 66, 211, 2, 0), 39, 232, "beyond down"),
    (((0.5, 2.1e-3),), 0, "remove", (21.5, 43, 65, 944, 8, 0), 52, 1227, "cells"),
    (((0.5, 2.1e-3),), 1e-3, "remove", (21.5, 43, 65, 944, 8, 0), 52, 1227, "cells"),
    (
        ((0.3, 4.56e-3),),
        1e-5,
        "add",
        (4676, 9352, 14028, 509500, 2, 0),
        8417,
        560500,
        "upright cells",
    ),
    (((0.3, 0.142),), 1e-5, "add", (803, 1606, 2409, 49471, 12, 0), 1445, 24736, "down"),
    (((1, 0.0188),), 0, "add", (305, 610, 915, 1313, 20, 0), 549, 1444, "cells"),
    (((0.4, 0.01), (1, 0.005)), 0, "add", (305, 610, 915, 2500, 5, 0), 549, 2700, "cells"),
    (((0.5, 2.1e-3),), 1e-3, "replace", (21.5, 43, 65, 944, 8, 0), 52, 1227, "cells"),
    (((0.2, 0.138),), 1e-3, "replace", (2.8, 5.7, 8.5, 1460, 20, 0), 6.8, 1680, "cells upright"),
    (((0.3, 0.0383),), 0, "replace", (7.5, 15, 22.6, 27000, 2, 0), 18, 31000, "upright beyond"),
    (((0.2, 5e-4),), 1e-3, "replace", (38.5, 77, 116, 46400, 20, 0), 92.4, 53300, "upright cells"),
    (((4, 0.0131),), 1e-5, "replace", (0.098, 0.196, 0.293, 63.2, 4, 0), 0.235, 72.7, "cells"),
    (((0.3, 0.529),), 1e-3, "replace", (6.9, 13.8, 20.7, 3710, 2, 0), 16.6, 4270, "cells"),
    (((0.1, 1.7e-4),), 1e-5, "replace", (47.7, 95.4, 143, 2290, 2, 0), 114, 2640, "down beyond"),
]
NAMES = ("parts", "error", "form", "needs", "tilt", "frequency")


@pytest.mark.parametrize(NAMES, STRIPS)
def test_few_nodes_are_off_by_the_best_strip(parts, error, form, needs, tilt, frequency):
    strips = _core.lines.MomentStrips(list(parts), error, form, needs)
    step = strips.step()
    formula = by_strips(Mixture(parts, error), form, arb(step), arb(tilt), arb(frequency))
    assert near(strips.error(step, tilt, frequency), formula)


@pytest.mark.parametrize((*NAMES, "counts"), CELLS)
def test_many_nodes_are_off_by_the_path_over_cells(
    parts, error, form, needs, tilt, frequency, counts
):
    mixture = Mixture(parts, error)
    strips = _core.lines.MomentStrips(list(parts), error, form, needs)
    step = strips.step()
    found = Cells(mixture, form, needs).error(step, tilt, frequency)
    formula = sum(found.values(), arb(0))
    assert all(found[name] > formula / 20 for name in counts.split())
    assert not formula >= by_strips(mixture, form, arb(step), arb(tilt), arb(frequency))
    # The core may miss the best height by a little.
    assert 1 - arb("1e-6") <= strips.error(step, tilt, frequency) / formula <= 1 + arb("1e-4")


@pytest.mark.parametrize((*NAMES, "counts"), CELLS[1:6:4])
def test_what_is_known_beforehand_is_the_path_over_cells(
    parts, error, form, needs, tilt, frequency, counts
):
    """At the tilts and the frequency that the step was made for."""
    del tilt, frequency, counts
    strips = _core.lines.MomentStrips(list(parts), error, form, needs)
    lowest, own, highest, largest, _, _ = needs
    for tilt, frequency in ((lowest, 0.0), (own, 0.0), (own, largest), (highest, 0.0)):
        step, mixture = strips.step(), Mixture(parts, error)
        cells = sum(Cells(mixture, form, needs).error(step, tilt, frequency).values(), arb(0))
        best = least(cells, by_strips(mixture, form, arb(step), arb(tilt), arb(frequency)))
        found = strips.error(step, tilt, frequency)
        assert best < arb("1e-300") or found >= best * (1 - arb("1e-6"))
