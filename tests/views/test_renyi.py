# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences, the mean and the variance of the loss add up over the steps."""

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from questions import assert_verified

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}


@pytest.mark.parametrize("adjacency", [hs.Adjacency.REMOVE_ONE, hs.Adjacency.ADD_ONE])
@pytest.mark.parametrize("order", [1.5, 4.0, 32.0])
def test_divergences_of_a_composition_are_sums(order, adjacency):
    sampled = hs.Gaussian(noise_multiplier=1.2).poisson_sampled(0.03)
    for run in (
        50 * sampled + 3 * hs.Gaussian(noise_multiplier=2.0),
        11 * hs.ApproximateDP(0.7, 0),
    ):
        assert_verified(run, order, 1e-3, adjacency)


def test_the_variance_of_an_atomic_loss_is_exact():
    run = [[(hs.ApproximateDP(epsilon=0.7, delta=0.0).dominating_pair(Direction.REMOVE), 11)]]
    with ctx.workprec(200):
        p = 1 / (1 + (-arb(0.7)).exp())
        truth = 11 * 4 * p * (1 - p) * arb(0.7) ** 2
        (answer,) = _core.loss_variance_bounds(run, np.array([1.0]), **LIMITS)
        assert answer.lower <= truth <= answer.upper


def test_an_infinite_loss_makes_them_infinite():
    run = [[(hs.ApproximateDP(epsilon=0.7, delta=1e-9).dominating_pair(Direction.REMOVE), 2)]]
    (answer,) = _core.renyi_bounds(run, np.array([2.0]), **LIMITS)
    assert (answer.lower, answer.upper) == (np.inf, np.inf)
