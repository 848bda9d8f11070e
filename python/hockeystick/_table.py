# SPDX-License-Identifier: Apache-2.0
"""What a ledger holds as a table: in text, Markdown and HTML."""

from abc import ABC, abstractmethod

from hockeystick import _html
from hockeystick._neighbours import Hinting

TEXTS = (0, 1)
"""The columns that hold no numbers."""


class Table(Hinting, ABC):
    """A table of entries with a title and a summary; numbers are right-aligned."""

    __slots__ = ()

    @property
    @abstractmethod
    def _title(self) -> str: ...

    @property
    @abstractmethod
    def _summary(self) -> str: ...

    @abstractmethod
    def _cells(self) -> list[tuple[str, ...]]:
        """The head and the rows; numbers rounded so that none promises too much."""

    def __str__(self) -> str:
        head, *rows = cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

        def line(row: tuple[str, ...]) -> str:
            placed = [
                each.ljust(width) if index in TEXTS else each.rjust(width)
                for index, (each, width) in enumerate(zip(row, widths, strict=True))
            ]
            return "  ".join(placed).rstrip()

        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self._title, "", line(head), rule, *map(line, rows), "", self._summary])

    def markdown(self) -> str:
        """As a table in Markdown."""
        head, *rows = (
            [each.replace("\\", "\\\\").replace("|", "\\|") for each in row]
            for row in self._cells()
        )
        rule = [("---" if index in TEXTS else "---:") for index in range(len(head))]
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
        return "\n".join([f"**{self._title}**", "", *lines, "", self._summary])

    def html(self) -> str:
        """As a table in HTML, without scripts."""
        return self._table(None)

    def _repr_html_(self) -> str:
        return self._table(_html.MOST_ROWS)

    def _table(self, most: int | None) -> str:
        head, *rows = self._cells()
        return _html.table(
            head, rows, caption=self._title, note=self._summary, left=TEXTS, most=most
        )
