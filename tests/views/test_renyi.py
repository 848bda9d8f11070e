# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences, the mean and the variance of the loss add up over the steps."""

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.renyi import divergence
from hockeystick import _core
from hockeystick.adjacency import Direction

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}
ORDERS = np.array([1.5, 4.0, 32.0])
SAMPLED = hs.Gaussian(noise_multiplier=1.2).poisson_sampled(0.03)
WAYS = {"remove": Direction.REMOVE, "add": Direction.ADD}


@pytest.mark.parametrize("way", WAYS)
def test_divergences_of_a_composition_are_sums(way):
    plain = hs.Gaussian(noise_multiplier=2.0)
    run = [[(SAMPLED.dominating_pair(WAYS[way]), 50), (plain.dominating_pair(WAYS[way]), 3)]]
    for order, answer in zip(
        ORDERS.tolist(), _core.renyi_bounds(run, ORDERS, **LIMITS), strict=True
    ):
        truth = 50 * divergence(order, exact.Step(1.2, 0.03), way) + 3 * arb(order) / 8
        assert answer.lower <= truth.upper()
        assert truth.lower() <= answer.upper
        assert answer.converged
        assert answer.upper - answer.lower <= 1e-3 * answer.upper


def test_divergences_of_an_atomic_loss_are_exact_sums():
    """log sum p^a q^(1 - a) over two outcomes."""
    run = [[(hs.ApproximateDP(epsilon=0.7, delta=0.0).dominating_pair(Direction.REMOVE), 11)]]
    with ctx.workprec(200):
        p = 1 / (1 + (-arb(0.7)).exp())
        for order in ORDERS.tolist():
            (answer,) = _core.renyi_bounds(run, np.array([order]), **LIMITS)
            powers = [x ** arb(order) * y ** (1 - arb(order)) for x, y in ((p, 1 - p), (1 - p, p))]
            truth = 11 * sum(powers, arb(0)).log() / (order - 1)
            assert answer.lower <= truth <= answer.upper


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
