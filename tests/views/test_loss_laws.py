# SPDX-License-Identifier: Apache-2.0
"""The law of the loss, where little noise tells the steps that a record joins, in balls."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from joined_steps import numbers_joined

RUNS = [(0.03, 0.01, 5), (0.05, 0.3, 12), (0.02, 0.999, 4), (0.001, 1e-6, 40), (0.04, 0.03, 300)]
ADJACENCIES = ("remove-one", "add-one", "replace-one")
LEVELS = (1e-9, 0.01, 0.5, 0.9, 0.999999)


def above(square, x):
    """P(normal loss > x), its mean half its variance, which may be 0."""
    if not square > 0:
        return arb(1) if x < 0 else arb(0)
    s = square.sqrt()
    return normal_tail(x / s - s / 2)


def tail(run, adjacency, loss):
    """The sum of the page over the number of steps, without its slacks."""
    joined = numbers_joined(*run, adjacency.removesuffix("-one"))
    return sum((weight * above(square, loss + shift) for weight, square, shift in joined), arb(0))


def composed(run):
    noise, rate, count = run
    return count * hs.Gaussian(noise).poisson_sampled(rate)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_tails_are_sums_over_the_numbers_of_steps(run, adjacency):
    far = 0.5 / run[0] ** 2
    for part in (0.01, 0.3, 0.9, 0.99, 1.02, 1.4, 2.01, 2.7, 4.5):
        epsilon = min(part * far, 9e3)
        found = composed(run).probabilistic_delta_bounds(epsilon, adjacency=adjacency)
        with ctx.workprec(300):
            truth = tail(run, adjacency, arb(epsilon))
            assert arb(found.lower) <= truth * (1 + arb(1e-13))
            assert arb(found.upper) >= truth * (1 - arb(1e-13))
            if truth > 1e-12:
                assert arb(found.upper) <= truth * (1 + arb(1e-2))


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_quantiles_have_the_tails_of_their_levels(run, adjacency):
    """But for the slack by which a loss may be off, and for the rounding of the rate."""
    noise, rate, count = run
    most = -count * math.log1p(-rate)
    for level in LEVELS:
        lower, upper = composed(run).loss_quantile_bounds(level, adjacency=adjacency)
        assert lower <= upper
        with ctx.workprec(300):
            slack = arb(1e-5) * min(1.0, most)
            assert tail(run, adjacency, arb(upper) + slack) <= 1 - arb(level)
            assert tail(run, adjacency, arb(lower) - slack) >= 1 - arb(level)
        assert upper - lower <= 1e-2 / noise


def test_each_slack_is_on_its_side():
    """Of few nodes: exact integrals over the noise of one step, where mistakes are likely."""
    noise, rate = 0.1, 0.3
    run = 1 * hs.Gaussian(noise).poisson_sampled(rate)
    for epsilon in (0.01, 0.5, 5.0, 30.0, 48.0, 60.0, 90.0):
        found = run.probabilistic_delta_bounds(epsilon, adjacency="remove-one")
        with ctx.workprec(300):
            mu, q = arb(1 / noise), arb(rate)
            x = ((arb(epsilon).exp() - 1 + q) / q).log() / mu + mu / 2
            truth = (1 - q) * normal_tail(x) + q * normal_tail(x - mu)
            assert arb(found.lower) <= truth * (1 + arb(1e-14))
            assert arb(found.upper) >= truth * (1 - arb(1e-14))
