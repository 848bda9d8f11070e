# SPDX-License-Identifier: Apache-2.0
"""One release's pair (P, Q) cut at any real losses: the laws of `hockeystick.verify`, in balls."""

import math
from collections.abc import Callable

from flint import arb

from exact.balls import at_accuracy, normal_tail
from exact.model import Step
from hockeystick import Mechanism
from hockeystick.adjacency import Direction
from hockeystick.verify import laws
from hockeystick.verify.laws import Law, Shifts

BITS = 80
WAYS = {
    "remove": Direction.REMOVE,
    "add": Direction.ADD,
    "replace": Direction.REPLACE,
    "special_remove": Direction.SPECIAL_REMOVE,
    "special_add": Direction.SPECIAL_ADD,
}

Point = arb | float  # a float if infinite
Masses = tuple[arb, arb]  # of P and of Q


class Cells:
    """What is asked of a law, which is made anew at each precision; losses are exact balls."""

    def __init__(self, make: Callable[[], Law]) -> None:
        self._make = make

    def _of(self, low: Point, high: Point, value: Callable[[arb, arb], arb]) -> arb:
        """Of P and Q of low < L <= high."""

        def found() -> arb:
            cells = [(weight, _cell(pair, low, high)) for weight, pair in self._make()]
            return value(*(sum((w * cell[k] for w, cell in cells), arb(0)) for k in (0, 1)))

        return at_accuracy(found, BITS)

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


class Pair(Cells):
    """Of a step, plain or sampled."""

    def __init__(self, step: Step, direction: str) -> None:
        way = WAYS[direction]
        super().__init__(
            lambda: ((arb(1), laws.sampled(arb(step.sigma), arb(step.q), way)),),
        )


def cells_of(mechanism: Mechanism, direction: str) -> Cells:
    """Of a release of any mechanism with a law."""
    return Cells(lambda: laws.law(mechanism, WAYS[direction]))


def _cell(pair: laws.Pair, low: Point, high: Point) -> Masses:
    """P and Q of low < L <= high."""
    if isinstance(pair, laws.Mixed):  # on a line on which the loss increases
        a, b = (x if isinstance(x, float) else _place(pair.p, pair.q, x) for x in (low, high))
        return _mass(pair.p, a, b), _mass(pair.q, a, b)
    (p, q), (p_to, q_to) = (_laplace_up_to(pair, loss) for loss in (low, high))
    return p_to - p, q_to - q


def _mass(mixture: Shifts, a: Point, b: Point) -> arb:
    sign = 1 if a > 0 else -1
    return sign * (_tail(mixture, a, sign) - _tail(mixture, b, sign))


def _tail(mixture: Shifts, x: Point, sign: int) -> arb:
    """Mass above x, or with sign -1 below it."""
    if isinstance(x, float):
        return arb(int(x * sign < 0))
    return sum((w * normal_tail(sign * (x - c)) for w, c in mixture), arb(0))


def _place(p: Shifts, q: Shifts, loss: arb) -> Point:
    """Where L = loss; infinite outside the range of L."""
    moved = [(w, s) for w, s in p if not s.is_zero()]
    if not moved:
        return -_place(tuple((w, -s) for w, s in q), p, -loss)
    if not all(s.is_zero() for _, s in q):
        ((rate, m),) = moved
        return _replaced(rate, m, loss)
    goal = loss.exp() - sum((w for w, s in p if s.is_zero()), arb(0))
    if goal <= 0:
        return -math.inf
    if len(moved) > 1:
        return _crossing(moved, goal.log())
    ((rate, m),) = moved
    return (goal / rate).log() / m + m / 2


def _replaced(rate: arb, m: arb, loss: arb) -> arb:
    """Where Q moves as far to the other side."""
    if loss < 0:
        return -_replaced(rate, m, -loss)
    b = rate * (-m * m / 2).exp()
    linear = loss.expm1() * (1 - rate)
    root = (linear * linear + 4 * loss.exp() * b * b).sqrt()
    return ((linear + root) / (2 * b)).log() / m


def _crossing(parts: list[tuple[arb, arb]], goal: arb) -> arb:
    """Where log sum p e^(s x - s^2/2) is `goal`: interval Newton's method."""

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


def _laplace_up_to(pair: laws.Pair, loss: Point) -> Masses:
    """P and Q of L <= loss."""
    if isinstance(pair, laws.Laplace):
        return _plain_laplace(pair.m, loss)
    assert isinstance(pair, laws.MixedLaplace)
    inner, sign, rate = loss, 1 if pair.removes else -1, pair.rate
    if not isinstance(loss, float):  # the loss of the plain pair, which is its own reverse
        odds = (sign * loss).expm1() / rate + 1
        inner = -sign * math.inf if odds <= 0 else sign * odds.log()
    p, q = _plain_laplace(pair.m, inner)
    return (rate * p + (1 - rate) * q, q) if pair.removes else (p, (1 - rate) * p + rate * q)


def _plain_laplace(m: arb, loss: Point) -> Masses:
    if isinstance(loss, float):
        return (arb(int(loss > 0)),) * 2
    if loss < -m:
        return arb(0), arb(0)
    if loss >= m:
        return arb(1), arb(1)
    return ((loss - m) / 2).exp() / 2, 1 - (-(loss + m) / 2).exp() / 2
