# SPDX-License-Identifier: Apache-2.0
"""Chernoff bounds of a composition in balls, and the plan of a contour made from them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from flint import arb, ctx

from hockeystick.verify.balls import STEEP, ZERO
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.moments import ROUGH, Counted, moment
from hockeystick.verify.work import remaining

BITS = 128
LIGHT, HEAVY = 0.1, 2000.0  # nats
SMALLEST = 1e-12
DEAR = 1e5  # units of work of a tilt, beyond which no larger ones are tried
LOSABLE = 30.0  # nats by which the integrand may exceed the least


class Tilts:
    """log of prod M_i(t)^n_i at tilts t, each computed once, where a question needs it."""

    def __init__(self, laws: Counted) -> None:
        self._laws = laws
        self._known: dict[float, list[arb]] = {}
        self._plans: dict[float, float] = {0.0: 0.0}
        self._most: float = math.inf
        self._plan(1.0)

    def moments(self, t: float) -> list[arb]:
        """M_i(t) of each law, to few digits."""
        if t not in self._known:
            with ctx.workprec(BITS):
                self._known[t] = [moment(law, arb(t), ROUGH) for law, _ in self._laws]
        return self._known[t]

    def log_moment(self, t: float) -> arb:
        """At tilt t."""
        with ctx.workprec(BITS):
            both = zip(self.moments(t), self._laws, strict=True)
            return sum((n * value.log() for value, (_, n) in both), ZERO)

    def _plan(self, t: float) -> None:
        value = float(self.log_moment(t).upper())
        if not abs(value) < STEEP:
            raise NotKnownError("the loss is too large for contours")
        self._plans[t] = value

    def _widen(self, height: Callable[[float], float], beyond: float = 0.0) -> None:
        """More powers of 2, until `height` grows to both sides by more than `beyond` above least.

        They are where log M is neither next to 0 nor large. A height is convex, or a ratio of a
        convex function and a linear one.
        """
        least = min(height(t) for t in self._plans if t > 0)
        last = max(self._plans)
        while height(last) <= least + beyond and self._plans[last] < HEAVY and last < self._most:
            before = remaining()
            try:
                self._plan(2 * last)
            except NotKnownError:
                self._most = last
                break
            last, least = 2 * last, min(least, height(2 * last))
            if before - remaining() > DEAR:
                self._most = last
        first = min(t for t in self._plans if t > 0)
        while height(first) <= least + beyond and self._plans[first] > LIGHT and first > SMALLEST:
            first /= 2
            self._plan(first)
            least = min(least, height(first))

    def refine(self, epsilon: float) -> None:
        """More tilts around the least bound."""
        self._widen(lambda t: self.log_height(t, epsilon))
        for _ in range(3):
            order = sorted(self._plans)[1:]
            at = order.index(min(order, key=lambda t: self.log_height(t, epsilon)))
            for a, b in pairwise(order[max(0, at - 1) : at + 2]):
                if b > 1.1 * a:
                    self._plan(math.sqrt(a * b))

    def log_height(self, t: float, epsilon: float) -> float:
        """A double near the log of Chernoff's bound on delta."""
        if t == 0:
            return 0.0
        return self._plans[t] - t * epsilon + t * math.log(t) - (t + 1) * math.log1p(t)

    def log_delta(self, epsilon: float) -> float:
        """A double near the log of the least bound on delta."""
        self._widen(lambda t: self.log_height(t, epsilon))
        return min(self.log_height(t, epsilon) for t in self._plans)

    def epsilon(self, log_delta: float) -> float:
        """A double near the least epsilon whose bound is that delta."""

        def bound(t: float) -> float:
            return (self.log_height(t, 0.0) - log_delta) / t

        self._widen(bound)
        return min(bound(t) for t in self._plans if t > 0)

    def quantile(self, log_rate: float) -> float:
        """A double near the least loss that Q exceeds at that rate, for a search to start from.

        By the bounds, or by a normal law of the variance that a tilt tells.
        """
        self._widen(lambda t: (self._plans[t] - log_rate) / (t + 1))
        plans = [(t, max(value, 1e-300)) for t, value in self._plans.items() if t > 0]
        bounds = [(value - log_rate) / (t + 1) for t, value in plans]
        variance = min(2 * value / (t * (t + 1)) for t, value in plans)
        return min(math.sqrt(2 * variance * (0.5 - log_rate)), *bounds)

    def chernoff(self, t: float, epsilon: arb) -> arb:
        """delta(epsilon) of the finite losses is at most this: (1 - e^-x)+ <= e^(t x) k(t)."""
        if t == 0:
            return arb(1)
        at = arb(t)
        factor = (at * at.log() - (at + 1) * at.log1p()).exp()
        return factor * (self.log_moment(t) - at * epsilon).exp()

    def least(self, epsilon: arb) -> arb:
        """The least of those bounds, about."""
        at = float(epsilon)
        self._widen(lambda t: self.log_height(t, at))
        return self.chernoff(min(self._plans, key=lambda t: self.log_height(t, at)), epsilon)

    def aliases(self, c: float, period: arb, epsilon: arb) -> arb:
        """Sum over whole j != 0 of e^(c j p) delta(epsilon + j p), at most: geometric series."""
        goal, at = float(period), float(epsilon)
        above = [t for t in self._plans if t > c]
        below = [t for t in self._plans if t < c]
        right = min(above, key=lambda t: self.log_height(t, at) - (t - c) * goal)
        left = min(below, key=lambda t: self.log_height(t, at) - (c - t) * goal)
        total = ZERO
        for t in (right, left):
            ratio = (-abs(arb(t) - arb(c)) * period).exp()
            total += self.chernoff(t, epsilon) * ratio / (1 - ratio)
        return total

    def line(self, epsilon: float, log_delta: float, nats: float) -> "Plan":
        """The tilt and the period that make the fewest points for e^-nats of delta."""

        def period(c: float) -> float:
            def needed(t: float) -> float:
                return (self.log_height(t, epsilon) - log_delta + nats) / abs(t - c)

            right = min((needed(t) for t in self._plans if t > c), default=math.inf)
            return max(right, min(needed(t) for t in self._plans if t < c))

        def excess(c: float) -> float:
            return max(0.0, self.log_height(c, epsilon) - log_delta)

        self._widen(lambda t: self.log_height(t, epsilon), nats + LOSABLE)
        least = min(self.log_height(t, epsilon) for t in self._plans if t > 0)
        last = max(self._plans)
        near = [t for t in self._plans if 0 < t < last]
        near = [t for t in near if self.log_height(t, epsilon) < least + LOSABLE]
        if not near:
            raise NotKnownError("no tilt beyond the contour's")
        c = min(near, key=lambda t: period(t) * math.sqrt(nats + excess(t)))
        return Plan(c, period(c), excess(c))


@dataclass(frozen=True, slots=True)
class Plan:
    """Where to integrate: Re z, the period 2 pi / h, and nats that the terms exceed delta by."""

    c: float
    period: float
    excess: float
