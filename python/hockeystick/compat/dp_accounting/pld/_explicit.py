# SPDX-License-Identifier: Apache-2.0
"""Compositions of explicit steps, asked through the core."""

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.compat._quotient import rounded

MEMORY_LIMIT = 2**32
MOST_TERMS = 32  # distinct steps kept apart; beyond, the distribution itself becomes a step
NO_TRUNCATION = 1e-300
_BEYOND_ALL_LOSSES = 1e300
_PLAIN_TAIL = 1e-18
DISPLAY_SHARE = 1e-3  # of the tail mass a caller allows, what the window of a display may take

Terms = tuple[tuple[_core.StepPmf, int], ...]


def step_of(
    interval: float,
    index: Sequence[int] | np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    probs: Sequence[float] | FloatArray,
    infinity_mass: float,
    *,
    pessimistic: bool,
) -> _core.StepPmf:
    """The step with these probabilities at these multiples of the interval."""
    return _core.explicit_step(
        interval=interval,
        index=np.asarray(index, dtype=np.int64),
        mass=np.asarray(probs, dtype=np.float64),
        infinity_mass=infinity_mass,
        side="upper" if pessimistic else "lower",
    )


def joined(terms: Iterable[tuple[_core.StepPmf, int]]) -> Terms:
    """The terms with equal steps counted together, less those that cost nothing."""
    counts: dict[int, tuple[_core.StepPmf, int]] = {}
    given = tuple(terms)
    for step, count in [term for term in given if not _is_free(term[0])] or given[:1]:
        counts[id(step)] = (step, counts.get(id(step), (step, 0))[1] + count)
    return tuple(counts.values())


def _is_free(step: _core.StepPmf) -> bool:
    """Whether it is loss 0 for certain."""
    at_zero = step.indices.size == 1 and step.indices[0] == 0
    return bool(at_zero and step.masses[0] == 1 and step.infinity_mass == 0)


