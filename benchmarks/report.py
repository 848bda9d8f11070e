# SPDX-License-Identifier: Apache-2.0
"""Tables: an outcome per row, time and accuracy side by side."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten

from cases import Case
from measure import Outcome, Verdict

METHOD = """\
All libraries answer the same question in one process on one thread, in interleaved rounds whose
order flips every round; a slow library takes part in fewer of them. Each call builds its objects
anew. Each answer is checked against the truth before its time counts. A sample is one call, or the
mean of the calls that fill 10 ms; *time* is the median sample, *band* the shortest and the longest.
*Ratio* is the median over that of the first row, bold where the bands do not overlap. *Width*
(upper - lower) and *distances* (upper - truth, and guess - truth) are relative to the truth. Times
in parentheses are of answers that do not count."""

HEADER = (
    "library",
    "time",
    "band",
    "samples",
    "ratio",
    "answer",
    "width",
    "upper - truth",
    "guess - truth",
    "verdict",
)


def seconds(value: float) -> str:
    """A time with three digits and a fitting unit."""
    for unit, scale in (("us", 1e-6), ("ms", 1e-3)):
        if value < 999.5 * scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.4g} s" if value >= 99.95 else f"{value:.3g} s"  # noqa: PLR2004


def _ratio(outcome: Outcome, first: Outcome) -> str:
    """Of the medians; bold where one band lies beyond the other."""
    if not (outcome.verdict.counts and first.verdict.counts):
        return ""
    ratio = outcome.middle / first.middle
    text = f"{ratio:.3g}" if ratio < 99.5 else f"{ratio:.0f}"  # noqa: PLR2004
    apart = outcome.band[0] > first.band[1] or outcome.band[1] < first.band[0]
    return f"**{text}**" if apart else text


def _relative(value: float | None, *, signed: bool = True) -> str:
    return "-" if value is None else f"{value:+.1e}" if signed else f"{value:.1e}"


def _accuracy(verdict: Verdict) -> tuple[str, ...]:
    if verdict.distance is None:  # no number to speak of
        return (
            "-",
            "-",
            "-",
            "-",
            f"{verdict.status.value}: {shorten(verdict.text, 72, placeholder=' ...')}",
        )
    return (
        f"{float(verdict.text):.9g}",
        "none" if verdict.width is None else _relative(verdict.width, signed=False),
        _relative(verdict.distance),
        _relative(verdict.estimate_distance),
        verdict.status.value,
    )


def _row(name: str, outcome: Outcome, first: Outcome) -> tuple[str, ...]:
    shortest, longest = map(seconds, outcome.band)
    time = seconds(outcome.middle)
    band = f"{shortest} to {longest}" if len(outcome.samples) > 1 else ""
    if not outcome.verdict.counts:
        time, band = f"({time})", ""
    ratio = "1" if outcome is first and first.verdict.counts else _ratio(outcome, first)
    cells = (name, time, band, str(len(outcome.samples)), ratio, *_accuracy(outcome.verdict))
    return tuple(cell.replace("|", "/") for cell in cells)


def table(outcomes: Mapping[str, Outcome]) -> str:
    """A Markdown table, aligned to be read as it stands."""
    first = next(iter(outcomes.values()))
    rows = [HEADER, *(_row(name, outcome, first) for name, outcome in outcomes.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    lines = [" | ".join(map(str.ljust, row, widths)) for row in rows]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)


def machine() -> str:
    """The hardware and the interpreter, and how busy it is; neither its name nor its owner."""
    model = platform.processor() or platform.machine()
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        info = ""
    if found := re.search(r"^model name\s*:\s*(.+)$", info, re.MULTILINE):
        model = found[1]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores{load}, {platform.system()}, {python}"


def block(case: Case, outcomes: Mapping[str, Outcome], where: str) -> str:
    """What stands between the markers of a case."""
    return f"{case.question}\n\n{table(outcomes)}\n\n{where}\n"


def replaced(page: str, name: str, text: str) -> str:
    """`page` with `text` between the markers of the case `name`."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page must hold {begin.strip()} and {end} once each")
    head, rest = page.split(begin)
    return head + begin + text + end + rest.split(end)[1]
