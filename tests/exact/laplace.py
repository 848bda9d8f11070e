# SPDX-License-Identifier: Apache-2.0
"""One step's Laplace pair, plain or Poisson-sampled, cut at any real losses, in ball arithmetic.

Straight from the distribution functions of the loss, as the methods of `exact.pair.Pair`.
"""

import math
from dataclasses import dataclass
from typing import Literal

from flint import arb

from exact.balls import at_accuracy
from exact.pair import BITS, Cells

Point = arb | float  # a float if infinite
Masses = tuple[arb, arb]  # of P and of Q


@dataclass(frozen=True, slots=True)
class LaplacePair(Cells):
    """`remove` is also the plain mechanism, at q = 1."""

    noise_multiplier: float | arb
    q: float = 1.0
    direction: Literal["remove", "add"] = "remove"

    def _inner(self, loss: arb) -> Point:
        """The loss of the plain pair (mirrored for `add`) that sampling turns into `loss`."""
        if self.q == 1:
            return loss
        sign = 1 if self.direction == "remove" else -1
        odds = (sign * loss).expm1() / arb(self.q) + 1
        return -sign * math.inf if odds <= 0 else sign * odds.log()

    def _plain(self, point: Point) -> Masses:
        """The plain pair's masses up to a loss."""
        m = 1 / arb(self.noise_multiplier)
        if isinstance(point, float):
            return (arb(int(point > 0)),) * 2
        if point < -m:
            return arb(0), arb(0)
        if point >= m:
            return arb(1), arb(1)
        return ((point - m) / 2).exp() / 2, 1 - (-(point + m) / 2).exp() / 2

    def _mixed(self, masses: Masses) -> Masses:
        p, other = masses
        q = arb(self.q)
        if self.direction == "remove":
            return q * p + (1 - q) * other, other
        return p, (1 - q) * p + q * other

    def _up_to(self, loss: arb) -> Masses:
        return self._mixed(self._plain(self._inner(loss)))

    def _cell(self, low: arb, high: arb) -> Masses:
        ends = [self._plain(self._inner(loss)) for loss in (low, high)]
        return self._mixed((ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]))

    def p_above(self, loss: arb) -> arb:
        """P(L > loss)."""
        return at_accuracy(lambda: 1 - self._up_to(loss)[0], BITS)

    def p_below(self, loss: arb) -> arb:
        """P(L <= loss)."""
        return at_accuracy(lambda: self._up_to(loss)[0], BITS)

    def q_below(self, loss: arb) -> arb:
        """Q(L <= loss)."""
        return at_accuracy(lambda: self._up_to(loss)[1], BITS)

    def delta(self, epsilon: arb) -> arb:
        """The hockey-stick curve at any real epsilon."""

        def evaluate() -> arb:
            p, q = self._up_to(epsilon)
            return (1 - p) - epsilon.exp() * (1 - q)

        return at_accuracy(evaluate, BITS)
