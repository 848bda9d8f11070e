# SPDX-License-Identifier: Apache-2.0
"""A small run of `differential.py`, and that it tells a wrong answer from a right one."""

import math
from functools import partial

import pytest

import differential
import hockeystick as hs
import questions
import random_runs

SEED = 1
# Those of the first 130 that take the least.
QUICK = (
    0,
    1,
    3,
    6,
    7,
    8,
    13,
    15,
    18,
    19,
    20,
    21,
    23,
    24,
    29,
    31,
    32,
    36,
    43,
    45,
    47,
    48,
    49,
    52,
    55,
    56,
    57,
    58,
    59,
    62,
    63,
    64,
    65,
    66,
    67,
    70,
    75,
    76,
    77,
    81,
    82,
    87,
    88,
    90,
    91,
    93,
    94,
    96,
    98,
    100,
    101,
    105,
    106,
    108,
    110,
    116,
    118,
    119,
    123,
    125,
    127,
    129,
)


def test_answers_enclose_the_truth(request):
    many = request.config.getoption("--samples") > 1
    outcomes = list(differential.run_cases(range(200) if many else QUICK, SEED, processes=1))
    assert [str(outcome) for outcome in outcomes if outcome.failed] == []
    enclosed = [outcome for outcome in outcomes if outcome.verdict == "enclosed"]
    assert len(enclosed) >= 0.9 * len(outcomes)
    names = {term.name for outcome in outcomes for term in outcome.question.terms}
    assert names == set(random_runs.NAMES)


def moved(question, tolerance, widths):
    """An answer moved by some of its own width."""
    answer = question.answer(tolerance)
    shift = widths * (answer.bounds.upper - answer.bounds.lower)
    bounds = hs.Bounds(answer.bounds.lower + shift, answer.bounds.upper + shift)
    return questions.Answer(bounds, answer.certified)


@pytest.mark.every(2)
@pytest.mark.parametrize("widths", [1.0, -1.0])
def test_moved_answers_are_violations(widths):
    right = differential.run_cases(QUICK[:24], SEED, 1)
    numbers = [o.number for o in right if o.verdict == "enclosed" and 1e-9 < o.gap < math.inf]
    wrong = differential.run_cases(numbers, SEED, 1, partial(moved, widths=widths))
    verdicts = [outcome.verdict for outcome in wrong if outcome.failed]
    assert verdicts.count("violation") >= max(8, 0.9 * len(numbers))
    report = differential.Report()
    report.add(differential.run_case(numbers[0], SEED, partial(moved, widths=widths)))
    assert len(report.failures) == 1


def test_wide_answers_fail():
    def widened(question, tolerance):
        bounds = question.answer(tolerance).bounds
        return questions.Answer(hs.Bounds(bounds.lower / 2, bounds.upper * 2), certified=True)

    outcome = differential.run_case(QUICK[0], SEED, widened)
    assert (outcome.verdict, outcome.failed) == ("enclosed", True)
