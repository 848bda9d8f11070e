# SPDX-License-Identifier: Apache-2.0
"""Write `table.json`: the questions of `cases.py` with their truths from the oracles.

From the root of the repository, in about a minute:

    PYTHONPATH=tests python tests/reference/make_table.py

`truth` and `error` are exact decimals; the truth lies within `error` of `truth`. `proved` says
whether that is a theorem, by `hockeystick.verify`. What that does not know to as many digits keeps
its row: a contour integral whose error was estimated, by an oracle that is gone.
"""

import json
from pathlib import Path

import exact
from hockeystick.verify.balls import digits_of
from hockeystick.verify.errors import NotKnownError
from reference.cases import Question, questions

TABLE = Path(__file__).with_name("table.json")
DIGITS, FEWEST = 20, 18  # asked for, and enough to replace a row


def row(question: Question, before: dict[str, object]) -> dict[str, object]:
    """One line of the table."""
    name, terms, direction, query, at = question
    run = tuple((exact.Step(sigma, q), count) for sigma, q, count in terms)
    ask = exact.epsilon if query == "epsilon" else exact.delta
    try:
        truth = ask(run, at, direction, DIGITS)
    except NotKnownError:
        return before
    if digits_of(truth) < FEWEST:
        return before
    middle, radius, exponent = truth.mid_rad_10exp(45)
    return {
        "name": name,
        "terms": terms,
        "direction": direction,
        "query": query,
        "at": at,
        "truth": f"{middle}e{exponent}",
        "error": f"{radius}e{exponent}",
        "proved": True,
    }


def main() -> None:
    """One JSON object a line, so that a diff shows what changed."""
    before = json.loads(TABLE.read_text())
    rows = [row(*both) for both in zip(questions(), before, strict=True)]
    lines = ",\n".join(map(json.dumps, rows))
    TABLE.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
