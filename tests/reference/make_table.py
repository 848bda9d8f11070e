# SPDX-License-Identifier: Apache-2.0
"""Write `table.json`: the questions of `cases.py` with their truths from the oracles.

From the root of the repository, in about a minute:

    PYTHONPATH=tests python tests/reference/make_table.py

`truth` and `error` are exact decimals; the truth lies within `error` of `truth`. `proved` says
whether that is a theorem (closed forms in ball arithmetic) or an estimate (contour integrals).
"""

from __future__ import annotations

import json
from pathlib import Path

import exact
from exact.truth import rigorous
from reference.cases import Question, questions

TABLE = Path(__file__).with_name("table.json")
DIGITS = 20


def row(question: Question) -> dict[str, object]:
    """One line of the table."""
    name, terms, direction, query, at = question
    run = tuple((exact.Step(sigma, q), count) for sigma, q, count in terms)
    digits = 12 if name == "short and rare" else DIGITS
    ask = exact.epsilon if query == "epsilon" else exact.delta
    truth = ask(run, at, direction, digits)
    middle, radius, exponent = truth.mid_rad_10exp(45)
    return {
        "name": name,
        "terms": terms,
        "direction": direction,
        "query": query,
        "at": at,
        "truth": f"{middle}e{exponent}",
        "error": f"{radius}e{exponent}",
        "proved": rigorous(run),
    }


def main() -> None:
    """One JSON object a line, so that a diff shows what changed."""
    lines = ",\n".join(json.dumps(row(question)) for question in questions())
    TABLE.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
