# SPDX-License-Identifier: Apache-2.0
"""Docstrings hold Markdown tables and indented code; Sphinx is given reStructuredText."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

_BARS = re.compile(r"\|(\w+)\|")  # an absolute value, not a substitution
_SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes):$")


def _kind(line: str) -> str:
    return "table" if line.startswith("| ") else "text"


def _as_table(rows: list[str]) -> Iterator[str]:
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    yield from ("", ".. list-table::", "   :header-rows: 1", "")
    for row in (cells[0], *cells[2:]):  # the second holds dashes
        for index, cell in enumerate(row):
            yield f"   {'* -' if index == 0 else '  -'} {cell}"
    yield ""


def _with_literals(lines: list[str]) -> Iterator[str]:
    """With indented paragraphs, outside of sections, marked as literal."""
    before, section, literal = "", False, False
    for line in lines:
        indented = line.startswith("    ")
        if line and not indented:
            section, literal = bool(_SECTION.match(line)), False
        if indented and not before and not section and not literal:
            yield from ("::", "")
            literal = True
        yield line if literal or "`" in line else _BARS.sub(r"\\|\1\\|", line)
        before = line


def _process(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    text = list(_with_literals(lines))
    lines[:] = [
        line
        for kind, rows in groupby(text, _kind)
        for line in (_as_table(list(rows)) if kind == "table" else rows)
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register, ahead of napoleon, which reads the sections."""
    app.connect("autodoc-process-docstring", _process, priority=400)
    return {"parallel_read_safe": True}
