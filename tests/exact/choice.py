# SPDX-License-Identifier: Apache-2.0
"""A public draw of one of several pairs, and the draw of truncated Poisson sampling."""

from dataclasses import dataclass
from math import comb

from flint import arb

from exact.model import Step
from exact.pair import Pair


@dataclass(frozen=True, slots=True)
class ChoicePair:
    """Weights and pairs: every quantity is the weighted sum of the pairs'."""

    choices: tuple[tuple[arb, Pair], ...]

    def _sum(self, name: str, *losses: arb) -> arb:
        return sum((w * getattr(pair, name)(*losses) for w, pair in self.choices), arb(0))

    def p(self, low: arb, high: arb) -> arb:
        """P(low < L <= high)."""
        return self._sum("p", low, high)

    def above(self, low: arb, high: arb) -> arb:
        """P - e^low Q of the cell."""
        return self._sum("above", low, high)

    def below(self, low: arb, high: arb) -> arb:
        """e^high Q - P of the cell."""
        return self._sum("below", low, high)

    def p_above(self, loss: arb) -> arb:
        """P(L > loss)."""
        return self._sum("p_above", loss)

    def p_below(self, loss: arb) -> arb:
        """P(L <= loss)."""
        return self._sum("p_below", loss)

    def q_below(self, loss: arb) -> arb:
        """Q(L <= loss)."""
        return self._sum("q_below", loss)

    def delta(self, epsilon: arb) -> arb:
        """The hockey-stick curve at any real epsilon."""
        return self._sum("delta", epsilon)


def truncated(
    size: int, rate: float, batch: int, sigma: float, direction: str
) -> tuple[ChoicePair, float]:
    """The pair of truncated Poisson sampling, from the binomial sums as they stand; q'."""
    q = arb(rate)
    others = [comb(size - 1, k) * q**k * (1 - q) ** (size - 1 - k) for k in range(size)]
    cut = sum(others[batch:], arb(0))
    # A sampled record survives among k others with probability batch / (k + 1).
    joins = sum((p * q * batch / (k + 1) for k, p in enumerate(others) if k >= batch), arb(0))
    ends = {"special_remove": ("remove", "replace"), "special_add": ("add", "replace")}
    whole_direction, cut_direction = ends.get(direction, (direction, direction))
    conditional = joins / cut
    whole = Pair(Step(sigma, rate), whole_direction)
    halved = BallPair(Step(sigma / 2, 0.5), cut_direction, conditional)
    return ChoicePair(((1 - cut, whole), (cut, halved))), float(conditional)


@dataclass(frozen=True, slots=True)
class _BallStep:
    sigma: float
    q: arb


@dataclass(frozen=True, slots=True, init=False)
class BallPair(Pair):
    """A pair whose sampling probability is a ball."""

    def __init__(self, step: Step, direction: str, q: arb) -> None:
        object.__setattr__(self, "step", _BallStep(step.sigma, q))
        object.__setattr__(self, "direction", direction)
