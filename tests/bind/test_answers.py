# SPDX-License-Identifier: Apache-2.0
"""Bounds that cannot be do not leave the core."""

import numpy as np
import pytest

import hockeystick as hs


@pytest.mark.parametrize(
    ("lower", "upper"), [(1.0, 0.5), (np.nan, 1.0), (0.0, np.nan), (np.inf, 1.0)]
)
def test_impossible_bounds_do_not_leave_the_core(lower, upper):
    with pytest.raises(hs.InternalError, match=r"a question of the tests at 0 with .* report it"):
        hs._core.parts.checked_answer(lower, upper)
    assert issubclass(hs.InternalError, RuntimeError)


@pytest.mark.parametrize("ends", [(0.0, 0.0), (-np.inf, np.inf), (1.0, np.inf), (np.inf, np.inf)])
def test_possible_bounds_leave(ends):
    assert hs._core.parts.checked_answer(*ends)[0].upper == ends[1]
