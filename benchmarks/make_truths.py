# SPDX-License-Identifier: Apache-2.0
"""Write `truths.json`: the truth of every case, from the oracles of the tests.

From the root of the repository, in about a minute:

    PYTHONPATH=tests python benchmarks/make_truths.py

The oracles are independent of the library (tests/README.md). The truth lies within `error` of
`truth`, both exact decimals.
"""

from __future__ import annotations

import json

from cases import CASES, TRUTHS, Case

import exact

DIGITS = 20


def row(case: Case) -> dict[str, object]:
    """One line of the table."""
    run = tuple((exact.Step(sigma, q), count) for sigma, q, count in case.terms)
    ask = exact.epsilon if case.query == "epsilon" else exact.delta
    middle, radius, exponent = ask(run, case.at, "add_remove", DIGITS).mid_rad_10exp(45)
    return {"name": case.name, "truth": f"{middle}e{exponent}", "error": f"{radius}e{exponent}"}


def main() -> None:
    """One JSON object a line, so that a diff shows what changed."""
    lines = ",\n".join(json.dumps(row(case)) for case in CASES)
    TRUTHS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
