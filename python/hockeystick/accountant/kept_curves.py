# SPDX-License-Identifier: Apache-2.0
"""The curves of what was composed so far, kept on a grid, so that an admission costs one product.

Certified from both sides, but coarse: what lies between is left to an exact question.
"""

from typing import Literal, NamedTuple

import numpy as np

from hockeystick import _checks, _core
from hockeystick.accountant.entries import Entries
from hockeystick.accountant.kept_runs import KeptRuns, added, lately
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composable, Terms
from hockeystick.limits import Limits

_FEWEST = 48  # distinct mechanisms, below which an exact question costs less
# Intervals of the grid up to the budget's epsilon. A lower curve, which moves atoms down, needs a
# finer grid; only what is refused asks for it.
_INTERVALS = {"upper": 2**13, "lower": 2**15}
_MOST_LOSSES = {"upper": 2**16, "lower": 2**18}
_CUT = 1e-7  # share of the budget's delta that each end of each distribution may lose
_MOST_AT_ONCE = 8  # mechanisms composed one by one with what is kept
_MOST_PRODUCTS = 2**26  # products of masses in one of these compositions: some 30 ms
_MOST_GRIDS = 8

Curves = tuple[_core.LossPmf, ...]  # one for each direction


class _Question(NamedTuple):
    """The curve that a question needs, and the place of its answer."""

    epsilon: float
    delta: float
    adjacency: Adjacency
    side: Literal["upper", "lower"]

    def directions_of(self, run: Composable) -> int:
        """The number of directions with curves of their own."""
        first, *others = run._pairs(*self.adjacency.directions)  # noqa: SLF001, as all questions
        return 1 if all(other == first for other in others) else 1 + len(others)

    def curves_of(
        self, run: Composable, directions: int, interval: float, memory_limit: int
    ) -> Curves:
        return tuple(
            _core.loss_pmf(
                terms,
                interval=interval,
                side=self.side,
                estimator="connect_dots",
                tail_mass=max(_CUT * self.delta, 1e-300),
                memory_limit=memory_limit,
            )
            for terms in run._pairs(*self.adjacency.directions[:directions])  # noqa: SLF001
        )

    def composed(self, kept: Curves, one: Curves) -> Curves | None:
        pairs = list(zip(kept, one, strict=True))
        if any(len(a) * len(b) > _MOST_PRODUCTS for a, b in pairs):
            return None
        return tuple(_core.composed_directly(a, b, cut=_CUT * self.delta) for a, b in pairs)

    def delta_of(self, kept: Curves, one: Curves) -> float:
        """The bound of delta of both, composed."""
        at = np.array([self.epsilon])
        pairs = zip(kept, one, strict=True)
        return max(float(_core.composed_delta(a, b, at)[0]) for a, b in pairs)


class _Composed(NamedTuple):
    """The curves of a composition; None where they are too large."""

    ledger: Terms
    directions: int
    interval: float
    curves: Curves | None


class KeptCurves:
    """The curves of a growing ledger, for the last few budgets. For one thread at a time."""

    def __init__(self) -> None:
        self.runs: KeptRuns = KeptRuns()
        self._composed: dict[_Question, _Composed] = {}

    def decide(
        self,
        spent: Entries,
        more: Composable,
        epsilon: float,
        delta: float,
        limits: Limits,
    ) -> bool | None:
        """Whether both together are (epsilon, delta)-DP; None where it takes an exact question."""
        if len(spent.composition.terms) < _FEWEST or not 0 < epsilon <= _checks.MAX_EPSILON:
            return None

        def bound(side: Literal["upper", "lower"]) -> float | None:
            question = _Question(epsilon, delta, limits.adjacency, side)
            return self._delta(question, spent, more, limits.memory_limit)

        try:
            upper = bound("upper")
            if upper is None or upper <= delta:
                return None if upper is None else True
            lower = bound("lower")
        except ValueError:  # the memory limit, or no pair: the exact question says so
            return None
        return False if lower is not None and lower > delta else None

    def _delta(
        self, question: _Question, spent: Entries, more: Composable, memory_limit: int
    ) -> float | None:
        composed = self._current(question, spent, question.directions_of(more), memory_limit)
        self._composed = lately(self._composed, question, composed, _MOST_GRIDS)
        if composed.curves is None:
            return None
        one = question.curves_of(more, composed.directions, composed.interval, memory_limit)
        return question.delta_of(composed.curves, one)

    def _current(
        self, question: _Question, spent: Entries, directions: int, memory_limit: int
    ) -> _Composed:
        """The curves of all that was spent, made from those before if that is less work."""
        before = self._composed.get(question)
        later = None if before is None else added(before.ledger, spent.ledger)
        if before is None or later is None:
            return _anew(question, spent, directions, memory_limit)
        curves = before.curves
        if curves is None:  # and what grows is not smaller
            return before._replace(ledger=spent.ledger)
        runs = [count * mechanism for mechanism, count in later]
        directions = max([directions, *map(question.directions_of, runs)])
        if directions > before.directions or len(runs) > _MOST_AT_ONCE:
            return _anew(question, spent, directions, memory_limit)
        for run in runs:
            if curves is not None:
                one = question.curves_of(run, before.directions, before.interval, memory_limit)
                curves = question.composed(curves, one)
        return before._replace(ledger=spent.ledger, curves=curves)


def _anew(question: _Question, spent: Entries, directions: int, memory_limit: int) -> _Composed:
    run = spent.composition
    directions = max(directions, question.directions_of(run))
    interval = question.epsilon / _INTERVALS[question.side]
    curves = question.curves_of(run, directions, interval, memory_limit)
    longest = max(map(len, curves))
    if longest > _MOST_LOSSES[question.side]:  # losses reach far beyond epsilon
        interval *= longest / _MOST_LOSSES[question.side]
        curves = question.curves_of(run, directions, interval, memory_limit)
    return _Composed(spent.ledger, directions, interval, curves)
