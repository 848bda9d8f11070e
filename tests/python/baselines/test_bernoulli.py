# SPDX-License-Identifier: Apache-2.0
"""Bernoulli's function against its definition in many digits."""

import math

import numpy as np
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


def test_shapes_and_ends():
    y = np.array([0.0, 1e-200, 1.0, 1e6])
    with np.errstate(divide="ignore"):
        got = log_bernoulli(y, np.log(y), 3.0)
    assert got[0] == -math.inf
    assert got[1] == pytest.approx(math.log(3) - 400 * math.log(10), rel=1e-14)
    assert got[3] == 2e6
    many = log_bernoulli(1.0, 0.0, np.array([2.0, 3.0]))
    assert many[1] == got[2]
    assert many[0] == pytest.approx(2 * math.log(math.e - 1) - 1, rel=1e-14)
