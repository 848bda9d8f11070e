# SPDX-License-Identifier: Apache-2.0
"""A line on stderr that says how far long work has come."""

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

Report = Callable[[int, int], object]

PATIENCE = 2.0  # seconds before the line appears by itself
_PERIOD = 0.1  # seconds between two versions of it
_WIDTH = 30  # characters of the bar


class Progress:
    """Counts to `total`, and tells `report`, or else draws a bar.

    The bar is drawn at once if asked for, never if refused, and otherwise on a terminal when the
    work has taken PATIENCE seconds.
    """

    def __init__(self, total: int, wanted: bool | Report | None) -> None:  # noqa: FBT001
        self._total = total
        self._done = 0
        self._report = wanted if callable(wanted) else None
        bar = wanted is True or (wanted is None and sys.stderr.isatty())
        self._start = monotonic()
        self._due = self._start + (0.0 if wanted is True else PATIENCE) if bar else float("inf")
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        if self._drawn:
            self._draw()
            sys.stderr.write("\n")

    def step(self) -> None:
        """Counts one more item as done."""
        self._done += 1
        if self._report is not None:
            self._report(self._done, self._total)
        now = monotonic()
        if now >= self._due:
            self._due = now + _PERIOD
            self._draw()

    def _draw(self) -> None:
        spent = monotonic() - self._start
        full = _WIDTH * self._done // self._total
        left = spent * (self._total - self._done) / self._done if self._done else float("inf")
        bar = "#" * full + "." * (_WIDTH - full)
        sys.stderr.write(f"\r[{bar}] {self._done}/{self._total}, {spent:.0f} s, {left:.0f} s left ")
        sys.stderr.flush()
        self._drawn = True
