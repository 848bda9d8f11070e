# SPDX-License-Identifier: Apache-2.0
"""Every reference truth is enclosed, tightly; see README.md for where the truths come from."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from flint import arb, ctx

import exact
import judge
import questions
from reference.cases import questions as reference_questions

TABLE = Path(__file__).parent / "reference" / "table.json"
TRUTH_FILE = os.environ.get("HOCKEYSTICK_TRUTH")
TOLERANCE = 1e-3
ALL_TOLERANCES = (1e-1, 1e-2, 1e-4, 1e-6)


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table."""

    name: str
    run: exact.Run
    direction: exact.Direction
    query: questions.Query
    at: float
    truth: arb

    def __str__(self) -> str:
        return f"{self.name}, {self.query} at {self.at}, {self.direction}"

    def ask(self, tolerance: float) -> questions.Answer:
        """The library's answer."""
        return questions.ask(self.run, self.query, self.at, self.direction, tolerance)


def _case(row: dict) -> Case:
    run = tuple((exact.Step(sigma, q), count) for sigma, q, count in row["terms"])
    with ctx.workprec(320):
        truth = arb(row["truth"]) + arb(0, arb(row["error"]).upper())
        truth = exact.clipped(truth) if row["query"] == "delta" else truth
    return Case(row["name"], run, row["direction"], row["query"], row["at"], truth)


ROWS = json.loads(TABLE.read_text())
CASES = [_case(row) for row in ROWS]
SUBSET = [
    case
    for case in CASES
    if (case.name, case.query, case.at)
    in {
        ("few-shot", "epsilon", 1e-6),
        ("large rate, short", "epsilon", 1e-5),
        ("rare", "epsilon", 1.1e-18),
        ("many Gaussians", "epsilon", 1e-14),
        ("DP-SGD", "epsilon", 1e-5),
        ("DP-SGD", "epsilon", 1e-100),
        ("DP-SGD", "delta", 6.0),
        ("one sampled step", "epsilon", 1e-9),
        ("mixture", "epsilon", 1e-6),
        ("addition", "epsilon", 1e-5),
        ("replacement", "epsilon", 1e-10),
    }
]


def test_the_table_has_all_questions():
    asked = [[row[key] for key in ("name", "terms", "direction", "query", "at")] for row in ROWS]
    assert asked == json.loads(json.dumps(reference_questions()))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_truth_is_enclosed_within_the_default_tolerance(case):
    answer = case.ask(TOLERANCE)
    questions.check(answer, case.truth, TOLERANCE)
    assert answer.certified


@pytest.mark.parametrize("tolerance", ALL_TOLERANCES)
@pytest.mark.parametrize("case", SUBSET, ids=str)
def test_truth_is_enclosed_at_every_tolerance(case, tolerance):
    answer = case.ask(tolerance)
    questions.check(answer, case.truth, tolerance)
    assert answer.certified


@pytest.mark.every(5)
@pytest.mark.parametrize("case", SUBSET[:3], ids=str)
def test_bounds_that_miss_the_tolerance_still_enclose(case):
    answer = case.ask(2e-12)
    assert questions.encloses(answer.bounds, case.truth)


@pytest.mark.parametrize("case", SUBSET, ids=str)
def test_a_check_that_must_fail(case):
    """Bounds beside the truth, or too wide, are told apart: the tests above can fail."""
    middle = float(case.truth.mid())
    beside = questions.hs.Bounds(middle * (1 + 1e-9), middle * (1 + 2e-9))
    wide = questions.hs.Bounds(middle * (1 - 1e-3), middle * (1 + 1e-3))
    assert not questions.encloses(beside, case.truth)
    assert questions.encloses(wide, case.truth)
    assert not questions.is_tight(wide, case.truth, TOLERANCE)


@pytest.mark.skipif(TRUTH_FILE is None, reason="HOCKEYSTICK_TRUTH names no file of truths")
def test_a_file_of_truths():
    cases = judge.cases(Path(str(TRUTH_FILE)))
    wrong = []
    for case in cases:
        answer = judge.answer(case, TOLERANCE)
        if "skipped" in answer:
            continue
        bounds = questions.hs.Bounds(answer["lower"], answer["upper"])
        with ctx.workprec(320):
            truth = arb(case["truth"]) + arb(0, arb(case["err_abs"]).upper())
        good = questions.encloses(bounds, truth) and questions.is_tight(bounds, truth, TOLERANCE)
        if not good:
            wrong.append((answer, case["truth"]))
    assert cases
    assert wrong == []
