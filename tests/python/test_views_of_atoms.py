# SPDX-License-Identifier: Apache-2.0
"""Views of losses that have atoms, finite and at +inf: sums in ball arithmetic."""

import math
import random

import pytest
from flint import arb

import hockeystick as hs

STEPS, EPSILON = 20, 0.5

pytestmark = pytest.mark.bits(200)


@pytest.mark.parametrize(
    ("run", "largest"),
    [
        (STEPS * hs.ApproximateDP(epsilon=EPSILON, delta=0.0), STEPS * EPSILON),
        (10 * hs.Laplace(noise_multiplier=2.0), 5.0),
        (hs.DiscretePair(p=[0.5, 0.3, 0.2], q=[0.3, 0.3, 0.4]), math.log(2)),
    ],
)
def test_nothing_is_left_beyond_the_largest_loss(run, largest):
    assert run.probabilistic_delta_bounds(largest + 1e-9) == (0.0, 0.0)
    assert run.probabilistic_delta(largest / 3) > 0


def pair(weights_p, weights_q):
    """A pair of distributions, and its masses in balls."""
    p, q = ([w / sum(weights) for w in weights] for weights in (weights_p, weights_q))
    totals = sum(map(arb, p), arb(0)), sum(map(arb, q), arb(0))
    masses = [(arb(a) / totals[0], arb(b) / totals[1]) for a, b in zip(p, q, strict=True)]
    return hs.DiscretePair(p=p, q=q), masses


def mean(masses):
    return sum((p * (p / q).log() for p, q in masses if p > 0), arb(0))


def divergence(masses, order):
    total = sum((p * (p / q) ** (arb(order) - 1) for p, q in masses if p > 0), arb(0))
    return total.log() / (arb(order) - 1)


REMOVE = {"adjacency": hs.Adjacency.REMOVE_ONE}


def test_rounding_of_moments_is_counted():
    rng = random.Random(2)
    for _ in range(30):
        run, masses = pair(*([rng.uniform(0.1, 1) for _ in range(3)] for _ in range(2)))
        for truth, bounds in (
            (mean(masses), run.loss_mean_bounds(tolerance=1e-9, **REMOVE)),
            (divergence(masses, 2), run.renyi_divergence_bounds(2.0, tolerance=1e-9, **REMOVE)),
        ):
            assert bounds.lower <= truth <= bounds.upper
            assert bounds.gap <= 2e-13 * float(truth)


def test_outcomes_that_only_q_has_are_counted():
    run, masses = pair([0.5, 0.5, 0.0], [0.375, 0.25, 0.375])
    for ask, truth in (
        (run.loss_mean_bounds, mean(masses)),
        (lambda **how: run.renyi_divergence_bounds(3.0, **how), divergence(masses, 3)),
    ):
        bounds = ask(tolerance=1e-9, **REMOVE)
        assert bounds.lower <= truth <= bounds.upper
        assert bounds.gap <= 1e-12


@pytest.mark.parametrize("only_q", [0.0, 0.01])
def test_slopes_count_losses_below_zero(only_q):
    """Two losses, one as far below 0 as the other one is not above, and what Q alone has."""
    low, high = -0.1, 0.06
    p = (1 - only_q - math.exp(-low)) / (math.exp(-high) - math.exp(-low))
    weights = [p, 1 - p, 0.0], [p * math.exp(-high), (1 - p) * math.exp(-low), only_q]
    run, masses = pair(*weights)
    for order in (1.001, 1.5, 3):
        bounds = run.renyi_divergence_bounds(order, **REMOVE)
        assert bounds.lower <= divergence(masses, order) <= bounds.upper
    assert run.loss_mean_bounds(**REMOVE).lower <= mean(masses) <= run.zcdp_bounds(**REMOVE).upper


def test_a_delta_below_the_smallest_is_bounded():
    """Only if all of 1500 losses are the larger one is something left."""
    steps = 1500
    lower, upper = (steps * hs.ApproximateDP(epsilon=EPSILON, delta=0.0)).delta_bounds(749.4)
    truth = -((1 + (-arb(EPSILON)).exp()) ** -steps) * (arb(749.4) - 750).expm1()
    assert 0 < truth < 1e-308
    assert 0 <= lower <= truth <= upper <= 1e-300
