# SPDX-License-Identifier: Apache-2.0
"""``{cell}`` shows Python code and what its last line returns, as a notebook does.

Cells and pictures of a page share their names. The pages in ``notebooks/`` are also written as
notebooks, beside themselves.
"""

import json
from pathlib import Path
from typing import Any

import notebooks
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = "notebooks"


class Cell(SphinxDirective):
    """Runs its content; shows it, what it prints, and its last value as a table or as text."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The code, and the output below it."""
        code = "\n".join(self.content)
        names = self.env.temp_data.setdefault("names of pictures", {})
        printed, value = notebooks.executed(code, names, self.get_location())
        shown: list[nodes.Node] = [nodes.literal_block(code, code, language="python")]
        is_table = hasattr(value, "_repr_html_")
        if value is not None and not is_table:
            printed += repr(value)
        if printed:
            shown.append(nodes.literal_block(printed, printed, language="text", classes=["output"]))
        if is_table:
            table = f'<div class="output">{value._repr_html_()}</div>'
            shown.append(nodes.raw("", table, format="html"))
        return shown


def _write(app: Sphinx, failed: Exception | None) -> None:
    if failed or app.builder.format != "html":
        return
    for page in sorted((Path(app.srcdir) / FOLDER).glob("*.md")):
        made = json.dumps(notebooks.written(page.read_text(encoding="utf-8")), indent=1)
        (Path(app.outdir) / FOLDER / f"{page.stem}.ipynb").write_text(made, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and write the notebooks after the manual."""
    app.add_directive("cell", Cell)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
