# SPDX-License-Identifier: Apache-2.0
"""A small run of `verified.py`: hostile questions, judged by the second accountant."""

import pytest

import verified

PARTS = 8


@pytest.mark.every(6)
@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_questions(part, samples):
    for number in range(part, samples(8 * PARTS), PARTS):
        case = verified.run_case(number, seed=1)
        assert not case.wrong, case.wrong
