# SPDX-License-Identifier: Apache-2.0
"""Binomial probabilities of randomized responses, to full relative accuracy at any count."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Self

import numpy as np

from hockeystick._checks import FloatArray

_NEGLIGIBLE = 1e-40
_EXACT_FACTORIALS = 1000
# log(n!) is below 2e10 for n <= 1e9, which leaves more than 45 digits after the point. No traps:
# what is below the smallest decimal number counts as 0.
_CONTEXT = Context(prec=60, traps=[])
_LOG_TWO_PI = Decimal("1.83787706640934548356065947281123527972279494727556682563430308096553139")
# B_2k / (2k (2k - 1)) of Stirling's series, k = 1, 2, ...
_STIRLING = [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156)]


@dataclass(frozen=True, slots=True)
class BinomialAtoms:
    """Consecutive points of a binomial distribution: scale * weights[i] at start + i.

    Sums of weights are taken in binary64, and only they: the scale, a probability whose logarithm
    is the difference of numbers as large as n log n, has more digits and a wider range.
    """

    scale: Decimal
    start: int
    weights: FloatArray
    complete: bool
    """Whether only points of negligible probability are missing."""

    @classmethod
    def above(cls, first: int, n: int, log_odds: float) -> Self:
        """All points of at least 1e-40 of the largest; beyond the mode, from `first` on only.

        The probability of success is p = 1 / (1 + e^-log_odds), log_odds >= 0. Cost: O(sqrt(n)).
        """
        odds = math.exp(-log_odds)  # (1 - p) / p
        mode = min(int((n + 1) / (1 + odds)), n)
        anchor = max(first, mode)
        block = 64 + int(8 * math.sqrt(n * odds) / (1 + odds))  # some standard deviations
        up = _products(lambda i: (n - anchor - i) / ((anchor + 1 + i) * odds), n - anchor, block)
        below = mode if first <= mode else 0
        down = _products(lambda i: (mode - i) * odds / (n - mode + 1 + i), below, block)
        weights = np.concatenate([down[::-1], [1.0], up])
        scale = _probability(anchor, n, log_odds)
        return cls(scale, anchor - down.size, weights, complete=first <= mode)

    def sum(self, factors: FloatArray) -> float:
        """The expectation of `factors`, one for each point."""
        return float(_CONTEXT.multiply(self.scale, Decimal(float(self.weights @ factors))))


def _products(ratio: Callable[[FloatArray], FloatArray], length: int, block: int) -> FloatArray:
    """ratio(0), ratio(0) ratio(1), ...: `length` of them, or blocks until they are negligible.

    The ratios fall, and none is above 1 by more than rounding.
    """
    parts: list[FloatArray] = [np.empty(0)]
    last, done = np.float64(1), 0
    while done < length and last > _NEGLIGIBLE:
        following = min(done + block, length)
        parts.append(last * np.cumprod(ratio(np.arange(done, following, dtype=np.float64))))
        last, done = parts[-1][-1], following
    return np.concatenate(parts)


def _probability(j: int, n: int, log_odds: float) -> Decimal:
    """C(n, j) p^j (1 - p)^(n - j)."""
    with localcontext(_CONTEXT):
        x = Decimal(log_odds)
        logarithm = _log_factorial(n) - _log_factorial(j) - _log_factorial(n - j)
        return (logarithm - (n - j) * x - n * (1 + (-x).exp()).ln()).exp()


def _log_factorial(n: int) -> Decimal:
    if n <= _EXACT_FACTORIALS:
        return Decimal(math.factorial(n)).ln()
    x = Decimal(n)
    # The error is below the first term left out, 3e-47 at n = 1000.
    terms = (Decimal(a) / b / x ** (2 * k + 1) for k, (a, b) in enumerate(_STIRLING))
    return (x + Decimal("0.5")) * x.ln() - x + _LOG_TWO_PI / 2 + sum(terms, Decimal(0))