class ExplicitComposition:
    """Steps, how often each is composed, and what the composition looks like on its grid."""

    def __init__(self, terms: Terms, tail_mass: float) -> None:
        if len(terms) > MOST_TERMS:
            terms = ((ExplicitComposition(terms[:-1], 0).condensed(), 1), terms[-1])
        self.terms = terms
        self.tail_mass = tail_mass

    @cached_property
    def displayed(self) -> _core.StepPmf:
        """The distribution as one step, its own errors and truncation included."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        window = max(DISPLAY_SHARE * self.tail_mass, NO_TRUNCATION)
        pmf = self._core.distribution(window, MEMORY_LIMIT)
        pessimistic = pmf.side == "upper"
        # What the masses may be off by goes to +inf, or is taken from there.
        shift = pmf.slack if pessimistic else -pmf.slack
        infinity_mass = min(max(pmf.infinity_mass + shift, 0.0), 1.0)
        index = np.arange(pmf.first, pmf.first + pmf.mass.size)
        return step_of(pmf.interval, index, pmf.mass, infinity_mass, pessimistic=pessimistic)

    def condensed(self) -> _core.StepPmf:
        """The distribution as one step, less the tails that are but the transform's errors."""
        step = self.displayed
        pessimistic = step.side == "upper"
        noise = 2 * self._core.distribution(NO_TRUNCATION, MEMORY_LIMIT).slack
        first, masses = contiguous(step)
        kept, probs, beyond = truncate_tails(masses, noise, pessimistic)
        index = np.arange(first + kept, first + kept + probs.size)
        infinity_mass = min(1.0, step.infinity_mass + beyond)
        return step_of(step.interval, index, probs, infinity_mass, pessimistic=pessimistic)

    def delta(self, epsilons: FloatArray) -> FloatArray:
        """Bounds of delta, of the steps' side; epsilons of any sign, infinite ones included."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0].delta(epsilons)
        result = np.empty(epsilons.shape)
        ordinary = epsilons >= 0
        finite = np.minimum(epsilons[ordinary], _BEYOND_ALL_LOSSES)
        answers = self._core.delta(finite, MEMORY_LIMIT), self._plain.delta(finite)
        result[ordinary] = self._better(*answers)
        if not ordinary.all():
            result[~ordinary] = self.displayed.delta(epsilons[~ordinary])
        return result

    def epsilon(self, given: FloatArray) -> FloatArray:
        """Bounds of epsilon, of the steps' side, at any deltas."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0].epsilon(given)
        result = np.where(given >= 1, 0.0, math.inf)
        ordinary = (given > 0) & (given < 1)
        asked = given[ordinary]
        answers = self._core.epsilon(asked, MEMORY_LIMIT), self._plain.epsilon(asked)
        result[ordinary] = self._better(*answers)
        result[given == 0] = self._largest_loss
        return result

    @property
    def _largest_loss(self) -> float:
        """What no loss exceeds, an epsilon with delta = 0; rounded to the side of the steps."""
        if any(step.infinity_mass > 0 for step, _ in self.terms):
            return math.inf
        tops = [
            count * int(step.indices[-1]) * Fraction(step.interval) for step, count in self.terms
        ]
        sign = 1 if self.terms[0][0].side == "upper" else -1
        return max(0.0, rounded(sum(tops, Fraction(0)), sign))

    def __getstate__(self) -> tuple[Terms, float]:
        return self.terms, self.tail_mass

    def __setstate__(self, state: tuple[Terms, float]) -> None:
        self.terms, self.tail_mass = state

    def _better(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """The closer of two bounds of the steps' side."""
        return (np.minimum if self.terms[0][0].side == "upper" else np.maximum)(one, other)

    @cached_property
    def _plain(self) -> _core.LossPmf:
        """The composition without a tilt: good where delta is not small, whatever the steps."""
        return self._core.distribution(_PLAIN_TAIL, MEMORY_LIMIT)

    @cached_property
    def _core(self) -> _core.ExplicitComposition:
        return _core.ExplicitComposition(list(self.terms))


def deltas(
    composition: ExplicitComposition, epsilon: float | Sequence[float]
) -> float | FloatArray:
    """Delta at a number, or at numbers in increasing order."""
    if isinstance(epsilon, numbers.Number):
        return float(composition.delta(np.array([epsilon], dtype=np.float64))[0])
    epsilons = np.asarray(epsilon, dtype=np.float64)
    if np.any(epsilons[1:] < epsilons[:-1]):
        raise ValueError("Epsilons in get_delta_for_epsilon must be sorted in ascending order")
    return composition.delta(epsilons)


def contiguous(step: _core.StepPmf) -> tuple[int, FloatArray]:
    """The first loss, in intervals, and the masses from there on, zeros included."""
    index = step.indices
    if not index.size:
        return 0, np.zeros(0)
    first = int(index[0])
    probs = np.zeros(int(index[-1]) - first + 1)
    probs[index - first] = step.masses
    return first, probs


def truncate_tails(
    probs: FloatArray,
    tail_mass: float,
    pessimistic: bool,
) -> tuple[int, FloatArray, float]:
    """Each end less at most half the tail mass: how many went, what is left, what went to +inf.

    Pessimistic: the low end moves up to the first loss left, the high one to +inf. Else the high
    end moves down to the last loss left and the low one is dropped.
    """
    if tail_mass == 0 or not probs.size:
        return 0, probs, 0.0
    low = int(np.searchsorted(np.cumsum(probs), tail_mass / 2, side="right"))
    low = min(low, probs.size - 1)
    high = probs.size - int(np.searchsorted(np.cumsum(probs[::-1]), tail_mass / 2, side="right"))
    high = max(high, low + 1)
    kept = probs[low:high].copy()
    below, above = probs[:low].sum() * (1 + 1e-9), probs[high:].sum() * (1 + 1e-9)
    if pessimistic:
        kept[0] += below
        return low, kept, float(above)
    kept[-1] += above * (1 - 2e-9)
    return low, kept, 0.0
