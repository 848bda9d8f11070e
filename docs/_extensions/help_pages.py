# SPDX-License-Identifier: Apache-2.0
"""``{help} epsilon`` shows what ``hockeystick epsilon --help`` prints."""

from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hockeystick.cli import _commands

_WIDTH = 90


class Help(SphinxDirective):
    """The help of a command, or without argument that of all of them."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """What the command line prints."""
        width = _commands.context_settings | {"terminal_width": _WIDTH, "max_content_width": _WIDTH}
        context = click.Context(_commands, info_name="hockeystick", **width)
        if self.arguments:
            command = _commands.commands[self.arguments[0]]
            context = click.Context(command, parent=context, info_name=command.name)
        text = context.get_help()
        return [nodes.literal_block(text, text, language="none")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("help", Help)
    return {"parallel_read_safe": True}
