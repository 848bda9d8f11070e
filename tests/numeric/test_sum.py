# SPDX-License-Identifier: Apache-2.0
"""Compensated sums against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hockeystick import _core

numeric = _core.numeric
finite = st.floats(min_value=-1e300, max_value=1e300)


def exact(values):
    return sum(map(Fraction, values), Fraction(0))


@settings(deadline=None)
@given(st.lists(finite, max_size=60))
def test_encloses(values):
    total, bound = numeric.compensated_sum(np.array(values, dtype=float))
    assert abs(Fraction(total) - exact(values)) <= Fraction(bound)


@settings(deadline=None)
@given(st.lists(st.floats(min_value=0, max_value=1e300), min_size=2, max_size=60))
def test_relative_error_of_nonnegative_terms(values):
    total, bound = numeric.compensated_sum(np.array(values))
    assert abs(Fraction(total) - exact(values)) <= Fraction(numeric.unit_roundoff) * Fraction(
        1.01
    ) * exact(values)
    assert bound <= 1.01 * numeric.unit_roundoff * total + 1e-322


def test_cancellation_is_recovered():
    total, bound = numeric.compensated_sum(np.array([1e16, 3.14, -1e16]))
    assert abs(total - 3.14) <= bound <= 1e-14


@pytest.mark.parametrize("n", [1, 2, 1000, 1e9, 2.0**52])
def test_gamma_is_an_upper_bound(n):
    u = Fraction(1, 2**53)
    true = Fraction(n) * u / (1 - Fraction(n) * u)
    assert true <= Fraction(numeric.gamma(n)) <= true * (1 + Fraction(1, 10**14))


def test_environment_is_sound_here():
    numeric.check_floating_point_environment()
