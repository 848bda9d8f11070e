# SPDX-License-Identifier: Apache-2.0
"""The probability that one of many independent events happens, against ball arithmetic."""

import math

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from hockeystick import _core

LARGEST_BELOW_ONE = 1 - 2.0**-53

chances = st.one_of(
    st.floats(min_value=0, max_value=1),
    st.integers(min_value=0, max_value=1073).map(lambda k: 2.0**-k),
    st.integers(min_value=1, max_value=50).map(lambda k: 1 - k * 2.0**-53),
    st.floats(min_value=0, max_value=1e-300),
)
counts = st.one_of(
    st.integers(min_value=1, max_value=100), st.integers(min_value=1, max_value=10**9)
)


def none_happens(events):
    product = arb(1)
    for chance, count in events:
        product *= (1 - arb(chance)) ** count
    return product


@settings(deadline=None)
@given(st.lists(st.tuples(chances, counts), min_size=1, max_size=4), chances)
def test_encloses(events, probability):
    asked = [(chance, chance, float(count)) for chance, count in events]
    lower, upper, exceeds, is_at_most = _core.numeric.union_probability(asked, probability)
    with ctx.workprec(4000):
        none = none_happens(events)
        assert arb(lower) <= 1 - none
        assert upper == 1 or 1 - none <= arb(upper)
        assert not exceeds or none < 1 - arb(probability)
        assert not is_at_most or none >= 1 - arb(probability)
        assert lower < 1 or any(chance == 1 for chance, _ in events)
        width = arb(8) * 2.0**-50 * (1 - none) + 1e-308
    assert upper - lower <= float(width.upper())


@pytest.mark.parametrize(
    "events", [[(1e-3, 1)], [(0.3, 3), (1e-9, 10**9)], [(1e-12, 10**6)], [(1e-200, 7)]]
)
def test_asked_about_what_is_next_to_the_probability(events):
    asked = [(chance, chance, float(count)) for chance, count in events]
    with ctx.workprec(1000):
        probability = float(1 - none_happens(events))
    for factor, more in ((1 - 1e-12, True), (0.75, True), (1 + 1e-12, False)):
        answer = _core.numeric.union_probability(asked, probability * factor)[2:]
        assert answer == (more, not more)


@pytest.mark.parametrize("count", [54, 100, 10**9])
def test_next_to_certainty_is_no_certainty(count):
    lower, upper, exceeds, _ = _core.numeric.union_probability(
        [(0.5, 0.5, count)], LARGEST_BELOW_ONE
    )
    assert LARGEST_BELOW_ONE * (1 - 2.0**-53) <= lower <= LARGEST_BELOW_ONE
    assert upper == 1
    assert exceeds
    assert not _core.numeric.union_probability([(0.5, 0.5, 52)], LARGEST_BELOW_ONE)[2]


def test_certain_and_impossible_events():
    assert _core.numeric.union_probability([(1.0, 1.0, 1.0)], 0.5) == (1, 1, True, False)
    assert _core.numeric.union_probability([(0.0, 0.0, 1e9)], 0.0) == (0, 0, False, True)
    assert _core.numeric.union_probability([(0.0, math.nan, 2.0)], 0.5)[:2] == (0, 1)
