# SPDX-License-Identifier: Apache-2.0
"""Pages with ``{cell}`` blocks: how these run, and the same page as a notebook."""

import ast
import io
import re
from contextlib import redirect_stdout
from typing import Any

CODE = re.compile(r"^```\{(?:cell|picture)\}\n(?::.*\n)*\n?((?:.*\n)*?)```$", re.MULTILINE)
_LINK = re.compile(r"^```\{raw\} html\n(?:.*\n)*?```$\n*", re.MULTILINE)
_ROLE = re.compile(r"\[([^\]]*)\]\([\w./-]*\.md\)")  # pages of the manual are not beside a notebook


def executed(code: str, names: dict[str, Any], file: str = "cell") -> tuple[str, Any]:
    """What the code prints, and the value of its last line; None if that is no expression."""
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)  # noqa: S102
        value = eval(compile(ast.Expression(last.value), file, "eval"), names) if last else None  # noqa: S307
    return printed.getvalue(), value


def written(page: str) -> dict[str, Any]:
    """The notebook of a page's text: its Markdown and its code, without outputs."""
    cells: list[dict[str, Any]] = []
    page = _LINK.sub("", page)
    for at, part in enumerate(CODE.split(page)):
        is_code, text = at % 2 == 1, part.strip("\n")
        if not text:
            continue
        source = text if is_code else _ROLE.sub(r"\1", text)
        cell = {"id": f"cell-{at}", "metadata": {}, "source": source.splitlines(keepends=True)}
        cell |= {"cell_type": "code", "execution_count": None, "outputs": []} if is_code else {}
        cells.append({"cell_type": "markdown"} | cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
