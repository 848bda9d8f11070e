# SPDX-License-Identifier: Apache-2.0
"""Masses at the end of doubles: not lost from above, and not trusted from below."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick.errors import best_bounds


@pytest.mark.parametrize("direction", ["remove-one", "add-one"])
@pytest.mark.parametrize("mass", [1e-300, 2e-305, 0.9e-305, 1e-307, 3e-310, 5e-324])
@pytest.mark.parametrize("ratio", [0.25, 2.0])
def test_masses_that_underflow_may_spoil_are_counted_as_cut(mass, ratio, direction):
    """Beyond the loss of the likely outcome, where only the rare one has a part in delta."""
    pair = hs.DiscretePair(p=[1.0, mass], q=[1.0, mass * ratio])
    bounds = best_bounds(pair.delta_bounds, 0.5, adjacency=direction, smallest=0)
    first, second = (mass, mass * ratio) if direction == "remove-one" else (mass * ratio, mass)
    with ctx.workprec(200):
        gain = arb(first) - arb(0.5).exp() * arb(second)
        truth = gain if gain > 0 else arb(0)
        assert arb(bounds.lower) * (1 - arb(2) ** -40) <= truth
        assert arb(bounds.upper) * (1 + arb(2) ** -40) >= truth
    assert bounds.upper <= float(truth) * (1 + 1e-9) + 1e-304
