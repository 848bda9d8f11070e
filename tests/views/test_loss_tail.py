# SPDX-License-Identifier: Apache-2.0
"""The probability that the loss exceeds a threshold, and its quantiles, of losses known exactly."""

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

import exact
import hockeystick as hs
from exact.balls import normal_tail
from exact.truth import log_moments
from hockeystick import _core
from hockeystick.adjacency import Direction
from rare_runs import sampled

COUNT, EPSILON = 400, 0.05
LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}


def asked(*terms):
    return [[(mechanism.dominating_pair(Direction.REMOVE), n) for mechanism, n in terms]]


RESPONSES = asked((hs.ApproximateDP(epsilon=EPSILON, delta=0.0), COUNT))


def tail_of_responses(epsilon):
    """P((2 K - n) EPSILON > epsilon), K binomial."""
    with ctx.workprec(200):
        high = 1 / (1 + (-arb(EPSILON)).exp())
        first = next(k for k in range(COUNT + 1) if (2 * k - COUNT) * arb(EPSILON) > epsilon)
        return sum(
            (
                math.comb(COUNT, k) * high**k * (1 - high) ** (COUNT - k)
                for k in range(first, COUNT + 1)
            ),
            arb(0),
        )


def hold(answer, truth):
    """Enclosed, ends of the ball included, and narrow."""
    assert answer.lower <= truth.upper()
    assert truth.lower() <= answer.upper
    assert answer.converged
    assert answer.upper - answer.lower <= 1e-3 * answer.upper


@pytest.mark.parametrize("epsilon", [0.01, 1.03, 3.97, 12.01])
def test_tails_between_atoms(epsilon):
    """Off the losses, which are multiples of 0.1, also far out."""
    (answer,) = _core.loss_tail_bounds(RESPONSES, np.array([epsilon]), **LIMITS)
    hold(answer, tail_of_responses(epsilon))


def test_tails_of_gaussians_beside_others():
    """Losses of two kinds: the tail is a mixture of normal tails."""
    sigma, response = 2.0, 0.3
    run = asked(
        (hs.Gaussian(noise_multiplier=sigma), 4), (hs.ApproximateDP(epsilon=response, delta=0.0), 1)
    )
    with ctx.workprec(200):
        mu, high = 2 / arb(sigma), 1 / (1 + (-arb(response)).exp())
        for epsilon in (0.1, 2.0, 6.0):
            (answer,) = _core.loss_tail_bounds(run, np.array([epsilon]), **LIMITS)
            parts = [(high, epsilon - arb(response)), (1 - high, epsilon + arb(response))]
            truth = sum((p * normal_tail(x / mu - mu / 2) for p, x in parts), arb(0))
            hold(answer, truth)


def test_quantiles_lie_on_the_losses():
    levels = np.array([0.05, 0.5, 0.999])
    for level, answer in zip(
        levels.tolist(), _core.loss_quantile_bounds(RESPONSES, levels, **LIMITS), strict=True
    ):
        assert answer.lower <= answer.upper <= answer.lower + 1e-3 * COUNT**0.5 * EPSILON
        below, above = answer.lower - 1e-3, answer.upper + 1e-3
        assert tail_of_responses(below) >= 1 - level
        assert tail_of_responses(above) <= 1 - level


def test_no_loss_exceeds_the_largest():
    run = asked((hs.Laplace(noise_multiplier=2.0), 5))
    inside, outside = _core.loss_tail_bounds(run, np.array([2.4, 2.6]), **LIMITS)
    assert inside.lower > 0
    assert (outside.lower, outside.upper) == (0, 0)


def test_quantiles_of_losses_that_may_be_infinite():
    run = asked((hs.ApproximateDP(epsilon=0.1, delta=1e-3), 30))
    low, high = _core.loss_quantile_bounds(run, np.array([0.5, 0.99]), **LIMITS)
    assert low.upper < math.inf
    assert (high.lower, high.upper) == (math.inf, math.inf)


@pytest.mark.parametrize("last", [0, 1e-9])
def test_quantiles_beside_a_loss_that_may_be_infinite(last):
    """They are infinite exactly where the mass at infinity, 1 - (1 - 1e-5)^3, is above the rest."""
    terms = [(hs.ApproximateDP(0.1, 1e-5), 3), (hs.Gaussian(5.0), 4), (hs.Laplace(9.0), 2)]
    run = asked(*terms, (hs.ApproximateDP(0.0, last), 1))
    levels = np.array([1 - 2.98e-5, 0.5, 1 - 3.02e-5, 1 - 1e-9])
    found = list(_core.loss_quantile_bounds(run, levels, **LIMITS))
    assert [(each.lower, each.upper) for each in found[::3]] == [(math.inf, math.inf)] * 2
    assert all(-1 < each.lower <= each.upper < 9 for each in found[1:3])
    assert all(each.converged for each in found)


STEPS = [
    # noise, rate, steps, epsilon, tilt, spacing, samples
    (1.0, 0.01, 10_000, 2.0, 3.0, 0.1, 200),
    (1.0, 0.01, 10_000, 0.05, 1.0, 0.1, 200),
    (0.7, 1e-4, 100_000, 0.2, 5.0, 0.2, 800),
    (5.0, 0.2, 300, 3.0, 4.0, 0.1, 200),
]


