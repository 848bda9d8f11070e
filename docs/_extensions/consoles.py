# SPDX-License-Identifier: Apache-2.0
"""Sessions of a shell whose numbers have no colour: Bash's lexer cuts 1.0 into 1 and .0."""

from collections.abc import Iterator
from typing import Any

from pygments.lexers.shell import BashSessionLexer
from pygments.token import Number, Text, _TokenType
from sphinx.application import Sphinx


class Session(BashSessionLexer):  # type: ignore[misc]
    """Numbers are text."""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """The tokens with their places."""
        for place, kind, part in super().get_tokens_unprocessed(text):
            yield place, Text if kind in Number else kind, part


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the place of the usual lexer."""
    app.add_lexer("console", Session)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
