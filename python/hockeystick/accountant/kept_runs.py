# SPDX-License-Identifier: Apache-2.0
"""Evaluators of a growing ledger's last questions, so that a new step costs its own work alone.

Certified as an answer from the start is, and as tight: where it no longer is, it is made anew.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hockeystick import _core
from hockeystick.queries import QUERIES, certified

if TYPE_CHECKING:
    from hockeystick.accountant.entries import Entries
    from hockeystick.bounds import Array, Bounds
    from hockeystick.composition import Composable, Terms
    from hockeystick.limits import Limits

_FEWEST = 32  # distinct mechanisms, below which an answer from the start costs little
_MOST_QUESTIONS = 8
_RENEWED = (
    1.5  # growth of the ledger after which a run is kept anew: each later entry then costs less
)
_RETRIED = 2.0  # the same growth, where nothing could be kept


class _Question(NamedTuple):
    """The question whose run is kept."""

    name: str
    at: float
    limits: Limits

    def run_of(self, entries: Entries) -> _core.KeptRun | None:
        terms, adjacency = entries.composition.terms, self.limits.adjacency
        if not all(mechanism.is_exact for mechanism, _ in terms):
            return None
        return _core.KeptRun.of(
            entries.composition._directions(adjacency),  # noqa: SLF001, as all questions
            self.name,
            self.at,
            tolerance=self.limits.tolerance,
            memory_limit=self.limits.memory_limit,
        )

    def grown(self, run: _core.KeptRun, added: Terms) -> _core.KeptRun | None:
        """The run extended by these entries; None if they do not fit."""
        if not added:
            return run
        terms = [term for mechanism, count in added for term in (count * mechanism).terms]
        if not all(mechanism.is_exact for mechanism, _ in terms):
            return None
        added_run = _core.Run(terms)
        first, *others = (
            added_run.pairs(direction.index) for direction in self.limits.adjacency.directions
        )
        if run.directions == 1 and any(other != first for other in others):
            return None
        return run.grown([first, *others][: run.directions])

    def answers(self, run: _core.KeptRun | None) -> _core.Answers | None:
        if run is None:
            return None
        return run.answers(
            self.name,
            self.at,
            tolerance=self.limits.tolerance,
            memory_limit=self.limits.memory_limit,
        )


class _Kept(NamedTuple):
    """A run as it was when last asked; None where nothing can be kept of it."""

    ledger: Terms
    made_of: int
    """The number of entries when the run was made from the start."""
    run: _core.KeptRun | None


def added(before: Terms, now: Terms) -> Terms | None:
    """The terms that a ledger has beyond `before`, which is not empty; None if it differs."""
    size = len(before)
    if len(now) < size or now[: size - 1] != before[:-1]:
        return None
    (last, few), (mechanism, count) = before[-1], now[size - 1]
    if mechanism != last or count < few:
        return None
    return ((last, count - few), *now[size:]) if count > few else now[size:]


Key = TypeVar("Key")
Value = TypeVar("Value")


def lately(kept: dict[Key, Value], key: Key, value: Value, most: int) -> dict[Key, Value]:
    """The last few that were asked for, this one first."""
    others = ((one, known) for one, known in kept.items() if one != key)
    return {key: value, **dict(islice(others, most - 1))}


class KeptRuns:
    """The runs of a growing ledger, for the last few questions. Threads may share it."""

    def __init__(self) -> None:
        self._kept: dict[_Question, _Kept] = {}

    def bounds(
        self,
        name: str,
        at: float | Array,
        entries: Entries,
        limits: Limits,
        more: Composable | None = None,
    ) -> Bounds[float] | None:
        """Bounds of epsilon or delta of all entries, and `more`; None where a question is to ask.

        Of one number, and many distinct mechanisms.
        """
        if len(entries.composition.terms) < _FEWEST:
            return None
        points = QUERIES[name].points(at)
        if points.shape:
            return None
        question = _Question(name, points.item(), limits)
        kept, answers = self._current(question, entries)
        self._kept = lately(self._kept, question, kept, _MOST_QUESTIONS)
        if kept.run is not None and more is not None:
            answers = question.answers(question.grown(kept.run, more.terms))
        return None if answers is None else certified(QUERIES[name], points, answers, limits)

    def _current(self, question: _Question, entries: Entries) -> tuple[_Kept, _core.Answers | None]:
        """The kept run of all entries, and its answer."""
        before, size = self._kept.get(question), len(entries.ledger)
        more = None if before is None else added(before.ledger, entries.ledger)
        if before is not None and more is not None:
            if before.run is None:
                if size < _RETRIED * before.made_of:
                    return before, None
            elif size < _RENEWED * before.made_of:
                run = question.grown(before.run, more)
                if (answers := question.answers(run)) is not None:
                    return _Kept(entries.ledger, before.made_of, run), answers
        run = question.run_of(entries)
        return _Kept(entries.ledger, size, run), question.answers(run)
