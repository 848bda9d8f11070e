# SPDX-License-Identifier: Apache-2.0
"""n mechanisms that reveal all with probability delta, else answer by randomized response.

The loss is l_j = (2 j - n) epsilon with probability C(n, j) p^j (1 - p)^(n - j) if nothing was
revealed, p = e^epsilon / (1 + e^epsilon): the worst composition of n (epsilon, delta)-DP
mechanisms (Kairouz, Oh & Viswanath 2015, Theorem 3.3).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

BITS = 400
NEGLIGIBLE = 2.0**-100


@dataclass(frozen=True, slots=True)
class Responses:
    """Parameters are doubles, taken at their exact value; epsilon > 0."""

    epsilon: float
    delta: float
    count: int

    def curve(self, target: float) -> arb:
        """The hockey-stick divergence at any real `target`."""
        with ctx.workprec(BITS):
            kept = (self.count * (-arb(self.delta)).log1p()).exp()
            revealed = -(self.count * (-arb(self.delta)).log1p()).expm1()
            return revealed + kept * self._hidden(target)

    def _hidden(self, target: float) -> arb:
        first = (Fraction(target) / Fraction(self.epsilon) + self.count) // 2 + 1
        first, total, last = max(int(first), 0), arb(0), arb(0)
        for j, probability in self._probabilities(first):
            gap = (2 * j - self.count) * arb(self.epsilon) - arb(target)
            total -= probability * (-gap).expm1()
            # Ratios of consecutive probabilities fall: the rest is below a geometric series.
            if probability < last and probability < (1 - probability / last) * total * NEGLIGIBLE:
                return total + arb(0, (total * NEGLIGIBLE).upper())
            last = probability
        return total

    def _probabilities(self, first: int) -> Iterator[tuple[int, arb]]:
        n, odds = self.count, arb(self.epsilon).exp()
        chosen = arb(n + 1).lgamma() - arb(first + 1).lgamma() - arb(n - first + 1).lgamma()
        probability = (chosen + first * odds.log() - n * (1 + odds).log()).exp()
        for j in range(first, n + 1):
            yield j, probability
            probability *= odds * (n - j) / (j + 1)
