# SPDX-License-Identifier: Apache-2.0
"""Epsilon of one step lies where its delta crosses the one asked for."""

import math

import pytest
from flint import arb

import exact
import hockeystick as hs
from exact.pair import Pair
from hockeystick.adjacency import Direction
from questions import core_answer
from rare_runs import batches, mixture

STEPS = {
    "sampled": hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.1),
    "much noise": hs.Gaussian(noise_multiplier=300.0).poisson_sampled(1e-6),
    "little noise": hs.Gaussian(noise_multiplier=0.05).poisson_sampled(1e-3),
    "mixture": mixture(48.4, (0.6, 6e-6), (0.56, 2.3e-5), (0.78, 1e-6), (0.93, 1.5e-5)),
    "batches": batches(2.3, 1e-3, 20, 10_000),
    "Laplace": hs.Laplace(noise_multiplier=0.3),
    "sampled Laplace": hs.Laplace(noise_multiplier=88.0).poisson_sampled(1.6e-6),
}
PAIRS = [
    pytest.param(step.dominating_pair(way), id=f"{name}, {way.name.lower()}")
    for name, step in STEPS.items()
    for way in (Direction.REMOVE, Direction.ADD)
]


def asked(pair, query, at):
    return core_answer([[(pair, 1)]], query, at, method="single_step")


@pytest.mark.parametrize("pair", PAIRS)
def test_delta_crosses_the_one_asked_for_between_the_ends(pair):
    most = asked(pair, "delta", 0.0).upper
    for part in (0.9, 0.1, 1e-3, 1e-9, 1e-60, 1e-290):
        if not (delta := part * most) > 1e-300:
            continue
        found = asked(pair, "epsilon", delta)
        assert 0 <= found.lower <= found.upper
        assert found.upper - found.lower <= 1e-5 * found.upper
        assert asked(pair, "delta", found.lower).upper >= delta
        assert asked(pair, "delta", found.upper).lower <= delta


def test_an_end_of_bounded_losses_is_found():
    """Where delta falls to 0 within some parts in 10^9 of the largest loss."""
    rate, most = 0.1, -math.log1p(-0.1)
    step = hs.Gaussian(noise_multiplier=0.7).poisson_sampled(rate)
    found = asked(step.dominating_pair(Direction.ADD), "epsilon", 1e-200)
    assert 0.999 * most <= found.lower <= found.upper <= most * (1 + 1e-12)


def test_a_delta_that_infinite_losses_exceed_has_no_upper_end():
    pair = hs.ApproximateDP(epsilon=1.0, delta=1e-3).dominating_pair(Direction.REMOVE)
    found = asked(pair, "epsilon", 1e-4)
    assert found.upper == float("inf")


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.3, 2.0, 9.0])
@pytest.mark.parametrize(("sigma", "rate"), [(0.7, 0.1), (2.0, 1e-3), (30.0, 0.9)])
def test_delta_is_the_formula(sigma, rate, epsilon):
    """Of a sampled Gaussian, by tails of the normal distribution."""
    pair = (
        hs.Gaussian(noise_multiplier=sigma).poisson_sampled(rate).dominating_pair(Direction.REMOVE)
    )
    found = asked(pair, "delta", epsilon)
    truth = Pair(exact.Step(sigma, rate), "remove").delta(arb(epsilon))
    assert arb(found.lower) <= truth <= arb(found.upper)
    assert found.upper - found.lower <= max(1e-9 * found.upper, 1e-300)
