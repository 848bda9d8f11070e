# SPDX-License-Identifier: Apache-2.0
"""The benchmark harness on solvers that are made up; no peer is needed and no time asserted."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import cases
import measure
import peers
import report
import summary
import transforms
from measure import Answer, Status

TRUTH = cases.Truth(Fraction(2), Fraction(1, 10**20))
RIGHT = Answer(lower=1.9995, upper=2.0005, estimate=2.0)
check = partial(measure.judge, truth=TRUTH, gap=1e-3)


class Bench:
    """A clock that stands still but for the solvers, and the order in which these were called."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def solver(self, name, *seconds, answers=(RIGHT,)):
        """Takes `seconds` in turn, the last ones over and over; so with the answers."""
        turn = iter(range(10**9))

        def ask():
            index = next(turn)
            self.calls.append(name)
            self.now += seconds[min(index, len(seconds) - 1)]
            answer = answers[min(index, len(answers) - 1)]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask

    def race(self, solvers, rounds=4, cap=900.0):
        """Against this clock."""
        return measure.race(solvers, check, rounds=rounds, cap=cap, clock=lambda: self.now)


def test_cases_are_well_formed():
    assert len({case.name for case in cases.CASES}) == len(cases.CASES)
    for case in cases.CASES:
        assert case.terms
        assert 0 < case.gap < 1
        assert case.at > 0
        assert case.query == "delta" or case.at < 1
        for sigma, q, count in case.terms:
            assert sigma > 0
            assert 0 < q <= 1
            assert count >= 1
        assert case.title in case.question


def test_every_case_has_a_truth_far_sharper_than_its_gap():
    truths = cases.truths()
    assert set(truths) == {case.name for case in cases.CASES}
    for case in cases.CASES:
        value, error = truths[case.name]
        assert 0 <= error < value * Fraction(case.gap) / 10**9


def test_truths_agree_with_the_reference_table():
    table = Path(__file__).parent / "reference" / "table.json"
    rows = {
        (tuple(map(tuple, row["terms"])), row["query"], row["at"]): row
        for row in json.loads(table.read_text())
        if row["direction"] == "add_remove"
    }
    truths = cases.truths()
    shared = [case for case in cases.CASES if (case.terms, case.query, case.at) in rows]
    assert shared
    for case in shared:
        row, (value, error) = rows[case.terms, case.query, case.at], truths[case.name]
        assert abs(value - Fraction(row["truth"])) <= error + Fraction(row["error"])


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("prepare", [peers.hockeystick, peers.transform_engine])
def test_hockeystick_answers(case, prepare):
    easy = replace(case, gap=max(case.gap, 1e-2))
    verdict = measure.judge(prepare(easy)(), cases.truths()[case.name], easy.gap)
    assert verdict.status is Status.CERTIFIED


def test_the_narrowest_case_is_answered_within_its_gap():
    case = min(cases.CASES, key=lambda case: case.gap)
    assert case.gap == 1e-9
    verdict = measure.judge(peers.hockeystick(case)(), cases.truths()[case.name], case.gap)
    assert verdict.status is Status.CERTIFIED


def test_a_slow_library_gets_fewer_rounds_in_both_orders():
    bench = Bench()
    solvers = {"fast": bench.solver("fast", 1.0), "slow": bench.solver("slow", 10.0)}
    outcomes = bench.race(solvers, rounds=8, cap=110.0)  # 55 s each: 1 + 2 * 2 slow calls
    assert len(outcomes["fast"].samples) == 8
    assert len(outcomes["slow"].samples) == 4
    order = "".join(name[0] for name in bench.calls[2:])
    assert order == "fssf" + "ff" + "fssf" + "ff"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (RIGHT, Status.CERTIFIED),
        (Answer(lower=1.9, upper=2.1), Status.WIDE),
        (Answer(lower=-1.0, upper=2.0), Status.WIDE),
        (Answer(upper=2.5), Status.UPPER),
        (Answer(upper=math.nextafter(2, 0)), Status.WRONG),
        (Answer(lower=1.0, upper=1.5), Status.WRONG),
        (Answer(lower=math.nextafter(2, 3), upper=3.0), Status.WRONG),
        (Answer(upper=math.inf), Status.FAILED),
        (Answer(lower=math.nan, upper=3.0), Status.FAILED),
    ],
)
def test_the_judge(answer, status):
    verdict = check(answer)
    assert verdict.status is status
    assert verdict.counts == (status not in {Status.WRONG, Status.FAILED})


@pytest.mark.parametrize("answers", [(Answer(upper=1.0),), (RIGHT, RIGHT, Answer(upper=1.0))])
def test_a_wrong_answer_is_shown_as_wrong_and_has_no_ratio(answers):
    bench = Bench()
    wrong = bench.solver("wrong", 1.0, answers=answers)
    outcomes = bench.race({"right": bench.solver("right", 5.0), "wrong": wrong})
    assert not outcomes["wrong"].verdict.counts
    assert len(outcomes["wrong"].samples) < 4
    row = report.table(outcomes).splitlines()[-1]
    assert "WRONG" in row
    assert "(1 s)" in row
    assert "0.2" not in row


def test_an_exception_is_a_result():
    bench = Bench()
    failing = bench.solver("b", 1.0, answers=(ValueError("too | small"),))
    outcomes = bench.race({"a": bench.solver("a", 1.0), "b": failing})
    assert "failed: raises: ValueError: too / small" in report.table(outcomes)
    assert bench.calls.count("b") == 1


def test_the_readme_has_the_newest_results(tmp_path):
    page = summary.PAGE.read_text(encoding="utf-8")
    copy = tmp_path / "README.md"
    copy.write_text(page, encoding="utf-8")
    summary.write(copy)
    assert copy.read_text(encoding="utf-8") == page
    assert page.count("| delta = ") == len(summary.ROWS)


def test_transforms_are_judged_and_tabled():
    """Ours encloses an exact point of a cyclic square; a value a little off is wrong."""
    x, truth = transforms.sequence(64)
    answer = transforms.certified(x)()
    assert transforms.judge(answer, truth, x.size).status is Status.CERTIFIED
    assert answer.upper - answer.lower < 1e-11 * truth
    for factor, status in [(1, Status.UPPER), (1 + 1e-12, Status.WRONG)]:
        plain = Answer(upper=answer.estimate * factor)
        assert transforms.judge(plain, truth, x.size).status is status
    check = partial(transforms.judge, truth=truth, size=x.size)
    bench = Bench()
    asks = {
        "ours": bench.solver("ours", 1e-3, answers=(answer,)),
        "other": bench.solver("other", 2e-3, answers=(Answer(upper=answer.estimate),)),
        "bad": bench.solver("bad", 1e-3, answers=(Answer(upper=1.0),)),
    }
    outcomes = measure.race(asks, check, rounds=4, clock=lambda: bench.now)
    row = transforms.table({x.size: outcomes}).splitlines()[-1]
    assert "| 2^6" in row
    assert "2 ms (2 ms to 2 ms), 2.00, 2.00" in row
    assert "WRONG" in row
