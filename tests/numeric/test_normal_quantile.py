# SPDX-License-Identifier: Apache-2.0
"""Normal quantiles: the ends bracket, to about 1e-14."""

import random

import pytest
from flint import arb, ctx

from exact.balls import normal_tail
from hockeystick import _core

POINTS = [
    1e-307,
    2e-304,
    3e-303,
    1e-302,
    7e-301,
    1e-300,
    1e-290,
    1e-100,
    1e-9,
    0.02,
    0.3,
    0.5 - 2**-54,
    0.5,
    0.5 + 2**-53,
    0.9,
    1 - 2**-53,
]


@pytest.mark.parametrize("p", POINTS)
def test_the_ends_bracket(p):
    lower, upper = _core.numeric.upper_normal_quantile(p)
    with ctx.workprec(200):
        assert normal_tail(arb(lower)) >= arb(p)
        assert normal_tail(arb(upper)) <= arb(p)
    if p >= 1e-303:
        assert upper - lower <= 3e-14 * (1 + abs(upper)) + 1e-307 / p


def test_quantiles_are_symmetric():
    lower, upper = _core.numeric.upper_normal_quantile(0.75)
    assert (-upper, -lower) == _core.numeric.upper_normal_quantile(0.25)


def test_both_ends_are_beyond_by_the_error_of_a_tail():
    """Of the tail that is computed: 80 u of it, and 1e-307 for what underflow hides."""
    rng = random.Random(3)
    for _ in range(300):
        p = 10 ** rng.uniform(-300, -0.4)
        lower, upper = _core.numeric.upper_normal_quantile(p)
        assert _core.numeric.normal_tail(lower) * (1 - 80 * 2.0**-53) - 1e-307 >= p
        assert _core.numeric.normal_tail(upper) * (1 + 80 * 2.0**-53) + 1e-307 <= p


def test_where_underflow_may_hide_a_tail_the_lower_end_is_moved_for_it():
    """1e-307 is a millionth of the tail at 1e-301."""
    for p in (1e-301, 3e-302, 1.1e-304):
        lower, _ = _core.numeric.upper_normal_quantile(p)
        with ctx.workprec(200):
            assert normal_tail(arb(lower)) >= p + 0.9 * arb(1e-307)
