# SPDX-License-Identifier: Apache-2.0
"""Lines of code that are refused, and what is then said: the files of refused/."""

from pathlib import Path

import pytest

import refusals

PATHS = sorted((Path(__file__).parent / "refused").glob("*.txt"))


@pytest.mark.parametrize(("code", "said", "names"), list(refusals.cases(PATHS)))
def test_what_is_out_of_range_is_named(code, said, names):
    refusals.check(code, said, names)
