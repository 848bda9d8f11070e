# SPDX-License-Identifier: Apache-2.0
"""Bernoulli's function against its definition in many digits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from hockeystick.baselines.bernoulli import log_bernoulli


def exact(y, order):
    with mp.workdps(1000):
        a, y = mpf(order), mpf(y)
        return float(mp.log(mp.exp(a * y) - 1 - a * mp.expm1(y)) - y)


sizes = st.floats(-150, 2).map(lambda x: 10**x)
orders = st.floats(-15, 5).map(lambda x: 1 + 10**x)


@given(sizes, st.sampled_from([-1, 1]), orders)
def test_value(size, sign, order):
    y = sign * min(size, 600.0)
    got = float(log_bernoulli(y, math.log(abs(y)), order))
    assert got == pytest.approx(exact(y, order), rel=1e-14, abs=2e-14)


@pytest.mark.parametrize("x", [-0.101, -0.0999, -0.002, 1e-5, 0.002, 0.0999, 0.101])
def test_where_series_and_closed_form_meet(x):
    """With a = 2 both arguments of psi are +-x."""
    got = float(log_bernoulli(x, math.log(abs(x)), 2.0))
    assert got == pytest.approx(exact(x, 2.0), rel=0, abs=1e-14)
