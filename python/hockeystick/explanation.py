# SPDX-License-Identifier: Apache-2.0
"""The method that answered a question of epsilon or delta, and why no other one did."""

import math
from typing import NamedTuple

from hockeystick import _core, _html
from hockeystick.adjacency import Direction
from hockeystick.limits import Limits
from hockeystick.queries import QUERIES, Asked


class MethodReport(NamedTuple):
    """One method's part in a question; forecasts are not certified."""

    method: str
    verdict: str
    """"chosen", or why it was not."""
    forecast_seconds: float
    """The forecast time of its last attempt; infinite if it offered none."""
    forecast_bytes: float
    forecast_width: float
    """The forecast width over the allowed width; infinite if it is not known."""
    attempts: int
    seconds: float
    """The time of its attempts."""


_HEAD = ("method", "forecast", "width", "took", "verdict")


class Explanation(NamedTuple):
    """A table of methods for each direction of the adjacency, asked by itself."""

    directions: tuple[tuple[MethodReport, ...], ...]
    """For each direction, a report of each method."""
    names: tuple[str, ...] = ()
    """The directions, in words."""
    notes: tuple[str, ...] = ()
    """Notes on mechanisms: whether their answers are exact, or bounds."""

    def __str__(self) -> str:
        tables = []
        for name, reports in zip(self.names, self.directions, strict=True):
            rows = [_HEAD, *map(_cells, reports)]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
            tables.append("\n".join([f"{name}:", *lines]))
        return "\n\n".join([*tables, *self.notes])

    def _repr_html_(self) -> str:
        return "\n".join(
            _html.table(_HEAD, map(_cells, reports), caption=name, left=(0, 4))
            for name, reports in zip(self.names, self.directions, strict=True)
        )


def explained(asked: Asked, wanted: str, at: object, limits: Limits) -> Explanation:
    """Each method's offer for a question of epsilon or delta."""
    query = QUERIES[wanted]
    points = query.points(at)
    if points.size != 1:
        raise ValueError(f"{query.argument} must be one number, got the shape {points.shape}")
    tables = _core.explain(
        asked._directions(limits.adjacency),  # noqa: SLF001
        wanted,
        points.item(),
        tolerance=limits.tolerance,
        memory_limit=limits.memory_limit,
        smallest=limits.smallest,
    )
    words = [_SAID[direction] for direction in limits.adjacency.directions]
    if len(tables) == 1:
        names = [" and ".join(words)]
    elif len(tables) == len(words):
        names = words
    else:  # of runs on disjoint parts
        names = [f"direction {k} of {len(tables)}" for k in range(1, len(tables) + 1)]
    terms = dict.fromkeys(one for run in asked._alternatives for one, _ in run)  # noqa: SLF001
    notes = [note for one in terms if (note := one.said_of(limits.adjacency))]
    reports = tuple(tuple(map(_report, table)) for table in tables)
    return Explanation(reports, tuple(names), tuple(notes))


_SAID = {
    Direction.REMOVE: "a record is removed",
    Direction.ADD: "a record is added",
    Direction.REPLACE: "a record is replaced",
    Direction.REPLACE_BACK: "a record is replaced, backwards",
    Direction.SPECIAL_REMOVE: "a record is replaced by the special one",
    Direction.SPECIAL_ADD: "the special record is replaced",
}


def _report(row: tuple[str, float, float, float, str, int, float]) -> MethodReport:
    method, cost, size, width, verdict, attempts, took = row
    return MethodReport(method, verdict, cost * 1e-9, size, width, attempts, took * 1e-9)


def _cells(report: MethodReport) -> tuple[str, ...]:
    asked = report.verdict == "chosen" or report.attempts or math.isfinite(report.forecast_seconds)
    return (
        report.method,
        _time(report.forecast_seconds) if asked else "-",
        f"{report.forecast_width:.1g}" if math.isfinite(report.forecast_width) and asked else "-",
        _time(report.seconds) if report.attempts else "-",
        report.verdict,
    )


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
