# SPDX-License-Identifier: Apache-2.0
"""Which line to integrate on: saddle points and aliasing, in doubles.

Nothing here bears on the truth of a result, only on its cost: `contour` estimates its error anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import arb

from exact.moments import Law, Line

CANDIDATES = 12
LOSABLE = 30.0  # nats that a line beside the saddle point may lose


class Saddle:
    """A bound on log delta(0) for each c > 0 of a grid.

    It rests on (1 - e^-t)_+ <= e^(c t) c^c / (c+1)^(c+1).
    """

    def __init__(self, laws: Sequence[tuple[Law, int]]) -> None:
        self.c = np.geomspace(1e-8, 1e8, 320)
        self.log_bound = self.c * np.log(self.c) - (self.c + 1) * np.log1p(self.c)
        for law, count in laws:
            self.log_bound += count * law.log_moment(self.c)

    def epsilon_above(self, log_delta: float) -> float:
        """An upper bound on the epsilon of that delta."""
        return float(((self.log_bound - log_delta) / self.c).min())

    def log_delta_above(self, epsilon: float) -> float:
        """An upper bound on log delta."""
        return min(0.0, float((self.log_bound - self.c * epsilon).min()))

    def _log_aliases(self, c: float, epsilon: float, h: float) -> float:
        """Log of the error of the trapezoid rule, by Poisson summation.

        The rule of step h sums e^(2 pi c k / h) delta(epsilon + 2 pi k / h) over all whole k.
        """
        shift = 2 * math.pi / h
        below = self.log_delta_above(epsilon - shift) - c * shift
        return max(below, self.log_delta_above(epsilon + shift) + c * shift)

    def _spacing(self, c: float, epsilon: float, nats: float) -> float:
        """The widest h at which a rule of twice that step loses no more than e^-nats of delta."""
        target = self.log_delta_above(epsilon) - nats
        low, high = math.log(1e-9), math.log(1e9)
        while high - low > 0.02:
            middle = (low + high) / 2
            fine = self._log_aliases(c, epsilon, 2 * math.exp(middle)) < target
            low, high = (middle, high) if fine else (low, middle)
        return math.exp(low)

    def line(self, epsilon: float, digits: int) -> Line:
        """The line, near the saddle point, that needs the fewest nodes.

        At the saddle point itself M may have two peaks of like size (rare sampling).
        """
        height = self.log_bound - self.c * epsilon
        near = np.flatnonzero(height < height.min() + LOSABLE)
        nats = math.log(10) * digits + 6

        def gain(index: int) -> tuple[float, float, float, float]:
            c, excess = float(self.c[index]), float(height[index] - height.min())
            spacing = self._spacing(c, epsilon, nats)
            return spacing / math.sqrt(nats + excess), c, spacing, excess

        _, c, spacing, excess = max(gain(i) for i in near[:: max(1, len(near) // CANDIDATES)])
        return Line(arb(c), arb(spacing), 1, excess)
