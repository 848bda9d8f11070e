# SPDX-License-Identifier: Apache-2.0
"""``{picture}`` shows Python code and the picture that it draws when the manual is built.

Each picture is drawn twice, for readers of light and of dark pages.

The name ``ax`` is what to show. Code of a page goes on where its block before it ended; with
``:after-python:`` the page's blocks of Python that stand above run first.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_LIGHT = "#d8d8d8"
_BRIGHT = (
    "#4aa3df",
    "#ff9f40",
    "#5fc95f",
    "#ff6b6b",
    "#b98ce0",
    "#c08a7a",
    "#f08fd0",
    "#a0a0a0",
    "#d4d440",
    "#3fd0e0",
)
_STYLES: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {
        "axes.edgecolor": _LIGHT,
        "axes.labelcolor": _LIGHT,
        "axes.prop_cycle": f"cycler(color={_BRIGHT})",
        "grid.color": "#808080",
        "legend.edgecolor": "#606060",
        "legend.facecolor": "#202020",
        "text.color": _LIGHT,
        "xtick.color": _LIGHT,
        "ytick.color": _LIGHT,
    },
}


class Picture(SphinxDirective):
    """Runs its content and saves the figure of ``ax``."""

    has_content = True
    option_spec: ClassVar = {
        "alt": directives.unchanged_required,
        "hidden": directives.flag,  # the picture alone
        "after-python": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The code, and the picture below it."""
        import matplotlib as mpl  # noqa: PLC0415, only for pages with pictures
        from matplotlib import pyplot as plt  # noqa: PLC0415

        mpl.use("Agg")
        code = "\n".join(self.content)
        shown: list[nodes.Node] = [nodes.literal_block(code, code, language="python")]
        if "hidden" in self.options:
            shown = []
        names = self.env.temp_data.setdefault("names of pictures", {})
        if "after-python" in self.options:
            self._run_above(names)
        for page, style in _STYLES.items():
            settings = {"svg.hashsalt": self.env.docname, "savefig.transparent": True, **style}
            with mpl.rc_context(settings):
                exec(compile(code, self.get_location(), "exec"), names)  # noqa: S102
                figure = names.pop("ax").figure
                path = self._save(figure, page)
                plt.close(figure)
            image = nodes.image(uri=path, alt=self.options["alt"], classes=[f"only-{page}"])
            shown.append(image)
        return shown

    def _run_above(self, names: dict[str, Any]) -> None:
        """Run the blocks of Python above this one, which have no picture."""
        lines = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8").split("\n")
        above = "\n".join(lines[: self.lineno - 1])
        for code in re.findall(r"^```python\n(.*?)^```$", above, re.MULTILINE | re.DOTALL):
            exec(compile(code, self.get_location(), "exec"), names)  # noqa: S102

    def _save(self, figure: "Figure", page: str) -> str:
        folder = Path(self.env.app.doctreedir) / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.env.docname.replace('/', '-')}-{self.lineno}-{page}.svg"
        figure.savefig(path, metadata={"Date": None})
        return f"/{os.path.relpath(path, self.env.srcdir)}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
