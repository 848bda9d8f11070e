# SPDX-License-Identifier: Apache-2.0
"""Laws with finitely many losses above and below one release, from its curve at some losses.

A curve h is convex in alpha = e^epsilon. Its chords between knots lie above it, and beyond each
knot the chord before it, prolonged, lies below. So between two knots h lies above the chords on
either side, prolonged, and the larger of these is least where they meet. All in exact fractions.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from flint import arb, ctx, fmpq

from hockeystick.verify.atoms import Steps
from hockeystick.verify.balls import Curve, ball_of
from hockeystick.verify.ends import Corner, lower_hull
from hockeystick.verify.laws import Atoms

NUMBER = 256  # knots between the ends
GONE = 1e-18  # a delta below this counts as 0 where the knots end
FARTHEST = 300.0  # nats
DEEP = 40.0  # nats below the others there is one knot more: Q may have mass where P has none
GRAIN = 1 << 400  # values below are rounded to multiples of 1 / GRAIN
ONE, NONE = fmpq(1), fmpq(0)


class Knots:
    """A curve at losses on a lattice: alpha, and what its value is above and below.

    `ends` are where the curve hardly falls, and that of the reverse, whose values it loses digits
    of; any will do.
    """

    def __init__(
        self,
        curve: Curve,
        infinite: arb | None = None,
        number: int = NUMBER,
        ends: tuple[float, float] | None = None,
    ) -> None:
        self._forever = NONE if infinite is None else max(exactly(infinite.lower()), NONE)
        high, low = ends or (farthest(curve, 1), farthest(curve, -1))
        low = -low
        self._step: float = (high - low) / number
        self._index: list[int] = [*range(math.floor(low / self._step), number)]
        self._index = [k for k in self._index if k * self._step <= high + self._step]
        self._index.insert(0, self._index[0] - math.ceil(DEEP / self._step))
        self._alpha: list[fmpq] = []
        self._low: list[fmpq] = []
        self._high: list[fmpq] = []
        for k in self._index:
            alpha = (k * arb(self._step)).exp().mid()
            value, x = curve(alpha.log()), exactly(alpha)
            self._alpha.append(x)
            self._low.append(max(exactly(value.lower()), ONE - x, self._forever))
            self._high.append(min(exactly(value.upper()), ONE))

    def above(self) -> Atoms:
        """A law whose curve is not below: the chords, and for ever what the last knot has."""
        least = self._high[:]
        for k in range(1, len(least)):
            least[k] = min(least[k], least[k - 1])
        return self._law(least, lifted=True)

    def below(self) -> Atoms:
        """A law whose curve is not above: on each part it passes below the meeting point."""
        values = [max(ONE - self._alpha[0], self._forever)]
        for k in range(1, len(self._alpha)):
            start, end = self._alpha[k - 1 : k + 1]
            floor, before = (max(ONE - x, self._forever) for x in (end, start))
            place, least = self._meeting(k)
            most = values[-1] + (least - values[-1]) * (end - start) / (place - start)
            value = fmpq(math.floor(min(most, self._low[k], values[-1]) * GRAIN), GRAIN)
            if value <= floor:  # which is not above the curve, nor is its chord but at its kink
                values[-1], value = before, floor
                if start < 1 - self._forever < end:
                    values[-1] = value = self._forever
            values.append(value)
        values[-1] = self._forever
        return self._law(values, lifted=False)

    def power(self, rate: float) -> arb:
        """At least the largest true positive rate: no test has more than a line at any knot."""
        lines = [float(x) * rate + float(v) for x, v in zip(self._alpha, self._high, strict=True)]
        best = min(range(len(lines)), key=lines.__getitem__)
        return (ball_of(self._alpha[best]) * arb(rate) + ball_of(self._high[best])).min(arb(1))

    def _meeting(self, k: int) -> Corner:
        """Between knot k - 1 and knot k: a place, and a value that the curve is not below there.

        A chord to a value that is not below the farther knot, from one not above the nearer, is not
        above the curve beyond the nearer.
        """
        x, low, high = self._alpha, self._low, self._high
        left = (low[k - 1] - high[k - 2]) / (x[k - 1] - x[k - 2]) if k > 1 else -ONE
        right = (high[k + 1] - low[k]) / (x[k + 1] - x[k]) if k + 1 < len(x) else NONE
        place = (x[k - 1] + x[k]) / 2
        if right > left:
            met = (low[k] - low[k - 1] + left * x[k - 1] - right * x[k]) / (left - right)
            place = met if x[k - 1] < met < x[k] else place
        return place, max(low[k - 1] + left * (place - x[k - 1]), low[k] + right * (place - x[k]))

    def _law(self, values: Sequence[fmpq], *, lifted: bool) -> Atoms:
        """The law of the convex hull of these values, of (0, 1), and of the last one for ever.

        P's mass at the first knot goes to the next one if `lifted`, and else is left out.
        """
        corners = lower_hull([(NONE, ONE), *zip(self._alpha, values, strict=True)])
        place = dict(zip(self._alpha, self._index, strict=True))
        slopes = [(w - v) / (b - a) for (a, v), (b, w) in pairwise(corners)]
        masses = {
            place[x]: x * (slope - last)
            for (x, _), last, slope in zip(corners[1:], slopes, [*slopes[1:], NONE], strict=True)
        }
        first = masses.pop(self._index[0], NONE)
        steps = [k for k in masses if masses[k] > 0]
        if lifted and steps:
            masses[steps[0]] += first
        off = arb(0, arb(2) ** (16 - ctx.prec) * FARTHEST)  # of the logarithm of a rounded alpha
        return Atoms(
            tuple((arb(self._step) * k + off, ball_of(masses[k])) for k in steps),
            ball_of(corners[-1][1] + (first if lifted and not steps else 0)),
            spacing=arb(self._step) if steps else None,
            index=tuple(k - steps[0] for k in steps),
        )


def hull_of(curve: Curve) -> Curve:
    """The convex hull of an upper bound: no curve below the bound exceeds its chords."""
    law = Knots(curve, number=4 * NUMBER).above()
    chords = Steps(law.outcomes)
    return lambda epsilon: curve(epsilon).min(law.infinite + chords(epsilon))


def exactly(x: arb) -> fmpq:
    """The number of a ball without radius."""
    mantissa, exponent = map(int, x.man_exp())
    return mantissa * fmpq(2) ** exponent


def farthest(curve: Curve, sign: int = 1) -> float:
    """A loss beyond which the curve, or, if the sign is -1, that of the reverse, hardly falls."""

    def left(at: float) -> arb:
        x = sign * arb(at)
        value = curve(x)
        return value if sign > 0 else (value + x.expm1()) * (-x).exp()

    def is_flat(at: float) -> bool:
        here = left(at)
        return all(here - left(end) < GONE for end in (1.25 * at, at + 1, at + 8))

    at = 0.01
    while at < FARTHEST and not is_flat(at):
        at *= 1.25
    return at
