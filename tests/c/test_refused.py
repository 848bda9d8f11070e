# SPDX-License-Identifier: Apache-2.0
"""What the C library refuses, and what it then says: refused.txt."""

from pathlib import Path

import pytest

import refusals

PATHS = [Path(__file__).parent / "refused.txt"]


@pytest.mark.parametrize(("code", "said", "names"), list(refusals.cases(PATHS)))
def test_what_is_out_of_range_is_named(code, said, names):
    refusals.check(code, said, names)
