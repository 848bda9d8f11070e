# SPDX-License-Identifier: Apache-2.0
"""The table beside libraries with groups, matrices and audits has what is certified here."""

import pytest

import beyond


@pytest.mark.parametrize("question", beyond.QUESTIONS, ids=lambda question: question.words)
def test_the_page_has_every_question(question):
    (line,) = (row for row in beyond.README.read_text().splitlines() if question.words in row)
    said = [float(number) for number in line.split("|")[2].split(" to ")]
    lower, upper = question.here()
    assert said == pytest.approx([lower, upper][: len(said)], rel=1e-2)
    assert lower <= upper
