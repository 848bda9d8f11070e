# SPDX-License-Identifier: Apache-2.0
"""Runs on disjoint parts of the data as text, and in files that people write."""

import os
from typing import Any, NamedTuple

from hockeystick import _json
from hockeystick.accountant.entries import Entries
from hockeystick.accountant.run_file import Described, completed, from_file, parsed
from hockeystick.accountant.saved_ledger import VERSION
from hockeystick.adjacency import Adjacency
from hockeystick.disjoint import SCHEMA, AnyRun, DisjointParts, parallel


class Read(NamedTuple):
    """A run with the settings of its description."""

    run: AnyRun
    adjacency: Adjacency
    tolerance: float


def to_json(parts: DisjointParts) -> str:
    """The result of ``DisjointParts.to_json``."""
    ledgers = [{"ledger": Entries().and_then(run, 1).to_json()} for run in parts.runs]
    return _json.dump({"schema": SCHEMA, "version": VERSION, "parallel": ledgers})


def from_json(text: str) -> DisjointParts:
    """The result of ``DisjointParts.from_json``."""
    run = read_text(text).run
    if not isinstance(run, DisjointParts):
        _json.fail("$.parallel", "must be there, as an array of one ledger for each part")
    return run


def read(path: str | os.PathLike[str]) -> Read:
    """Reads as ``Accountant.read``, and also a file with the ledgers of disjoint parts.

    Raises:
        OSError: The file cannot be read.
        ValueError: It describes no run; the message says where.
        TypeError: `path` is no path.
    """
    return from_file(path, read_text)[0]


def read_text(text: str, *, toml: bool = False) -> Read:
    """Reads a text: the ledger of all data, and the disjoint parts.

    Raises:
        ValueError: It describes no run; the message says where.
        TypeError: `text` is no string.
    """
    return _json.nested(lambda: _read(parsed(text, toml=toml)))


def _read(value: dict[str, Any]) -> Read:
    if str(value.get("schema")).endswith("Filter"):
        _json.fail("$.schema", "is that of a filter, which `hockeystick filter` asks")
    if not {"ledger", "parallel"} & value.keys():
        _json.fail("$.ledger", "must be there, or $.parallel: a list of mechanism and count")
    has_parts, ledgers = "parallel" in value, value.pop("parallel", None)
    if has_parts:
        if value.pop("schema", SCHEMA) != SCHEMA:
            _json.fail("$.schema", f"must be {SCHEMA!r} beside $.parallel")
        value = {"ledger": []} | value
    account = Described._restored(completed(value))  # noqa: SLF001, its own
    run: AnyRun = account.composition
    if has_parts:
        run = _parts(ledgers) + run
    return Read(run, account.adjacency, account.tolerance)


def _parts(value: object) -> DisjointParts:
    if not isinstance(value, list):
        _json.fail("$.parallel", "must be an array", value)
    runs = []
    for at, each in enumerate(value):
        path = f"$.parallel[{at}]"
        part = completed(dict(_json.members(each, path, ("ledger",))), path, {})
        runs.append(Entries.from_json(part["ledger"], f"{path}.ledger").composition)
    return _json.at("$.parallel", lambda: parallel(*runs))
