# SPDX-License-Identifier: Apache-2.0
"""``{picture}`` shows Python code and the picture that it draws when the manual is built.

The name ``ax`` is what to show. Code of a page goes on where its block before it ended.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Picture(SphinxDirective):
    """Runs its content and saves the figure of ``ax``."""

    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """The code, and the picture below it."""
        import matplotlib as mpl  # noqa: PLC0415, only for pages with pictures

        mpl.use("Agg")
        code = "\n".join(self.content)
        names = self.env.temp_data.setdefault("names of pictures", {})
        with mpl.rc_context({"svg.hashsalt": self.env.docname}):
            exec(compile(code, self.get_location(), "exec"), names)  # noqa: S102
            path = self._save(names.pop("ax").figure)
        shown = nodes.literal_block(code, code, language="python")
        return [shown, nodes.image(uri=path, alt=self.options["alt"])]

    def _save(self, figure: "Figure") -> str:
        folder = Path(self.env.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.env.docname.replace('/', '-')}-{self.lineno}.svg"
        figure.savefig(path, metadata={"Date": None})
        return f"/{os.path.relpath(path, self.env.srcdir)}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
