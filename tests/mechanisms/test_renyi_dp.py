# SPDX-License-Identifier: Apache-2.0
"""What has small Renyi divergences of one order: the curve above in balls, mechanisms below it."""

import math
import random

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick.mechanisms._enclosed import Accuracy

REMOVE = hs.Direction.REMOVE
CASES = [
    (8.0, 1.0),
    (2.0, 0.01),
    (1.0001, 0.3),
    (1.5, 30.0),
    (64.0, 12.0),
    (1e4, 1e-9),
    (50.0, 1e4),
]


def formula(order, divergence, epsilon):
    """The bound on delta at epsilon >= 0."""
    t, epsilon = arb(order) - 1, arb(epsilon)
    return (t * (arb(divergence) - epsilon) + t * t.log() - (1 + t) * (1 + t).log()).exp()


@pytest.mark.parametrize(("order", "divergence"), CASES)
def test_the_curve_lies_above_the_formula_and_next_to_it(order, divergence):
    known = hs.RenyiDP(order=order, divergence=divergence)
    pair = known.pair_above(REMOVE, Accuracy(2000, 1e-60))
    for delta in (1e-2, 1e-5, 1e-11, 1e-30):
        with ctx.workprec(300):
            t = arb(order) - 1
            least = divergence - (arb(delta).log() - t * t.log() + (1 + t) * (1 + t).log()) / t
            epsilon = max(0.0, float(least))
            truth = formula(order, divergence, epsilon)
        variation = math.sqrt(min(divergence / 2, -math.expm1(-divergence)))
        found = pair.delta_above([epsilon])[0]
        if epsilon > 0 and delta < variation / 10:
            assert truth * (1 - arb(1e-13)) <= found <= truth * (1 + arb(1e-3)) + 1e-299
        assert found <= variation * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("seed", range(10))
def test_whatever_has_that_divergence_lies_below(seed):
    rng = random.Random(seed)
    order = rng.choice([1.5, 2.0, 8.0, 40.0])
    step = hs.Gaussian(rng.uniform(0.6, 3)).poisson_sampled(rng.choice([0.01, 0.1, 1.0]))
    known = hs.RenyiDP(order=order, divergence=step.renyi_divergence(order))
    beside = rng.randint(0, 2) * hs.Laplace(3.0)
    for count in (1, 30):
        run, bound = count * step + beside, count * known + beside
        for epsilon in (0.0, 0.2, 1.0, 3.0):
            assert bound.delta(epsilon) >= run.delta_bounds(epsilon).lower * (1 - 1e-12)


def test_several_of_one_order_are_one():
    whole, parts = hs.RenyiDP(order=8, divergence=1), 4 * hs.RenyiDP(order=8, divergence=0.25)
    assert parts.epsilon(1e-6) == whole.epsilon(1e-6)
    mixed = parts + hs.RenyiDP(order=3, divergence=0.25)
    assert whole.epsilon(1e-6) < mixed.epsilon(1e-6) < 20


def test_enclosed_from_both_sides():
    bounds = hs.RenyiDP(order=8, divergence=1).epsilon_bounds(1e-6)
    gaussian = hs.Gaussian(2.0)  # 8 / (2 * 2^2) = 1
    assert bounds.limited_by == "theory"
    assert bounds.lower == pytest.approx(gaussian.epsilon(1e-6), rel=1e-3)
    assert bounds.upper == pytest.approx(2.54305, rel=1e-3)
    assert hs.RenyiDP(order=8, divergence=1).epsilon(0) == math.inf


def test_a_divergence_of_0_costs_nothing():
    assert hs.RenyiDP(order=2, divergence=0) + hs.RenyiDP(order=3, divergence=0) == hs.Composition()
