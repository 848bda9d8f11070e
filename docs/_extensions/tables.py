# SPDX-License-Identifier: Apache-2.0
"""Tables as a page of any width shows them.

On a phone a table of three columns or more is a list of cards, in which each cell names its column,
unless all its cells are short. ``manual.css`` shows the names there only. Code in a cell breaks
between words, not within them.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_MOST_COLUMNS = 2
"""As many columns fit a phone."""
_MOST_IN_A_CELL, _MOST_IN_A_ROW = 24, 48
"""Characters of a cell, and of the longest words of a row, with which more columns do, too."""
_BREAK = re.compile(r"(?<=[(_.,/:-])(?=\w)|(?<=[a-z])(?=[A-Z])")


def _is_narrow(table: nodes.table) -> bool:
    """Whether all cells are short, as those of numbers are."""
    rows = [
        [cell.astext() for cell in row.findall(nodes.entry)] for row in table.findall(nodes.row)
    ]
    longest = [
        max(max(map(len, text.split()), default=0) for text in column)
        for column in zip(*rows, strict=False)
    ]
    is_short = all(len(text) <= _MOST_IN_A_CELL for row in rows for text in row)
    return is_short and sum(longest) <= _MOST_IN_A_ROW


def _name_columns(table: nodes.table) -> None:
    head = next(table.findall(nodes.thead), None)
    titles = [entry.astext() for entry in head.findall(nodes.entry)] if head else []
    if len(titles) <= _MOST_COLUMNS:
        return
    if _is_narrow(table):
        table["classes"].append("narrow")
        return
    table["classes"].append("cards")
    for body in table.findall(nodes.tbody):
        for row in body.findall(nodes.row):
            for title, entry in zip(titles[1:], row.children[1:], strict=False):
                entry.insert(0, nodes.inline("", title, classes=["column"]))  # type: ignore[attr-defined]


def _break_code(table: nodes.table) -> None:
    for code in list(table.findall(nodes.literal)):
        first, *others = _BREAK.split(code.astext())
        code.children = []
        code.append(nodes.Text(first))
        for part in others:
            code.extend([nodes.raw("", "<wbr>", format="html"), nodes.Text(part)])


def _prepare(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    for table in list(doctree.findall(nodes.table)):
        _name_columns(table)
        _break_code(table)


def setup(app: Sphinx) -> dict[str, Any]:
    """Prepare what is written."""
    app.connect("doctree-resolved", _prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
