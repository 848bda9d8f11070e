# SPDX-License-Identifier: Apache-2.0
"""Views of losses that have atoms, finite and at +inf: sums in ball arithmetic."""

import math
import random

import numpy as np
import pytest
from flint import arb

import hockeystick as hs

STEPS, EPSILON, DELTA = 20, 0.5, 1e-3
RUN = STEPS * hs.ApproximateDP(epsilon=EPSILON, delta=DELTA)

pytestmark = pytest.mark.bits(200)


def law(delta=DELTA):
    """(loss, P-mass, Q-mass) by decreasing loss: one step has +inf, EPSILON, -EPSILON, -inf."""
    finite = 1 - arb(delta)
    high = finite / (1 + (-arb(EPSILON)).exp())
    atoms = [(math.inf, 1 - finite**STEPS, arb(0))]
    for k in range(STEPS, -1, -1):
        loss = (2 * k - STEPS) * arb(EPSILON)
        p = math.comb(STEPS, k) * high**k * (finite - high) ** (STEPS - k)
        atoms.append((loss, p, p * (-loss).exp()))
    return atoms


def power(fpr):
    """Neyman and Pearson: outcomes by decreasing loss until the false positives are used up."""
    left, total = arb(fpr), arb(0)
    for _, p, q in law():
        if q > left:
            return total + p * left / q
        left, total = left - q, total + p
    return arb(1)


@pytest.mark.parametrize("fpr", [0.0, 1e-9, 1e-3, 0.3, 0.9])
def test_power(fpr):
    bounds = RUN.true_positive_rate_bounds(fpr, tolerance=1e-6)
    truth = power(fpr)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1e-6 * float(truth)


@pytest.mark.parametrize("epsilon", [0.0, 1.25, 4.75, 9.6, 11.0])
def test_tail(epsilon):
    truth = sum(p for loss, p, _ in law() if loss > epsilon + 0.1 or loss == math.inf)
    bounds = RUN.probabilistic_delta_bounds(epsilon + 0.1)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1e-2 * float(truth)


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


@pytest.mark.parametrize(("level", "atom"), [(0.2, 1.0), (0.5, 3.0), (0.9, 5.0)])
def test_quantile(level, atom):
    finite = [(loss, p) for loss, p, _ in law() if loss != math.inf]
    below = sum(p for loss, p in finite if loss < atom - 0.1)
    upto = sum(p for loss, p in finite if loss < atom + 0.1)
    assert below < level <= upto
    bounds = RUN.loss_quantile_bounds(level)
    assert bounds.lower <= atom <= bounds.upper
    assert bounds.gap <= 2e-2


def test_mu_covers_the_power():
    rate = 1e-4
    lower, upper = RUN.gdp_mu_bounds(smallest_rate=rate)
    assert upper - lower <= 1e-3 * upper
    for fpr in np.geomspace(rate, 0.3, 13):
        wanted = hs.Gaussian(noise_multiplier=1 / upper).true_positive_rate(fpr)
        assert min(1 - fpr, float(power(fpr))) <= wanted * (1 + 1e-9)


def test_moments_are_infinite_with_mass_at_infinity():
    assert RUN.loss_mean_bounds() == (math.inf, math.inf)
    assert RUN.loss_variance_bounds() == (math.inf, math.inf)
    assert RUN.renyi_divergence_bounds(2.0) == (math.inf, math.inf)
    assert RUN.zcdp_bounds() == (math.inf, math.inf)


def test_moments_without():
    run = STEPS * hs.ApproximateDP(epsilon=EPSILON, delta=0.0)
    finite = law(0.0)[1:]
    mean = sum(p * loss for loss, p, _ in finite)
    square = sum(p * loss * loss for loss, p, _ in finite)
    third = sum(p * (2 * loss).exp() for loss, p, _ in finite).log() / 2
    for truth, bounds in (
        (mean, run.loss_mean_bounds()),
        (square - mean * mean, run.loss_variance_bounds()),
        (third, run.renyi_divergence_bounds(3.0)),
    ):
        assert bounds.lower <= truth <= bounds.upper
        assert bounds.gap <= 1e-9
    assert run.zcdp_bounds().lower <= STEPS * EPSILON**2 / 2
    assert third / 3 <= run.zcdp()


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
