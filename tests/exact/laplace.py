# SPDX-License-Identifier: Apache-2.0
"""One step's Laplace pair, plain or Poisson-sampled, cut at any real losses, in ball arithmetic.

Straight from the distribution functions of the loss, asked as `exact.pair.Pair` is.
"""

import math
from dataclasses import dataclass
from typing import Literal

from flint import arb

from exact.pair import Cells, Point

Masses = tuple[arb, arb]  # of P and of Q


@dataclass(frozen=True, slots=True)
class LaplacePair(Cells):
    """`remove` is also the plain mechanism, at q = 1."""

    noise_multiplier: float | arb
    q: float = 1.0
    direction: Literal["remove", "add"] = "remove"

    def _inner(self, loss: Point) -> Point:
        """The loss of the plain pair (mirrored for `add`) that sampling turns into `loss`."""
        if self.q == 1 or isinstance(loss, float):
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

    def _cell(self, low: Point, high: Point) -> Masses:
        ends = [self._plain(self._inner(loss)) for loss in (low, high)]
        p, other = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
        q = arb(self.q)
        if self.direction == "remove":
            return q * p + (1 - q) * other, other
        return p, (1 - q) * p + q * other
