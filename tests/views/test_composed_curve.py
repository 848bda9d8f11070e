# SPDX-License-Identifier: Apache-2.0
"""A direction without a known reverse: its curve at negative losses is what the reverse tells."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**28}
STEPS = [hs.Gaussian(2.0).poisson_sampled(0.2), hs.DiscreteGaussian(sigma=2.0), hs.Laplace(3.0)]
RATES = np.array([1e-3, 0.3, 0.8, 0.99])


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_power_by_one_direction_is_that_by_both(step):
    ahead, behind = (
        [[(step.dominating_pair(way), 20)]] for way in (Direction.REMOVE, Direction.ADD)
    )
    alone = list(_core.power_bounds(ahead, RATES, **LIMITS))
    known = list(_core.power_bounds(ahead, RATES, reverses=behind, **LIMITS))
    for one, other in zip(alone, known, strict=True):
        assert one.converged
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)


def test_a_quantile_below_0_needs_no_reverse():
    step = STEPS[0]
    (alone,) = _core.loss_quantile_bounds(
        [[(step.dominating_pair(Direction.REMOVE), 20)]], np.array([0.05]), **LIMITS
    )
    (known,) = _core.loss_quantile_bounds(
        [[(step.dominating_pair(Direction.REMOVE), 20)]],
        np.array([0.05]),
        reverses=[[(step.dominating_pair(Direction.ADD), 20)]],
        **LIMITS,
    )
    assert alone.converged
    assert max(alone.lower, known.lower) <= min(alone.upper, known.upper) < 0
