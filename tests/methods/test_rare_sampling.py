# SPDX-License-Identifier: Apache-2.0
"""Rare sampling: delta is the probability of a single big jump, which no tilt shows by itself."""

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.model import Step
from exact.two_steps import Mixture, delta_of_two
from hockeystick import _core
from hockeystick.adjacency import Direction
from questions import core_answer
from rare_runs import sampled

MEMORY = 1 << 26
PAIRS = [
    ((2.44, 0.000186), (2.44, 0.000186), 0.032),
    ((5.0, 0.002), (5.0, 0.002), 0.2),
    ((1.5, 0.000163), (1.5, 0.000163), 0.1),
    ((3.0, 0.001), (6.0, 0.02), 0.5),
    # closed far below their large losses
    *(((0.436, 2.6e-6), (0.436, 2.6e-6), epsilon) for epsilon in (1e-5, 1e-3, 0.3)),
    *(((0.436, 2.6e-6), (1.5, 3e-5), epsilon) for epsilon in (1e-5, 1e-3, 0.3)),
]
MIXTURE = hs.GaussianMixture(
    standard_deviation=1.36,
    sensitivities=[0.0, 0.77, 2.70, 2.72],
    probabilities=[0.28, 0.03, 0.41, 0.28],
)


def answer(terms, query, value, tolerance=1e-3):
    pairs = [(step.dominating_pair(Direction.REMOVE), count) for step, count in terms]
    return core_answer([pairs], query, value, tolerance=tolerance, memory_limit=MEMORY)


@pytest.mark.every(5)
@pytest.mark.parametrize("query", ["epsilon", "delta"])
@pytest.mark.parametrize(("first", "second", "epsilon"), PAIRS)
def test_two_runs_are_enclosed(first, second, epsilon, query):
    """Whether to the tolerance or not."""
    same = first == second
    terms = [(sampled(*first), 2)] if same else [(sampled(*first), 1), (sampled(*second), 1)]
    truth = delta_of_two(Step(*first), Step(*second), epsilon)
    if query == "delta":
        found = answer(terms, "delta", epsilon)
        assert found.lower <= truth <= found.upper
    else:
        found = answer(terms, "epsilon", float(truth))
        assert found.lower * (1 - 1e-15) <= epsilon <= found.upper * (1 + 1e-15)


def rounded_down(step, interval, top):
    """P-masses of losses rounded down to multiples of the interval, and the first of these."""
    with ctx.workprec(150):
        mixture = Mixture(step)
        lowest = (1 - mixture.q).log()
        first = math.floor(float(lowest) / interval)
        edges = [k * arb(interval) for k in range(first, int(top / interval) + 1)]
        above = [mixture.above(mixture.edge(e.exp())) if e > lowest else arb(1) for e in edges]
        masses = [(a - b).mid().str(25, radius=False) for a, b in pairwise(above)]
    return first, np.array([np.longdouble(mass) for mass in masses])


@pytest.mark.skipif(np.finfo(np.longdouble).tiny > 1e-320, reason="masses below 1e-308")
@pytest.mark.parametrize("delta", [1e-290, 1e-301, 1e-305])
def test_deltas_next_to_underflow(delta):
    """A direct convolution of losses that are rounded down has no larger an epsilon."""
    sigma, q, interval = 11.796107596579422, 0.00022030407534920967, 4e-6
    found = answer([(sampled(sigma, q), 8)], "epsilon", delta)
    first, total = rounded_down(Step(sigma, q), interval, 0.0056)
    for _ in range(3):
        total = np.convolve(total, total)
    losses = (8 * first + np.arange(total.size)) * interval
    assert np.sum(total * np.maximum(0, -np.expm1(found.upper - losses))) <= delta * (1 + 1e-9)


@pytest.mark.parametrize("steps", [11_565, 1000])
def test_deltas_near_1_far_below_the_mean_of_the_loss(steps):
    run = steps * MIXTURE + 87 * hs.Laplace(noise_multiplier=2.0)
    (terms,) = run._directions(hs.Adjacency.REMOVE_ONE)
    (found,) = _core.delta_bounds([terms], [0.7 * steps], tolerance=1e-3, memory_limit=MEMORY)
    assert found.converged
    assert 0.999 < found.lower <= 1 == found.upper


@pytest.mark.parametrize(
    ("sigma", "q", "count", "delta"),
    [(0.404, 4.3e-6, 120_350, 6.6e-10), (0.536, 1.35e-5, 6684, 5e-6)],
)
def test_grids_much_wider_than_the_losses_of_most_steps(sigma, q, count, delta):
    """The lower estimate keeps the mean of what all but never moves the loss."""
    found = answer([(sampled(sigma, q), count)], "epsilon", delta)
    assert found.converged


@pytest.mark.parametrize(
    ("count", "sigma", "rate", "delta"),
    [
        (172_798, 0.6804905061589056, 2.24e-6, 1.06e-12),
        (161_433, 0.591, 2.8e-6, 1e-9),
        (406, 0.32538669434833006, 2.786e-6, 1.036e-4),
        (25, 0.43415448938857665, 7.19e-3, 1.9e-9),
    ],
)
def test_one_large_loss_among_atoms_decides(count, sigma, rate, delta):
    """A rare atom far above all that small losses add up to, and these next to it."""
    run = count * hs.DiscreteGaussian(sigma=sigma).poisson_sampled(rate)
    bounds = run.epsilon_bounds(delta)
    assert run.delta_bounds(bounds.lower * (1 - 1e-3)).upper >= delta
    assert run.delta_bounds(bounds.upper * (1 + 1e-3)).lower <= delta


@pytest.mark.parametrize("epsilon", [0.03, 0.04, 0.05, 0.07, 0.1, 0.2, 0.3])
def test_deltas_next_to_and_between_rare_atoms_are_certified(epsilon):
    run = 172_798 * hs.DiscreteGaussian(sigma=0.6804905061589056).poisson_sampled(2.24e-6)
    bounds = run.delta_bounds(epsilon)
    assert bounds.upper - bounds.lower <= 1e-3 * bounds.upper


ONE_LARGE = [
    (1.0, 1e-4, 100, 1.0),
    (1.0, 1e-4, 504, 1.0),
    (1.0, 1e-4, 504, 2.7),
    (1.145, 1e-4, 504, 1.0),
    (1.145, 1e-4, 5000, 1.0),
    (1.145291027054148, 2.413942934386617e-05, 504, 2.6956139770850207),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("sigma", "q", "count", "epsilon"), ONE_LARGE)
def test_rounding_hides_no_delta_of_one_large_loss(sigma, q, count, epsilon):
    """Steps without a large loss are all but the whole moment."""
    run = count * sampled(sigma, q)
    truth = hs.verify(run, epsilon=epsilon, digits=5, fast=False)
    found = run.delta_bounds(epsilon, smallest=0)
    assert truth.known
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper <= found.lower * (1 + 1e-3)
