# SPDX-License-Identifier: Apache-2.0
"""Hockey-stick curves of distributions with finitely many losses, exactly, at any real epsilon."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, product

from flint import arb, ctx

PRECISION = 2500  # bits: doubles from 1e-300 to 1e300 added without loss


class Curve:
    """D(eps) = infinity_mass + sum_k mass_k (1 - e^(eps - loss_k))_+, losses increasing."""

    def __init__(
        self, losses: Sequence[arb], masses: Sequence[arb], infinity_mass: arb | float = 0.0
    ) -> None:
        with ctx.workprec(PRECISION):
            self.losses, self.masses = list(losses), list(masses)
            self.infinity_mass = arb(infinity_mass)
            self.q_masses = [m * (-x).exp() for x, m in zip(losses, masses, strict=True)]
            self._p = [*accumulate(reversed(self.masses), initial=arb(0))][::-1]
            self._q = [*accumulate(reversed(self.q_masses), initial=arb(0))][::-1]

    @classmethod
    def on_grid(
        cls,
        grid: tuple[float, float],
        index: Sequence[int],
        masses: Sequence[float],
        infinity_mass: float,
    ) -> Curve:
        """Of stored doubles: losses offset + interval * index, grid = (offset, interval)."""
        with ctx.workprec(PRECISION):
            offset, interval = (arb(x) for x in grid)
            losses = [offset + interval * int(k) for k in index]
            return cls(losses, [arb(float(m)) for m in masses], infinity_mass)

    def __call__(self, epsilon: arb) -> arb:
        """The curve at `epsilon`."""
        with ctx.workprec(PRECISION):
            k = bisect_right(self.losses, epsilon)
            return self.infinity_mass + self._p[k] - epsilon.exp() * self._q[k]

    def reflected(self, infinity_mass: float = 0.0) -> Curve:
        """Of the reversed pair: mass m at loss l becomes m e^-l at -l."""
        with ctx.workprec(PRECISION):
            return Curve([-x for x in self.losses[::-1]], self.q_masses[::-1], infinity_mass)

    def composed(self, count: int) -> Curve:
        """Of `count` independent draws of losses on a grid, none of them skipped."""
        with ctx.workprec(PRECISION):
            interval, masses = self.losses[1] - self.losses[0], [arb(1)]
            for _ in range(count):
                longer = [arb(0)] * (len(masses) + len(self.masses) - 1)
                for (i, x), (j, y) in product(enumerate(masses), enumerate(self.masses)):
                    longer[i + j] += x * y
                masses = longer
            losses = [count * self.losses[0] + interval * k for k in range(len(masses))]
            finite = sum(self.masses, arb(0))
            return Curve(losses, masses, (finite + self.infinity_mass) ** count - finite**count)

    def p_mass(self) -> arb:
        """All P-mass, that at +inf included."""
        return self._p[0] + self.infinity_mass

    def q_mass(self) -> arb:
        """All Q-mass at finite losses."""
        return self._q[0]
