# SPDX-License-Identifier: Apache-2.0
"""One step of a Gaussian mechanism of random sensitivity, in ball arithmetic.

(sum p_i N(s_i), N(0)) or its reverse in noise units, cut at any real losses as `exact.pair.Pair`.
"""

import math
from dataclasses import dataclass

from flint import arb

from exact.pair import Mixture, Pair, Point


@dataclass(frozen=True, slots=True)
class MixturePair(Pair):
    """`terms` are (sensitivity, probability), doubles at their exact value; `step` is not used."""

    deviation: float
    terms: tuple[tuple[float, float], ...]
    rate: float = 1.0

    def _components(self) -> Mixture:
        total = sum((arb(p) for _, p in self.terms), arb(0))
        moved = [(self.rate * arb(p) / total, arb(s) / self.deviation) for s, p in self.terms]
        return ((1 - arb(self.rate), arb(0)), *moved)

    def _mixtures(self) -> tuple[Mixture, Mixture]:
        still = ((arb(1), arb(0)),)
        if self.direction == "remove":
            return self._components(), still
        return still, tuple((p, -s) for p, s in self._components())

    def _point(self, loss: arb) -> Point:
        sign = 1 if self.direction == "remove" else -1
        rest = sum((p for p, s in self._components() if s == 0), arb(0))
        goal = (sign * loss).exp() - rest
        if goal <= 0:
            return -sign * math.inf
        return sign * self._crossing(goal.log())

    def _crossing(self, goal: arb) -> arb:
        """Where log sum_(s > 0) p e^(s x - s^2/2) is `goal`: interval Newton's method."""
        parts = [(p, s) for p, s in self._components() if s > 0]

        def curve(x: arb) -> tuple[arb, arb]:
            terms = [p * (s * x - s * s / 2).exp() for p, s in parts]
            total = sum(terms, arb(0))
            slope = sum((t * s for t, (_, s) in zip(terms, parts, strict=True)), arb(0)) / total
            return total.log(), slope

        x = min(((goal - p.log()) / s + s / 2).mid() for p, s in parts)
        for _ in range(300):  # the curve is convex: from the right, no step overshoots
            value, slope = curve(x)
            step = ((value - goal) / slope).mid()
            x = (x - step).mid()
            if abs(step) < (1 + abs(x)) * arb(2) ** -60:
                break
        for _ in range(12):
            value, slope = curve(x)
            x = (x - (value - goal) / slope).mid()
        value, slope = curve(x)
        radius = abs((value - goal) / slope).upper() * 4 + arb(2) ** -2000
        around = x + arb(0, radius)
        found = x - (value - goal) / curve(around)[1]
        assert around.contains(found)
        return found
