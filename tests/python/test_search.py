# SPDX-License-Identifier: Apache-2.0
"""The two searches, on functions whose answers are known."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick._search import crossing, peak

places = st.floats(-50, 50)


@given(places)
def test_crossing_ends_next_to_the_step(place):
    got = crossing(lambda x: x >= place, -100.0, 100.0)
    assert got >= place
    assert got - place <= max(math.ulp(place), 200 * 2.0**-100)


def test_few_halvings_leave_as_much():
    assert crossing(lambda x: x >= 0.3, 0.0, 1.0, halvings=3) == 0.375


def test_crossing_without_a_step():
    assert crossing(lambda _: False, 0.0, 3.0) == 3
    assert crossing(lambda _: True, 0.0, 3.0) <= 3 * 2.0**-100


@given(places, st.floats(0.1, 10), st.floats(0.1, 10))
def test_peak_at_a_corner(place, left, right):
    at, got = peak(lambda x: -max(left * (place - x), right * (x - place)), -100.0, 70.0, 1e-9)
    assert abs(at - place) <= 1e-9
    assert -1e-8 <= got <= 0


@given(places)
def test_smooth_peak(place):
    assert peak(lambda x: -((x - place) ** 2), -100.0, 70.0, 1e-5)[1] >= -1e-10


@pytest.mark.parametrize("slope", [-1, 1])
def test_peak_at_an_end(slope):
    assert peak(lambda x: slope * x, -1.0, 1.0, 1e-9) == pytest.approx((slope, 1), abs=1e-8)
