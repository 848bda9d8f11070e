# SPDX-License-Identifier: Apache-2.0
"""Write `truths.json` and `published_truths.json`: the truth of every question.

From the root of the repository, in about two minutes:

    PYTHONPATH=tests python benchmarks/make_truths.py

The oracles are independent of the library (tests/README.md). The truth lies within `error` of
`truth`, both exact decimals. Compositions of sampled Laplace mechanisms have no oracle: their rows
are the library's own certified bounds, at a tolerance far below all errors in the comparison, and
say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal, localcontext
from pathlib import Path

from flint import arb

import exact
import published
from cases import CASES, TRUTHS, Case
from published import DELTA, Comparison

DIGITS = 20
TOLERANCE = 1e-6


def row(case: Case) -> dict[str, object]:
    """One line of the table."""
    run = tuple((exact.Step(sigma, q), count) for sigma, q, count in case.terms)
    ask = exact.epsilon if case.query == "epsilon" else exact.delta
    return {"name": case.name, **_ball(ask(run, case.at, "add_remove", DIGITS))}


def published_row(comparison: Comparison, count: int) -> dict[str, object]:
    """One line of the table of published comparisons."""
    head = {"name": comparison.name, "count": count}
    if comparison.laplace:
        return {**head, **_certified(comparison, count)}
    step = exact.Step(comparison.noise_multiplier, comparison.sampling_probability)
    return {**head, **_ball(exact.epsilon(((step, count),), DELTA, "add_remove", DIGITS))}


def _ball(ball: arb) -> dict[str, str]:
    middle, radius, exponent = ball.mid_rad_10exp(45)
    return {"truth": f"{middle}e{exponent}", "error": f"{radius}e{exponent}"}


def _certified(comparison: Comparison, count: int) -> dict[str, str]:
    """The ends are doubles, so their decimals are finite."""
    bounds = (count * comparison.step).epsilon_bounds(DELTA, tolerance=TOLERANCE)
    lower, upper = Decimal(bounds.lower), Decimal(bounds.upper)
    with localcontext(prec=200):
        middle, error = (lower + upper) / 2, (upper - lower) / 2
    return {"truth": str(middle), "error": str(error), "source": f"own bounds at {TOLERANCE:g}"}


def write(path: Path, rows: Iterable[dict[str, object]]) -> None:
    """One JSON object a line, so that a diff shows what changed."""
    lines = ",\n".join(map(json.dumps, rows))
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Both tables."""
    write(TRUTHS, map(row, CASES))
    write(
        published.TRUTHS,
        (
            published_row(comparison, count)
            for comparison in published.COMPARISONS
            for count in comparison.counts
        ),
    )


if __name__ == "__main__":
    main()
