# SPDX-License-Identifier: Apache-2.0
"""The entries of a ledger, and what they compose to."""

from typing import Any, NamedTuple

from hockeystick import _checks, _json
from hockeystick.composition import Composable, Composition, Mechanism

Entry = tuple[Mechanism, int]


class Entries(NamedTuple):
    """What was composed. Never changed but replaced, so that whoever reads it reads one state."""

    ledger: tuple[Entry, ...] = ()
    composition: Composition = Composition()

    def and_then(self, mechanism: Composable, times: int) -> "Entries":
        """With so many runs more."""
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


def from_json(value: object, path: str) -> Entries:
    """The entries that `to_json` gave; `path` is where they stand."""
    if not isinstance(value, list):
        _json.fail(path, "must be an array", value)
    ledger: list[Entry] = []
    for index, entry in enumerate(value):
        _enter_json(ledger, entry, f"{path}[{index}]")
    return Entries(tuple(ledger), _json.at(path, lambda: Composition(ledger)))


def _enter_json(ledger: list[Entry], value: object, path: str) -> None:
    entry = _json.members(value, path, ("mechanism", "count"))
    mechanism = _json.mechanism_from_json(entry["mechanism"], f"{path}.mechanism")
    _json.at(path, lambda: _enter(ledger, mechanism, _checks.count(entry["count"])))


def _enter(ledger: list[Entry], mechanism: Mechanism, count: int) -> None:
    before = ledger.pop()[1] if ledger and ledger[-1][0] == mechanism else 0
    total = _checks.count(before + count)
    if total:
        ledger.append((mechanism, total))