def tail_of_steps(direction, noise, rate, count, epsilon, tilt, spacing, samples):
    """The integral of M(z)^n e^(-z epsilon) / z by the trapezoid rule, no error of which counts.

    Also its last sample and the change by the rule of twice the spacing, relative.
    """
    logs = log_moments(exact.Step(noise, rate), direction, tilt, spacing, samples)
    sums = [arb(0), arb(0)]
    last = arb(0)
    for k, log in enumerate(logs):
        z = acb(tilt, k * spacing)
        value = (count * log - z * arb(epsilon)).exp() / z
        last = abs(value)
        for j, every in enumerate((1, 2)):
            if k % every == 0:
                sums[j] += every * (value.real if k == 0 else 2 * value.real)
    fine, coarse = (total * arb(spacing) / (2 * arb.pi()) for total in sums)
    return fine, last / fine, abs(coarse - fine) / fine


@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD])
@pytest.mark.parametrize("steps", STEPS)
def test_tails_and_quantiles_of_sampled_steps(steps, direction):
    noise, rate, count, epsilon, *_ = steps
    with ctx.workprec(200):
        truth, last, change = tail_of_steps(direction.name.lower(), *steps)
        assert last < 1e-12
        assert change < 1e-9
    mechanism = hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)
    run = [[(mechanism.dominating_pair(direction), count)]]
    for tolerance in (1e-2, 1e-3):
        limits = {"tolerance": tolerance, "memory_limit": 2**26}
        (answer,) = _core.loss_tail_bounds(run, np.array([epsilon]), **limits)
        assert answer.lower <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= answer.upper
        assert answer.converged
        assert answer.upper - answer.lower <= tolerance * answer.upper
        (answer,) = _core.loss_quantile_bounds(run, np.array([1 - float(truth)]), **limits)
        assert answer.lower <= epsilon * (1 + 1e-9)
        assert epsilon * (1 - 1e-9) <= answer.upper
        assert answer.converged


def test_quantiles_far_from_their_forecasts():
    """One large loss decides, so that forecasts are off by many deviations."""
    mechanism = hs.Gaussian(noise_multiplier=0.7).poisson_sampled(1e-4)
    run = [[(mechanism.dominating_pair(Direction.REMOVE), 100_000)]]
    limits = {"tolerance": 1e-2, "memory_limit": 2**26}
    for level in (0.9, 0.99, 0.999):
        (answer,) = _core.loss_quantile_bounds(run, np.array([level]), **limits)
        assert answer.converged
        ends = np.array([answer.lower, answer.upper])
        above, below = _core.loss_tail_bounds(run, ends, **limits)
        assert below.lower <= 1 - level <= above.upper


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_tails_of_sampled_atoms_lie_between_chords(epsilon):
    """Chords of deltas asked for one by one; grids as fine as this needs take gigabytes."""
    run = 1000 * hs.DiscreteGaussian(sigma=2.0).poisson_sampled(0.01)
    length = 1e-3
    low, at, high = (
        run.delta_bounds(epsilon + away, tolerance=1e-6, adjacency="remove-one")
        for away in (-length, 0, length)
    )
    most = (low.upper - math.exp(-length) * at.lower) / -math.expm1(-length)
    least = (at.lower - math.exp(-length) * high.upper) / -math.expm1(-length)
    bounds = run.probabilistic_delta_bounds(epsilon, adjacency="remove-one")
    assert bounds.lower <= most
    assert least <= bounds.upper
    (quantile,) = _core.loss_quantile_bounds(
        asked((hs.DiscreteGaussian(sigma=2.0).poisson_sampled(0.01), 1000)),
        np.array([1 - bounds.estimate]),
        tolerance=1e-2,
        memory_limit=2**30,
    )
    assert quantile.converged
    assert abs(quantile.lower - epsilon) < 0.05 * epsilon


def test_chords_are_as_long_as_the_tail_allows():
    """The deviation, which rare losses do not have, made them a thousand times shorter."""
    run = 10 * hs.Gaussian(0.7808531087439212).poisson_sampled(2.163043482862686e-06)
    before = _core.work.taken()
    found = run.probabilistic_delta_bounds(0.5)
    assert found.gap <= 1e-2 * found.upper
    assert _core.work.taken() - before < 3e7


def test_points_whose_two_ends_come_from_two_methods_share_both():
    """One transform bounds these deltas closely from above, and another one from below."""
    run = 32 * sampled(0.5406984482039782, 8.896338578600878e-05) + sampled(
        1.6561044032480439, 1.0712111475964216e-06
    )
    found = run.probabilistic_delta_bounds(1.0, adjacency="remove-one")
    assert found.upper - found.lower <= 1e-2 * found.upper
    at = run.delta_bounds([0.99, 1.0, 1.01], adjacency="remove-one", tolerance=1e-4)
    away = math.exp(-0.01)
    assert found.lower <= (at.upper[0] - away * at.lower[1]) / (1 - away)
    assert found.upper >= (at.lower[1] - away * at.upper[2]) / (1 - away)
