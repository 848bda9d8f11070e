# SPDX-License-Identifier: Apache-2.0
"""The transform of a sum of log-normals on the real line, in doubles, to choose contours by."""

import math
from typing import NamedTuple

import numpy as np

from hockeystick._search import crossing

LARGEST = 300.0  # of log s


class Strike(NamedTuple):
    """K, and how far it is beyond the mean of the sum."""

    k: float
    beyond: float


class Pilot:
    """log F on the real line, F(s) = e^(s K) g(s)^t / s^2: it proves nothing."""

    def __init__(self, mu: float, steps: int) -> None:
        step = min(0.1, 0.25 / mu)
        x = np.arange(-50.0, 50.0 + mu, step)
        z = np.minimum(mu * x - mu * mu / 2, 300.0)
        self._y, self._rest = np.exp(z), np.expm1(z)
        self._log_weight = -x * x / 2 + math.log(step / math.sqrt(2 * math.pi))
        self.mu: float = mu
        self.steps: int = steps

    def _moments(self, s: float, strike: Strike) -> tuple[float, float, float]:
        """s K / t + log g(s), and t times its first and second derivatives, where t is `steps`."""
        steps = self.steps
        is_low = strike.beyond < -steps / 2
        z = self._y if is_low else self._rest
        exponents = self._log_weight - s * z
        top = exponents.max()
        weights = np.exp(exponents - top)
        total = weights.sum()
        mean = (weights * z).sum() / total
        variance = (weights * (z - mean) ** 2).sum() / total
        log_g = math.log(total) + top
        if not is_low and s * abs(mean) < 1e-3:  # noqa: PLR2004
            base, w = np.exp(self._log_weight), -s * z
            log_g = math.log1p((base * np.where(abs(w) < 1e-4, w * w / 2, np.expm1(w) - w)).sum())  # noqa: PLR2004
            mean = (base * z * np.expm1(w)).sum()
        shift = strike.k if is_low else strike.beyond
        return s * shift + steps * log_g, shift - steps * mean, steps * variance

    def log_f(self, s: float, strike: Strike) -> float:
        """At real s."""
        return self._moments(s, strike)[0] - 2 * math.log(s)

    def log_g(self, s: float) -> float:
        """At real s."""
        return self._moments(s, Strike(0.0, 0.0))[0] / self.steps - s

    def curvature(self, s: float, strike: Strike) -> float:
        """The second derivative of t log g."""
        return self._moments(s, strike)[2]

    def log_put(self, strike: Strike) -> float:
        """About log E (K - S)_+, by the saddle."""
        s = self.saddle(strike)
        curvature = 2 + self.curvature(s, strike) * s * s
        return self.log_f(s, strike) + math.log(s) - math.log(2 * math.pi * curvature) / 2

    def saddle(self, strike: Strike) -> float:
        """Where it is least."""

        def rises(log_s: float) -> bool:
            s = math.exp(log_s)
            return self._moments(s, strike)[1] >= 2 / s

        return math.exp(crossing(rises, -300.0, LARGEST, 60))
