# SPDX-License-Identifier: Apache-2.0
"""The pair of an (epsilon, delta) guarantee in ball arithmetic."""

import pytest

import hockeystick as hs
from hockeystick import _core


@pytest.mark.parametrize("delta", [1e-40, 1e-6, 0.3])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 5.0, 100.0, 9999.0])
def test_the_guarantee_itself_is_found(epsilon, delta):
    """At just the mass of infinite loss epsilon is the largest finite one: no delta is below it."""
    lower, upper = hs.ApproximateDP(epsilon, delta).epsilon_bounds(delta)
    assert epsilon * (1 - 1e-6) <= lower <= epsilon == upper


def test_stated_errors_are_those_of_the_page():
    """12 u of its masses and 6 u of sums; the losses are exact."""
    errors = _core.dominating_pair("approximate_dp", [0.5, 1e-3]).law_errors()
    assert errors == (18 * 2.0**-53, 0.0)
