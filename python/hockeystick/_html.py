# SPDX-License-Identifier: Apache-2.0
"""Tables as a notebook shows them: HTML without scripts or colours, so that any theme's apply."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from hockeystick._importing import importing

MOST_ROWS = 30
_LEFT = ' style="text-align: left"'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    note: str = "",
    left: Collection[int] = (0,),
    most: int | None = MOST_ROWS,
) -> str:
    """A table of texts and numbers, all of them escaped; `left` are the columns of texts.

    Of more than `most` rows the first are shown, and how many others there are.
    """
    with importing:
        from html import escape  # noqa: PLC0415, takes time to import

    def cells(kind: str, values: Sequence[object]) -> str:
        return "".join(
            f"<{kind}{_LEFT if index in left else ''}>{escape(str(value))}</{kind}>"
            for index, value in enumerate(values)
        )

    every = iter(rows)
    shown = list(islice(every, most))
    others = sum(1 for _ in every)
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption{_LEFT}>{escape(caption)}</caption>")
    lines.append(f"<thead><tr>{cells('th', head)}</tr></thead>")
    lines.append("<tbody>")
    lines += [f"<tr>{cells('td', row)}</tr>" for row in shown]
    if others:
        lines.append(f'<tr><td colspan="{len(head)}"{_LEFT}>and {others:,} more</td></tr>')
    lines += ["</tbody>", "</table>"]
    if note:
        lines.append(f"<p>{escape(note)}</p>")
    return "\n".join(lines)
