# SPDX-License-Identifier: Apache-2.0
"""One step's pair (P, Q) cut at any real losses, in ball arithmetic.

Written on a line on which the loss L increases, so that {a < L <= b} is an interval.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from flint import arb

from exact.balls import at_accuracy, normal_tail
from exact.model import Direction, Step

BITS = 80
Mixture = tuple[tuple[arb, arb], ...]  # (weight, centre) of unit normals
Point = arb | float  # a float if infinite


def _tail(mixture: Mixture, x: Point, sign: int = 1) -> arb:
    """Mass above x, or with sign -1 below it."""
    if isinstance(x, float):
        return arb(int(x * sign < 0))
    return sum((w * normal_tail(sign * (x - c)) for w, c in mixture), arb(0))


def _mass(mixture: Mixture, a: Point, b: Point) -> arb:
    sign = 1 if a > 0 else -1
    return sign * (_tail(mixture, a, sign) - _tail(mixture, b, sign))


class Cells(ABC):
    """What is asked of a pair, given the masses of both distributions in a cell of losses."""

    __slots__ = ()

    @abstractmethod
    def _cell(self, low: Point, high: Point) -> tuple[arb, arb]:
        """P and Q of low < L <= high."""

    def _of(self, low: Point, high: Point, value: Callable[[arb, arb], arb]) -> arb:
        return at_accuracy(lambda: value(*self._cell(low, high)), BITS)

    def p(self, low: Point, high: Point) -> arb:
        """P(low < L <= high)."""
        return self._of(low, high, lambda p, _: p)

    def above(self, low: arb, high: Point) -> arb:
        """P - e^low Q of the cell."""
        return self._of(low, high, lambda p, q: p - low.exp() * q)

    def below(self, low: Point, high: arb) -> arb:
        """e^high Q - P of the cell."""
        return self._of(low, high, lambda p, q: high.exp() * q - p)

    def p_above(self, loss: arb) -> arb:
        """P(L > loss)."""
        return self.p(loss, math.inf)

    def p_below(self, loss: arb) -> arb:
        """P(L <= loss)."""
        return self.p(-math.inf, loss)

    def q_below(self, loss: arb) -> arb:
        """Q(L <= loss)."""
        return self._of(-math.inf, loss, lambda _, q: q)

    def delta(self, epsilon: arb) -> arb:
        """The hockey-stick curve of (P, Q) at any real epsilon."""
        return self.above(epsilon, math.inf)

    def reverse_delta(self, epsilon: arb) -> arb:
        """The hockey-stick curve of (Q, P) at any real epsilon."""
        return self._of(-math.inf, -epsilon, lambda p, q: q - epsilon.exp() * p)


@dataclass(frozen=True, slots=True)
class Pair(Cells):
    """The pair of `step` in a direction; its methods take losses as doubles or exact balls."""

    step: Step
    direction: Direction

    def _mixtures(self) -> tuple[Mixture, Mixture]:
        m, q = 1 / arb(self.step.sigma), arb(self.step.q)
        at_rest = ((arb(1), arb(0)),)
        if self.direction == "add":
            return at_rest, ((1 - q, arb(0)), (q, -m))
        shifted = ((1 - q, arb(0)), (q, m))
        return shifted, (at_rest if self.direction == "remove" else ((1 - q, arb(0)), (q, -m)))

    def _point(self, loss: arb) -> Point:
        """Where L = loss; infinite outside the range of L."""
        m, q = 1 / arb(self.step.sigma), arb(self.step.q)
        if self.direction == "replace":
            return self._replace_point(m, q, loss)
        sign = 1 if self.direction == "remove" else -1
        if self.step.q == 1:
            return loss / m + sign * m / 2
        odds = ((sign * loss).exp() - 1 + q) / q
        return -sign * math.inf if odds <= 0 else sign * (odds.log() / m + m / 2)

    def _replace_point(self, m: arb, q: arb, loss: arb) -> arb:
        if loss < 0:
            return -self._replace_point(m, q, -loss)
        b = q * (-m * m / 2).exp()
        linear = loss.expm1() * (1 - q)
        root = (linear * linear + 4 * loss.exp() * b * b).sqrt()
        return ((linear + root) / (2 * b)).log() / m

    def _cell(self, low: Point, high: Point) -> tuple[arb, arb]:
        a, b = (x if isinstance(x, float) else self._point(x) for x in (low, high))
        p, q = self._mixtures()
        return _mass(p, a, b), _mass(q, a, b)
