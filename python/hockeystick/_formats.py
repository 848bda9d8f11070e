# SPDX-License-Identifier: Apache-2.0
"""A report as a page of HTML and as a table in LaTeX."""

from collections.abc import Sequence

from hockeystick._importing import importing

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { font-weight: bold; padding: .5rem; text-align: left; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: right; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
tbody tr:last-child { font-weight: bold; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }
"""
_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def origin(neighbours: str) -> str:
    """A line with the neighbours, the date and the version that made a report."""
    with importing:
        from datetime import date  # noqa: PLC0415, takes time to import
        from importlib.metadata import version  # noqa: PLC0415, too

    today = date.today().isoformat()  # noqa: DTZ011, of the place where it is made
    return (
        f"Neighbouring datasets differ in that {neighbours}. Certified by hockeystick "
        f"{version('hockeystick')} on {today}."
    )


def page(title: str, table: str, note: str) -> str:
    """A whole page of HTML, without scripts."""
    with importing:
        from html import escape  # noqa: PLC0415, takes time to import

    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = f"{table}\n<p>{escape(note)}</p>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def latex(rows: Sequence[Sequence[str]], caption: str, texts: Sequence[int]) -> str:
    """A floating table in LaTeX, the head in the first row and totals in the last; no packages."""
    columns = "".join("l" if index in texts else "r" for index in range(len(rows[0])))
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    lines[1:1] = [r"\hline"]
    lines[-1:-1] = [r"\hline"]
    body = "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])
    return f"\\begin{{table}}\n{body}\n\\caption{{{_escaped(caption)}}}\n\\end{{table}}\n"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text).replace(
        r"\textless{}=", r"$\leq$"
    )
