# SPDX-License-Identifier: Apache-2.0
"""The page of limits says what the counts kept in benchmarks/results come to."""

import json

import limits

COUNTS = json.loads(limits.RESULTS.read_text(encoding="utf-8"))
FOUND = {question: limits.Work(*work) for question, work in COUNTS.items()}


def test_every_question_is_counted():
    assert list(FOUND) == [str(question) for question in limits.questions()]


def test_the_page_has_the_tables():
    page = limits.PAGE.read_text(encoding="utf-8")
    assert limits.work_table(FOUND) in page
    assert limits.moved_table(FOUND) in page


def test_nothing_took_less_than_the_least():
    for question in limits.TABLE.values():
        work = FOUND[str(question)]
        assert work.instructions > limits.least_work(work)
        assert work.lower <= work.upper <= work.lower * (1 + 2 * question.tolerance)


def test_bytes_of_a_transform():
    """A real step moves 16 bytes a point, each pass over the complex quarter 8."""
    assert limits.moved(4) == 16 * 4
    assert limits.moved(64) == 16 * (64 + 32 + 16 + 8 + 4) + 8 * (1 * 64 + 3 * 32 + 2 * 16 + 1 * 8)
    assert limits.moved(12) == 16 * 12 + 8 * 12
