# SPDX-License-Identifier: Apache-2.0
"""A public draw of one of several pairs, and the draw of truncated Poisson sampling."""

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb

from exact.model import Step
from exact.pair import Pair


@dataclass(frozen=True, slots=True)
class ChoicePair:
    """Weights and pairs: every quantity is the weighted sum of the pairs'."""

    choices: tuple[tuple[arb, Pair], ...]

    def __getattr__(self, name: str) -> Callable[..., arb]:
        """A question that all pairs answer."""
        return lambda *losses: sum(
            (w * getattr(pair, name)(*losses) for w, pair in self.choices), arb(0)
        )


def truncated(
    size: int, rate: float, batch: int, sigma: float, direction: str
) -> tuple[ChoicePair, float]:
    """The pair of truncated Poisson sampling, from the binomial sums as they stand; q'."""
    q, others = arb(rate), [(1 - arb(rate)) ** (size - 1)]
    for k in range(1, size):
        others.append(others[-1] * (size - k) / k * q / (1 - q))
    cut = sum(others[batch:], arb(0))
    # A sampled record survives among k others with probability batch / (k + 1).
    joins = sum((p * q * batch / (k + 1) for k, p in enumerate(others) if k >= batch), arb(0))
    ends = {"special_remove": ("remove", "replace"), "special_add": ("add", "replace")}
    whole_direction, cut_direction = ends.get(direction, (direction, direction))
    conditional = joins / cut
    whole = Pair(Step(sigma, rate), whole_direction)
    halved = Pair(Step(sigma / 2, conditional), cut_direction)
    return ChoicePair(((1 - cut, whole), (cut, halved))), float(conditional)
