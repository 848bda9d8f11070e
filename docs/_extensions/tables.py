# SPDX-License-Identifier: Apache-2.0
"""Tables of three columns or more are lists of cards on a phone: each cell names its column.

``manual.css`` shows the names there only.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_MOST = 2
"""As many columns fit a phone."""


def _name_columns(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    for table in list(doctree.findall(nodes.table)):
        head = next(table.findall(nodes.thead), None)
        titles = [entry.astext() for entry in head.findall(nodes.entry)] if head else []
        if len(titles) <= _MOST:
            continue
        table["classes"].append("cards")
        for body in table.findall(nodes.tbody):
            for row in body.findall(nodes.row):
                for title, entry in zip(titles[1:], row.children[1:], strict=False):
                    entry.insert(0, nodes.inline("", title, classes=["column"]))  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, Any]:
    """Name the columns of what is written."""
    app.connect("doctree-resolved", _name_columns)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
