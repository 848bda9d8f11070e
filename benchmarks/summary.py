# SPDX-License-Identifier: Apache-2.0
"""The few measured rows of the README at the root, from the newest results of each of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

from cases import CASES, Case
from report import replaced, seconds

RESULTS = Path(__file__).with_name("results")
PAGE = Path(__file__).parents[1] / "README.md"
MARKER = "measured"
ROWS = ("dpsgd", "dpsgd-small", "million", "few-shot")
LIBRARIES = ("hockeystick", "dp-accounting", "prv-accountant")

Records = dict[str, Any]  # by the label of a library


def newest(folder: Path = RESULTS) -> dict[str, tuple[str, Records]]:
    """For each case the machine and the records of its last run."""
    cases = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    return {name: (run["machine"], run["records"]) for name, run in cases.items()}


def _record(records: Records, library: str) -> tuple[str, Any]:
    """The way a library has by default; its label has no comma."""
    labels = [label for label in records if label.split()[0] == library and "," not in label]
    return (labels[0], records[labels[0]]) if labels else ("", None)


def _cell(record: Any) -> str:
    if record is None:
        return "not run"
    if record["verdict"] == "failed":
        return "failed"
    if record["verdict"] == "wrong":
        return f"WRONG by {record['distance']:.1e}"
    width = record["width"]
    claim = "upper only" if width is None else f"width {width:.0e}"
    return f"{seconds(median(record['seconds']))}, {claim}"


def _question(case: Case) -> str:
    return f"delta = {case.at:g}; {case.title}"


def text(results: dict[str, tuple[str, Records]]) -> str:
    """What stands between the markers."""
    cases = {case.name: case for case in CASES}
    lines = ["| epsilon at | " + " | ".join(LIBRARIES) + " |", "| --- | --- | --- | --- |"]
    labels: dict[str, None] = {}
    machines: dict[str, None] = {}
    for name in ROWS:
        machine, records = results[name]
        machines[re.sub(", load [0-9.]+", "", machine)] = None
        named = [_record(records, library) for library in LIBRARIES]
        labels |= {label: None for label, _ in named if label}
        cells = (_question(cases[name]), *(_cell(record) for _, record in named))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\n{', '.join(labels)}; {'; '.join(machines)}.\n"


def write(page: Path = PAGE, folder: Path = RESULTS) -> None:
    """Renew the table of the page."""
    old = page.read_text(encoding="utf-8")
    page.write_text(replaced(old, MARKER, text(newest(folder))), encoding="utf-8")
