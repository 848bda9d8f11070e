# SPDX-License-Identifier: Apache-2.0
"""A ledger as a table: in text, Markdown, HTML and LaTeX."""

from abc import ABC, abstractmethod

from hockeystick import _formats, _html
from hockeystick._neighbours import Hinting
from hockeystick._words import outspoken
from hockeystick.adjacency import Adjacency

TEXTS = (0, 1)
"""The columns that hold no numbers."""


@outspoken
class Table(Hinting, ABC):
    """A table of entries with a title and a summary; numbers are right-aligned."""

    __slots__ = ()
    adjacency: Adjacency

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
        """The table in Markdown."""
        head, *rows = (
            [each.replace("\\", "\\\\").replace("|", "\\|") for each in row]
            for row in self._cells()
        )
        rule = [("---" if index in TEXTS else "---:") for index in range(len(head))]
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
        return "\n".join([f"**{self._title}**", "", *lines, "", self._summary])

    def html(self) -> str:
        """The table in HTML, without scripts."""
        return self._table(self._cells(), None)

    def page(self) -> str:
        """A whole page in HTML: with a style, a total, the date and the neighbours in words."""
        table = self._table(self._with_total(), None)
        return _formats.page(self._title, table, _formats.origin(self.adjacency.in_words))

    def latex(self) -> str:
        """A floating table in LaTeX, which needs no package."""
        said = f"{self._title}. {self._summary}. {_formats.origin(self.adjacency.in_words)}"
        return _formats.latex(self._with_total(), said, TEXTS)

    def _with_total(self) -> list[tuple[str, ...]]:
        """The cells, with all entries together in the last row."""
        head, *rows = self._cells()
        all_of_them = rows[-1][4:] if rows else ("0", "")
        return [head, *rows, ("all", "", "", "", *all_of_them)[: len(head)]]

    def _repr_html_(self) -> str:
        return self._table(self._cells(), _html.MOST_ROWS)

    def _table(self, cells: list[tuple[str, ...]], most: int | None) -> str:
        head, *rows = cells
        return _html.table(
            head, rows, caption=self._title, note=self._summary, left=TEXTS, most=most
        )
