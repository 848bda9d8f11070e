# SPDX-License-Identifier: Apache-2.0
"""The probabilities of an event under two distributions that Renyi divergences allow.

Deciding by an event S between P and Q cannot raise a divergence: with p = P(S) and q = Q(S),

    p^a q^(1 - a) + (1 - p)^a (1 - q)^(1 - a) <= e^((a - 1) rdp(a))        for each order a.

These (p, q) form a convex region for each order, hence also for all of them together, and some
pair of distributions on two points attains each of its points: the divergences of P from Q tell no
more. At a single order this is the conversion of Asoodeh et al. (2021); that the intersection over
the orders is the best one, Riess et al. (2026) prove. Leaving out the second term, and all orders
but one, gives Proposition 12 of Canonne, Kamath & Steinke (2020).
"""

import math
from dataclasses import dataclass

import numpy as np

from hockeystick._checks import FloatArray
from hockeystick._search import peak
from hockeystick.baselines.bernoulli import log_bernoulli

# Log-odds of p: above, 1 - p is below the rounding of p; below, p underflows.
_HIGHEST, _LOWEST = 37.0, -740.0
_WIDTH = 1e-11  # the peaks may be corners, where the boundaries of two orders meet
_CONVERGED = 1e-13
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class RenyiRegion:
    """The probabilities that divergences `rdp` at `orders` allow: shape (k,), in nats, finite."""

    orders: FloatArray
    rdp: FloatArray

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 such that p - e^epsilon q <= delta in the whole region."""
        if not self.rdp.size:
            return math.inf
        if not self.rdp.all():  # p = q
            return 0.0
        if delta == 0:  # divergences of finite orders allow any loss, if it is rare enough
            return math.inf

        def log_slope(log_odds: float) -> float:
            """log of (p - delta) / q at p = delta + (1 - delta) v and the least q."""
            over, rest = ((1 - delta) * _logistic(x) for x in (log_odds, -log_odds))
            return self._log_ratio(delta + over, rest) - math.log1p(delta / over)

        # q grows with p: further down than this, the slope is less than at v = delta.
        there = log_slope(max(math.log(delta), _LOWEST))
        lowest = there + math.log(delta) - self._log_ratio(delta, 1 - delta)
        return max(peak(log_slope, max(lowest, _LOWEST), _HIGHEST, _WIDTH)[1], 0.0)

    def delta(self, epsilon: float) -> float:
        """The largest p - e^epsilon q in the region."""
        if not self.rdp.size:
            return 1.0
        if not self.rdp.all():  # p = q
            return 0.0

        def excess(log_odds: float) -> float:
            p, rest = _logistic(log_odds), _logistic(-log_odds)
            return -p * math.expm1(min(epsilon - self._log_ratio(p, rest), 700.0))

        return max(peak(excess, _LOWEST, _HIGHEST, _WIDTH)[1], 0.0)

    def _log_ratio(self, p: float, rest: float) -> float:
        """log(p / q) at the least q in the region; 1 - p = rest.

        With y = log(p / q), the sum above less 1 is H(y) = p G(y) + (1 - p) G(-z), G Bernoulli's
        function and z = log((1 - q) / (1 - p)). Newton's method for log H in log y, in which it is
        nearly linear, started where the first term alone is as large as allowed; each step goes to
        the least of the roots, with the orders that may be next to it, and at last with all.
        """
        a, b = self.orders, self.orders - 1
        power = b * self.rdp
        allowed = power + np.log(-np.expm1(-power))
        log_y = math.log(np.min(self.rdp - math.log(p) / b))
        candidates = np.arange(a.size)
        for _ in range(200):
            log_h, slope = _log_excess(log_y, a[candidates], p, rest)
            steps = (log_h - allowed[candidates]) / slope
            step = steps.max()
            log_y -= step
            if abs(step) > _CONVERGED:
                candidates = candidates[steps > step - 0.1]
            elif candidates.size < a.size:
                candidates = np.arange(a.size)
            else:
                break
        return math.exp(log_y)


def _log_excess(
    log_y: float, a: FloatArray, p: float, rest: float
) -> tuple[FloatArray, FloatArray]:
    """log H for each order, and its derivative in log y."""
    y, b = math.exp(log_y), a - 1
    log_p, log_rest = math.log(p), math.log(rest)
    fall = -math.expm1(-y)
    z = math.log1p(p / rest * fall)
    log_z = math.log(z) if z > _TINY else log_p - log_rest + math.log(fall)
    log_h = np.logaddexp(log_p + log_bernoulli(y, log_y, a), log_rest + log_bernoulli(-z, log_z, a))
    # dH/dy = (a - 1) q (e^(a y) - e^(-a z)), where q = p e^-y
    return log_h, b * y * np.exp(log_p + b * y - log_h) * -np.expm1(-a * (y + z))


def _logistic(log_odds: float) -> float:
    small = math.exp(-abs(log_odds))
    return (small if log_odds < 0 else 1.0) / (1 + small)
