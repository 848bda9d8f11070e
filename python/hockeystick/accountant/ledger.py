# SPDX-License-Identifier: Apache-2.0
"""What was composed so far, which threads may share and processes may be forked from."""

import os
import threading
import weakref
from pathlib import Path
from typing import Any, NamedTuple, Self

from hockeystick import _checks, _json
from hockeystick.accountant.kept_curves import KeptCurves
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.limits import DEFAULT_TOLERANCE

Entry = tuple[Mechanism, int]


class Entries(NamedTuple):
    """What was composed. Never changed but replaced, so that whoever reads it reads one state."""

    ledger: tuple[Entry, ...] = ()
    composition: Composition = Composition()

    def and_then(self, mechanism: Composable, count: int) -> "Entries":
        """With `count` runs more."""
        _checks.instance("mechanism", mechanism, Composable)
        times = _checks.count(count)
        entries = ((mechanism, 1),) if isinstance(mechanism, Mechanism) else mechanism.terms
        last = list(self.ledger[-1:])
        for entry, runs in entries:
            _enter(last, entry, times * runs)
        return Entries((*self.ledger[:-1], *last), self.composition + times * mechanism)

    def to_json(self) -> list[dict[str, Any]]:
        """As an array of objects of JSON's own types."""
        return [
            {"mechanism": _json.mechanism_to_json(mechanism), "count": count}
            for mechanism, count in self.ledger
        ]

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        """The entries that `to_json` gave; `path` is where they stand."""
        if not isinstance(value, list):
            _json.fail(path, "must be an array", value)
        ledger: list[Entry] = []
        for index, entry in enumerate(value):
            _enter_json(ledger, entry, f"{path}[{index}]")
        return cls(tuple(ledger), _json.at(path, lambda: Composition(ledger)))


def _enter_json(ledger: list[Entry], value: object, path: str) -> None:
    entry = _json.members(value, path, ("mechanism", "count"))
    mechanism = _json.mechanism_from_json(entry["mechanism"], f"{path}.mechanism")
    _json.at(path, lambda: _enter(ledger, mechanism, _checks.count(entry["count"])))


def _enter(ledger: list[Entry], mechanism: Mechanism, count: int) -> None:
    before = ledger.pop()[1] if ledger and ledger[-1][0] == mechanism else 0
    total = _checks.count(before + count)
    if total:
        ledger.append((mechanism, total))


class Ledger:
    """A ledger of the mechanisms that ran; each change is made as a whole, one after another."""

    def __init__(
        self,
        *,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> None:
        self._adjacency = adjacency_of(adjacency)
        self._tolerance = _checks.tolerance(tolerance)
        self._entries = Entries()
        self._file: tuple[Path, str] | None = None  # loaded from or saved to, and the digest of it
        self._holds_lock = False
        self._own_lock()

    def _own_lock(self) -> None:
        self._lock = threading.RLock()
        self._kept = KeptCurves()
        _ledgers.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lock": None, "_kept": None, "_holds_lock": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._own_lock()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} adjacency={self._adjacency.value!r} "
            f"tolerance={self._tolerance!r} composition={self.composition!r}>"
        )

    @property
    def adjacency(self) -> Adjacency:
        """Which datasets are neighbours."""
        return self._adjacency

    @property
    def tolerance(self) -> float:
        """Widest relative gap accepted."""
        return self._tolerance

    @property
    def ledger(self) -> tuple[tuple[Mechanism, int], ...]:
        """What was composed, as (mechanism, count) in order of arrival, runs of equals merged."""
        return self._entries.ledger

    @property
    def composition(self) -> Composition:
        """All of the ledger as one composition."""
        return self._entries.composition

    def compose(self, mechanism: Composable, count: int = 1) -> Self:
        """Enter `count` runs of a mechanism or of a composition; on an error, nothing is entered.

        Args:
            mechanism: What ran.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.

        Returns:
            The accountant itself.

        Raises:
            ValueError: A count is out of range.
            TypeError: An argument has the wrong type.
        """
        with self._lock:
            self._entries = self._entries.and_then(mechanism, count)
        return self


_ledgers: "weakref.WeakSet[Ledger]" = weakref.WeakSet()


def _renew_locks() -> None:
    """Free, in a forked child, what other threads of its parent hold; their changes were whole."""
    for ledger in list(_ledgers):
        ledger._own_lock()  # noqa: SLF001, its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
