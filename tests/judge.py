# SPDX-License-Identifier: Apache-2.0
"""Answer a file of reference truths, for a judge that is not part of this repository.

    python tests/judge.py truths.json answers.jsonl [tolerance]

One line a case: {"id", "lower", "upper"}, or {"id", "skipped": reason} where a mechanism is not
one of ours. The best bounds are written also where the tolerance is out of reach.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import exact
import questions

NAMES = {"gaussian", "poisson_subsampled_gaussian", "replace_one_subsampled_gaussian"}


def cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file of truths."""
    listed: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return listed


def _term(part: dict[str, Any]) -> tuple[exact.Step, int]:
    mechanism = part["mechanism"]
    sigma = mechanism["sigma"] / mechanism.get("sensitivity", 1.0)
    return exact.Step(sigma, mechanism.get("q", 1.0)), part["count"]


def answer(case: dict[str, Any], tolerance: float) -> dict[str, Any]:
    """The line for one case."""
    foreign = {part["mechanism"]["name"] for part in case["composition"]} - NAMES
    if foreign:
        return {"id": case["id"], "skipped": f"no {', '.join(sorted(foreign))}"}
    run = tuple(_term(part) for part in case["composition"])
    direction = "replace" if case["direction"] == "replace_one" else case["direction"]
    query, at = (
        ("epsilon", case["query"].get("delta"))
        if "delta" in case["query"]
        else (
            "delta",
            case["query"]["eps"],
        )
    )
    bounds = questions.ask(run, query, at, direction, tolerance).bounds
    return {"id": case["id"], "lower": bounds.lower, "upper": bounds.upper}


def main(truths: str, answers: str, tolerance: str = "1e-3") -> None:
    """Write the answers."""
    lines = [json.dumps(answer(case, float(tolerance))) for case in cases(Path(truths))]
    Path(answers).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
