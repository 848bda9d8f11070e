# SPDX-License-Identifier: Apache-2.0
"""Docstrings hold Markdown tables and indented code; Sphinx is given reStructuredText."""

import re
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

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


# What the types of arrays are spelled out as in signatures, and what says as much.
_TYPES = (
    (
        r"~numpy\._typing\._array_like\._Buffer .*?_NestedSequence\[complex \| bytes \| str\]",
        "~numpy.typing.ArrayLike",
    ),
    (r"~numpy\.ndarray\[.*?dtype\[(?:[^\[\]]|\[[^\[\]]*\])*\]\]", "~numpy.ndarray"),
    (r"~numpy\.ndarray(?: \| ~numpy\.ndarray)+", "~numpy.ndarray"),
    (r"~hockeystick\.bounds\.Value", "float | ~numpy.ndarray"),
    (r"float \| ~numpy\.ndarray \| (?=~numpy\.typing\.ArrayLike)", ""),
    (r"(?<![\w.])Axes\b", "~matplotlib.axes.Axes"),
    (r"= \((?:[\d.e+]+, ){20,}[^)]*\)", "= DEFAULT_ORDERS"),
)


def _typed(text: str | None) -> str | None:
    for long, short in _TYPES if text else ():
        text = re.sub(long, short, text)
    return text


def _signature(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, *parts: str | None
) -> tuple[str | None, ...]:
    return tuple(map(_typed, parts))


def _process(
    _app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    if what in ("attribute", "property"):
        lines[:0] = ["..", ""]  # what comes before a colon is no type
    text = list(_with_literals(lines))
    lines[:] = [
        line
        for kind, rows in groupby(text, _kind)
        for line in (_as_table(list(rows)) if kind == "table" else rows)
    ]


def _without_overloads(analyze: Callable[[ModuleAnalyzer], None]) -> Callable[..., None]:
    """The signature of a function says what its overloads say one by one."""

    @wraps(analyze)
    def analyzed(self: ModuleAnalyzer) -> None:
        analyze(self)
        self.overloads = {}

    return analyzed


def setup(app: Sphinx) -> dict[str, Any]:
    """Register, ahead of napoleon, which reads the sections."""
    ModuleAnalyzer.analyze = _without_overloads(ModuleAnalyzer.analyze)  # type: ignore[method-assign]
    app.connect("autodoc-process-docstring", _process, priority=400)
    app.connect("autodoc-process-signature", _signature)
    return {"parallel_read_safe": True}
