# SPDX-License-Identifier: Apache-2.0
"""Distributions of privacy loss with few points: composed directly, O(n^2), in ball arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, ctx

PRECISION = 2200  # bits: products of doubles as small as 1e-300 stay exact


@dataclass(frozen=True, slots=True)
class FinitePld:
    """Mass `masses[k]` at loss (first + k) * interval, and `infinity_mass` at +inf."""

    interval: arb
    first: int
    masses: tuple[arb, ...]
    infinity_mass: arb

    @classmethod
    def of_doubles(
        cls, losses: Sequence[float], masses: Sequence[float], infinity_mass: float, interval: float
    ) -> FinitePld:
        """The distribution with exactly these doubles."""
        first = round(float(losses[0]) / interval)
        assert abs(losses[-1] - (first + len(masses) - 1) * interval) < interval / 2
        points = tuple(arb(float(m)) for m in masses)
        return cls(arb(interval), first, points, arb(infinity_mass))

    def composed(self, count: int) -> FinitePld:
        """`count` independent draws, their losses added."""
        with ctx.workprec(PRECISION):
            masses = [arb(1)]
            for _ in range(count):
                masses = _convolved(masses, self.masses)
            finite = sum(self.masses, arb(0))
            infinity_mass = (finite + self.infinity_mass) ** count - finite**count
            return FinitePld(self.interval, count * self.first, tuple(masses), infinity_mass)

    def delta(self, epsilon: float) -> arb:
        """E[(1 - e^(epsilon - L))_+]."""
        with ctx.workprec(PRECISION):
            total = self.infinity_mass
            for k, mass in enumerate(self.masses):
                beyond = (self.first + k) * self.interval - arb(epsilon)
                if beyond > 0:
                    total -= mass * (-beyond).expm1()
            return total


def _convolved(a: Sequence[arb], b: Sequence[arb]) -> list[arb]:
    result = [arb(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result
