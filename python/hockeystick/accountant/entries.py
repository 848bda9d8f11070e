# SPDX-License-Identifier: Apache-2.0
"""The entries of a ledger, in order of arrival."""

from typing import Any, NamedTuple, Self

from hockeystick import _checks, _json
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.disjoint import DisjointParts

LONGEST_LABEL = 1000


class Entry(NamedTuple):
    """One entry of a ledger: a mechanism that ran, once or repeatedly, under one label."""

    mechanism: Mechanism
    """The mechanism."""
    count: int  # type: ignore[assignment] # tuple.count
    """The number of runs."""
    label: str
    """The purpose; empty where none was given."""


def checked_label(value: object) -> str:
    """A line of text that can be shown."""
    expected = f"label must be a line of printable text, of at most {LONGEST_LABEL} characters"
    if not isinstance(value, str):
        raise TypeError(f"{expected}, got {_checks.show(value)}")
    if len(value) > LONGEST_LABEL or not value.isprintable():
        raise ValueError(f"{expected}, got {_checks.show(value)}")
    return value


class Entries(NamedTuple):
    """The entries of a ledger. Immutable: a reader sees one state while others add entries."""

    ledger: tuple[tuple[Mechanism, int], ...] = ()
    composition: Composition = Composition()
    labels: tuple[str, ...] = ()  # of each entry of the ledger

    def and_then(
        self, mechanism: Composable | DisjointParts, count: int, label: str = ""
    ) -> "Entries":
        """These entries and `count` more runs."""
        if isinstance(mechanism, DisjointParts):
            raise TypeError(
                "mechanism must be one that runs on all data, as a ledger says nothing of parts, "
                f"got {mechanism!r}: keep an Accountant for each part"
            )
        _checks.instance("mechanism", mechanism, Composable)
        times, name = _checks.count(count), checked_label(label)
        entries = ((mechanism, 1),) if isinstance(mechanism, Mechanism) else mechanism.terms
        last = [Entry(*self.ledger[-1], self.labels[-1])] if self.ledger else []
        for entry, runs in entries:
            _enter(last, Entry(entry, times * runs, name))
        composition = self.composition + times * mechanism
        return self._of(last, composition, self.ledger[:-1], self.labels[:-1])

    @classmethod
    def _of(
        cls,
        last: list[Entry],
        composition: Composition,
        ledger: tuple[tuple[Mechanism, int], ...] = (),
        labels: tuple[str, ...] = (),
    ) -> Self:
        """The entries of `ledger`, followed by those of `last`."""
        added = tuple((mechanism, count) for mechanism, count, _ in last)
        return cls((*ledger, *added), composition, (*labels, *(entry.label for entry in last)))

    def merged(self) -> Self:
        """The entries merged to one for each mechanism and label."""
        counts: dict[tuple[Mechanism, str], int] = {}
        for mechanism, count, label in self.labelled():
            key = mechanism, label
            counts[key] = _checks.count(counts.get(key, 0) + count)
        entries = [Entry(mechanism, n, label) for (mechanism, label), n in counts.items()]
        return self._of(entries, self.composition)

    def labelled(self) -> tuple[Entry, ...]:
        """Each entry with its label."""
        return tuple(
            Entry(*entry, label) for entry, label in zip(self.ledger, self.labels, strict=True)
        )

    def to_json(self) -> list[dict[str, Any]]:
        """The entries as an array of objects of JSON's own types, without empty labels."""
        return [
            {"mechanism": _json.mechanism_to_json(mechanism), "count": count}
            | ({"label": label} if label else {})
            for mechanism, count, label in self.labelled()
        ]

    @classmethod
    def from_json(cls, value: object, path: str) -> Self:
        """The entries that `to_json` gave; `path` is where they stand."""
        if not isinstance(value, list):
            _json.fail(path, "must be an array", value)
        ledger: list[Entry] = []
        for index, entry in enumerate(value):
            _enter_json(ledger, entry, f"{path}[{index}]")
        terms = [(mechanism, count) for mechanism, count, _ in ledger]
        return cls._of(ledger, _json.at(path, lambda: Composition(terms)))


def _enter_json(ledger: list[Entry], value: object, path: str) -> None:
    entry = {"label": "", **value} if isinstance(value, dict) else value
    entry = _json.members(entry, path, ("mechanism", "count", "label"))
    mechanism = _json.mechanism_from_json(entry["mechanism"], f"{path}.mechanism")

    def enter() -> None:
        _enter(
            ledger, Entry(mechanism, _checks.count(entry["count"]), checked_label(entry["label"]))
        )

    _json.at(path, enter)


def _enter(ledger: list[Entry], entry: Entry) -> None:
    before = 0
    if ledger and ledger[-1].mechanism == entry.mechanism and ledger[-1].label == entry.label:
        before = ledger.pop().count
    total = _checks.count(before + entry.count)
    if total:
        ledger.append(entry._replace(count=total))
