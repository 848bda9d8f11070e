# SPDX-License-Identifier: Apache-2.0
"""put(K) = E (K - S)_+ of a sum S of t log-normals by a Fourier series, with all errors.

By Poisson's formula, with s_j = lambda + 2 pi i j / W and g the transform of one,

    1 / W times the sum of e^(s_j K) g(s_j)^t / s_j^2 = sum of e^(-lambda k W) put(K + k W)

over all whole j, and k. All terms on the right are >= 0: those with k > 0 are bounded by
put(x) <= x, those with k < 0 by put(x) <= e^(c x) g(c)^t / (c e), any c > lambda. From w on,
abs(g(lambda + i w)) <= e^(theta^2 / (2 mu^2)) g(lambda cos theta + w sin theta), which falls.
"""

import math
from collections.abc import Callable

from flint import acb, arb, ctx

from hockeystick._search import crossing
from hockeystick.verify.balls import between, enlarged
from hockeystick.verify.lognormal import SAFETY, Transform, bits_of
from hockeystick.verify.pilot import Pilot, Strike
from hockeystick.verify.series import Series

TURNS = 50  # angles tried for what is cut off


class Plan:
    """Where the line is, its period, how many nodes it takes, and what bounds the rest."""

    def __init__(self, pilot: Pilot, strike: Strike, goal: float) -> None:
        least = pilot.saddle(strike)
        k = strike.k
        choices = []
        for factor in (1.0, 1.3, 1.7, 2.3, 3.0, 4.0, 6.0, 9.0, 14.0, 20.0):
            line = least * factor
            right = (math.log(k) - goal + SAFETY + math.log(4)) / line
            left, c = min(
                ((pilot.log_f(x, strike) + math.log(x) - goal + SAFETY) / (x - line), x)
                for x in (line * (1 + 10**e) for e in (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0))
            )
            period = max(right, left, 4 / line)
            turn, top = self._cut(pilot, line, strike, goal)
            choices.append((top * period / (2 * math.pi), line, period, c, turn))
        nodes, line, period, c, turn = min(choices)
        self.line: float = line
        self.period: float = period
        self.c: float = c
        self.turn: float = turn
        self.nodes: int = max(math.ceil(nodes), 4) if nodes < math.inf else 10**9
        self.strike: Strike = strike
        self.top: float = pilot.log_f(self.line, strike)
        self.depth: float = max(self.top - goal, 20.0)

    @staticmethod
    def _cut(pilot: Pilot, line: float, strike: Strike, goal: float) -> tuple[float, float]:
        """The angle and the height from which on what is cut off is below e^goal."""
        best = (0.0, math.inf)
        for j in range(TURNS):
            turn = min(1.5, 3 * pilot.mu) * 10 ** (-j / 5)
            cos, sin = math.cos(turn), math.sin(turn)

            def excess(w: float) -> float:
                x = line * cos + w * sin  # noqa: B023
                size = pilot.steps * ((turn / pilot.mu) ** 2 / 2 + pilot.log_g(x) + line)  # noqa: B023
                return size + line * strike.beyond - math.log(max(w, 1e-300)) - goal + SAFETY

            low, high = math.log(line) - 5, math.log(line) + 12
            if excess(math.exp(high)) > 0:
                continue
            found = math.exp(crossing(lambda x: excess(math.exp(x)) <= 0, low, high, 14))
            if found < best[1]:
                best = turn, found
        return best


class Vertical:
    """The terms of the series, which serve every K near the one it was made for."""

    def __init__(self, plan: Plan, mean: Callable[[], arb], steps: int) -> None:
        self.strike: Strike = plan.strike
        self._k: arb = arb(plan.strike.k)
        self._plan, k = plan, self._k
        rough = math.log(steps) + SAFETY
        farthest = max(plan.line + 2 * math.pi / plan.period * plan.nodes, plan.c)
        large = math.log1p(farthest * (plan.strike.k + steps)) + SAFETY
        self.bits: int = bits_of(plan.depth + rough, large)
        with ctx.workprec(self.bits):
            mu = mean()
            transform = Transform(mu, 0.0)
            self._line, self._h, c = arb(plan.line), 2 * arb.pi() / arb(plan.period), arb(plan.c)
            nodes = (acb(self._line, self._h * j) for j in range(plan.nodes))
            powers = transform.powers(nodes, k, steps, plan.top, plan.top - plan.depth)
            self._sum = Series([value for _, value in powers], self._h)
            turn = arb(plan.turn)
            x = self._line * turn.cos() + self._h * plan.nodes * turn.sin()
            lost = (turn / mu) ** 2 / 2 + abs(transform(acb(x), rough)).upper().log()
            self._cut = (steps * lost).exp() / (arb.pi() * self._h * (plan.nodes - 1))
            self._left = abs(transform(acb(c), rough)).upper() ** steps / (c * arb(1).exp())

    def put(self, k: arb) -> arb:
        """E (k - S)_+."""
        with ctx.workprec(self.bits):
            total = self._sum(self._k - k) * self._h / arb.pi()
            total *= (self._line * (k - self._k)).exp()
            total = enlarged(total, self._cut * (self._line * k).exp())
            period, c = 2 * arb.pi() / self._h, arb(self._plan.c)
            q, r = (-self._line * period).exp(), ((self._line - c) * period).exp()
            right = k * q / (1 - q) + period * q / (1 - q) ** 2
            left = self._left * (c * k).exp() * r / (1 - r)
            return total - between(arb(0), right + left)
