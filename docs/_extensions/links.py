# SPDX-License-Identifier: Apache-2.0
"""Makes each name in code type a link to its place in the reference, where it has one.

A name is linked if it is a dotted path to it (``Composition.epsilon_bounds``, also behind ``hs.``
or ``plot.``), the name of a class or a function of a module, or that of a question
(``delta_bounds``) or another method whose name has an underscore and belongs to one class, or to
the one at hand. Plain words, which arguments have too, stay plain.
"""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"(?:[A-Za-z]\w*\.)*[A-Za-z]\w*(?=$|\([^()]*\)$)")
_SHORT = {
    "hs.": "hockeystick.",
    "plot.": "hockeystick.plot.",
    "baselines.": "hockeystick.baselines.",
}
_MODULES = (
    "hockeystick",
    "hockeystick.plot",
    "hockeystick.baselines",
    "hockeystick.given_cdf",
    "hockeystick.compat.dp_accounting",
)
_LINKED = {
    "class",
    "exception",
    "function",
    "method",
    "property",
    "classmethod",
    "staticmethod",
    "data",
}


_SAME = {"Composable": "Composition", "SamplableMechanism": "Mechanism"}
"""Classes of the package that signatures name, and which page says what they are."""


class Names:
    """The names of the reference, and what each may be shortened to."""

    def __init__(self, domain: PythonDomain) -> None:
        self.full = {name: each for name, each in domain.objects.items() if each.objtype in _LINKED}
        self.last: dict[str, list[str]] = {}
        for name in self.full:
            self.last.setdefault(name.rpartition(".")[2], []).append(name)

    def found(self, text: str, here: str) -> str | None:
        """The full name that a text in the description of `here` stands for."""
        name = text.partition("(")[0]
        for short, long in _SHORT.items():
            if name.startswith(short):
                name = long + name.removeprefix(short)
        if name in self.full and "." in name:
            return name
        for prefix in (here, here.rpartition(".")[0], *_MODULES):
            if (
                prefix
                and f"{prefix}.{name}" in self.full
                and self._is_said(name, f"{prefix}.{name}")
            ):
                return f"{prefix}.{name}"
        first, _, last = name.rpartition(".")
        if first == "run" and f"hockeystick.Composition.{last}" in self.full:
            return f"hockeystick.Composition.{last}"
        if "_" in name and f"hockeystick.Composition.{name}" in self.full:
            return f"hockeystick.Composition.{name}"
        known = self.last.get(name, [])
        if len(known) == 1 and self._is_said(name, known[0]):
            return known[0]
        return None

    def _is_said(self, name: str, full: str) -> bool:
        """Whether the name is of a thing, and not a word that an argument may have too."""
        if "." in name or "_" in name or not name.islower():
            return True
        return full.rpartition(".")[0] in _MODULES


class Links(SphinxPostTransform):
    """Literals that are names become references."""

    default_priority = 5

    def run(self, **_kwargs: Any) -> None:
        """In all of a page but its headings and links."""
        domain = self.env.domains.python_domain
        names = Names(domain)
        for node in list(self.document.findall(nodes.literal)):
            text = node.astext()
            if not _NAME.match(text) or self._is_taken(node):
                continue
            target = names.found(text, self._described(node))
            if target is None:
                continue
            place = names.full[target]
            if place.docname == self.env.current_document.docname and self._is_within(node, target):
                continue
            link = make_refnode(
                self.app.builder,
                self.env.current_document.docname,
                place.docname,
                place.node_id,
                node.deepcopy(),
                target,
            )
            node.replace_self(link)

    def _is_taken(self, node: nodes.Node) -> bool:
        parents = (nodes.reference, nodes.title, addnodes.desc_signature, addnodes.pending_xref)
        while node.parent is not None:
            node = node.parent
            if isinstance(node, parents):
                return True
        return False

    def _described(self, node: nodes.Node) -> str:
        """The class or module whose description holds the node."""
        while node.parent is not None:
            node = node.parent
            if isinstance(node, addnodes.desc):
                signature = node.next_node(addnodes.desc_signature)
                if signature is not None and signature.get("ids"):
                    return str(signature["ids"][0])
        return ""

    def _is_within(self, node: nodes.Node, target: str) -> bool:
        return self._described(node) == target


def _elsewhere(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.reference | None:
    """A name of the package by the module that it is made in, not the one that exports it."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith("hockeystick."):
        return None
    names = Names(env.domains.python_domain)
    last = target.rpartition(".")[2]
    known = names.last.get(_SAME.get(last, last), [])
    if not known:
        return None
    place = names.full[known[0]]
    here = node.get("refdoc", env.current_document.docname)
    return make_refnode(app.builder, here, place.docname, place.node_id, content, known[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_post_transform(Links)
    app.connect("missing-reference", _elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
