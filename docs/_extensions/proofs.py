# SPDX-License-Identifier: Apache-2.0
"""``{proofs}`` shows the pages of cpp/proofs one after another, their index first."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_PAGES = Path(__file__).parents[2] / "cpp" / "proofs"
_LINK = re.compile(r"\]\(([a-z0-9-]+)\.md\)")


class Proofs(SphinxDirective):
    """A section for each page, which links find by its slug."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        pages = [_PAGES / "INDEX.md", *sorted(_PAGES.glob("[a-z]*.md"))]
        texts = []
        for page in pages:
            self.env.note_dependency(str(page))
            text = _LINK.sub(r"](#proof-\1)", page.read_text(encoding="utf-8"))
            texts.append(f"(proof-{page.stem})=\n#{text}")
        return self.parse_text_to_nodes("\n\n".join(texts), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("proofs", Proofs)
    return {"parallel_read_safe": True}
