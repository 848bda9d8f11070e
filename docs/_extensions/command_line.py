# SPDX-License-Identifier: Apache-2.0
"""``{commands}`` documents the commands of hockeystick; their options can be linked to."""

import inspect
from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hockeystick.cli import _commands


class Commands(SphinxDirective):
    """A section for each command: what it does, and its arguments and options."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        lines = []
        for name, command in _commands.commands.items():
            lines += [f"## {name}", "", "```{eval-rst}", *_described(name, command), "```", ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def _described(name: str, command: click.Command) -> list[str]:
    """The parts of the help, as reStructuredText."""
    program = f"hockeystick {name}"
    context = click.Context(command, info_name=program)
    usage = command.get_usage(context).removeprefix("Usage: ")
    lines = [f".. program:: {program}", "", ".. code-block:: none", "", f"   {usage}", ""]
    lines += _paragraphs(command.help or "")
    lines += _paragraphs(command.epilog or "")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in parameter.opts:
            lines += [f".. option:: {record[0]}", "", f"   {_plain(record[1])}", ""]
    return lines


def _plain(text: str) -> str:
    return text.replace("*", r"\*").replace("`", "``").replace("|", r"\|")


def _paragraphs(text: str) -> list[str]:
    """Paragraphs; those after a backspace keep their lines."""
    lines = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            lines += ["::", "", *(f"   {line}" for line in paragraph.split("\n")[1:]), ""]
        else:
            lines += [*_plain(paragraph).split("\n"), ""]
    return lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
