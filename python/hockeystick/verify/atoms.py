# SPDX-License-Identifier: Apache-2.0
"""Compositions of finitely many losses: every sum is listed, or the masses of a lattice powered."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from flint import arb, arb_poly

from hockeystick.verify.balls import ZERO, Curve, between, maximum
from hockeystick.verify.laws import Atoms
from hockeystick.verify.outcomes import multinomial
from hockeystick.verify.work import POINT, spend

MOST_SUMS = 3 * 10**5
SUM = POINT / 2  # of making and sorting one
TOGETHER = 1e-9  # losses this close, relatively, are compared in ball arithmetic
Outcomes = Sequence[tuple[arb, arb]]


def number_of_sums(law: Atoms, count: int) -> float:
    """How many outcomes `listed` makes of `count` releases."""
    ways = _ways(law, count)
    if law.spacing is not None:
        return min(ways, law.index[-1] * count + 1.0)
    return ways


def _ways(law: Atoms, count: int) -> float:
    kinds = len(law.outcomes)
    if kinds <= 1:
        return 1.0
    ways = math.lgamma(count + kinds) - math.lgamma(kinds) - math.lgamma(count + 1)
    return math.exp(min(ways, 700.0))


def listed(law: Atoms, count: int) -> Outcomes:
    """The sums of the losses of `count` releases, and their masses."""
    if count == 1:
        return law.outcomes
    spend(SUM * number_of_sums(law, count))
    if law.spacing is not None:
        return _powered(law, count)
    return list(multinomial(law.outcomes, count))


def _powered(law: Atoms, count: int) -> Outcomes:
    """On a lattice: the coefficients of the count-th power of the generating polynomial."""
    masses = [ZERO] * (law.index[-1] + 1)
    for place, (_, mass) in zip(law.index, law.outcomes, strict=True):
        masses[place] = masses[place] + mass
    first, spacing = count * law.outcomes[0][0], law.spacing or ZERO
    power = (arb_poly(masses) ** count).coeffs()
    return [(first + spacing * k, mass) for k, mass in enumerate(power) if not mass.is_zero()]


class Steps:
    """The curve of finitely many losses: sum of mass (1 - e^(epsilon - loss)) beyond epsilon.

    The terms are continuous in the loss, so that one whose loss may lie on either side counts with
    the ball of the larger of 0 and itself.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = sorted(outcomes, key=lambda outcome: float(outcome[0].mid()))
        self._losses = [float(loss.mid()) for loss, _ in self._outcomes]
        self._widest = max((float(loss.rad()) for loss, _ in self._outcomes), default=0.0)
        backwards = [mass for _, mass in self._outcomes[::-1]]
        weighted = [mass * (-loss).exp() for loss, mass in self._outcomes[::-1]]
        self._p = [*accumulate(backwards, initial=ZERO)][::-1]
        self._q = [*accumulate(weighted, initial=ZERO)][::-1]

    def __len__(self) -> int:
        return len(self._outcomes)

    def power(self, rate: arb, curve: Curve, infinite: arb) -> arb:
        """The largest true positive rate at a false positive rate (Neyman & Pearson 1933).

        Tests that reject the largest losses are mixed, or thinned to the rate, so that each gives
        a lower bound, whatever their order. `curve` is this one with the mass at infinite loss and
        with what is not listed: at any loss x, no test has more than curve(x) + e^x rate.
        """
        size = len(self._outcomes)
        inside = bisect_left(range(size + 1), 1, key=lambda k: int(not self._q[k] > rate))
        first = bisect_left(range(size + 1), 1, key=lambda k: int(bool(self._q[k] <= rate)))
        least, most = self._p[first], arb(1)
        if inside > 0:
            share = (rate - self._q[first]) / (self._q[inside - 1] - self._q[first])
            least += share * (self._p[inside - 1] - least)
        for k in range(max(inside - 1, 0), first + 1):
            thinned = self._p[k] * (rate / self._q[k]).min(arb(1)) if k < size else ZERO
            least = least.max(thinned)
        for loss, _ in self._outcomes[max(inside - 1, 0) : max(first, 1)]:
            most = most.min(curve(loss) + loss.exp() * rate)
        return between(infinite + least, most)

    def __call__(self, epsilon: arb) -> arb:
        """The curve at any real `epsilon`."""
        at = float(epsilon.mid())
        near = TOGETHER * (1 + abs(at)) + 2 * (float(epsilon.rad()) + self._widest)
        first, last = bisect_left(self._losses, at - near), bisect_left(self._losses, at + near)
        total = self._p[last] - epsilon.exp() * self._q[last]
        for loss, mass in self._outcomes[first:last]:
            total += mass * maximum(ZERO, -(epsilon - loss).expm1())
        return total


def joined(curve: Curve, outcomes: Outcomes) -> Curve:
    """The curve of what is composed with those losses."""
    return lambda epsilon: sum((mass * curve(epsilon - loss) for loss, mass in outcomes), ZERO)


def product(parts: Sequence[Outcomes]) -> Outcomes:
    """All sums of one outcome of each."""
    made: Outcomes = [(ZERO, arb(1))]
    for part in parts:
        made = [(a + b, p * q) for a, p in made for b, q in part]
    return made
