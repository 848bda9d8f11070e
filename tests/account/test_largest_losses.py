# SPDX-License-Identifier: Apache-2.0
"""Runs by their largest losses alone, and by what they leak: where grids give up or lose it."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
import questions
from exact.responses import Responses
from hockeystick import Adjacency


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(0.0625, 17, 1e-125), (2.5, 190, 1e-13)])
def test_no_epsilon_is_above_the_largest_loss(epsilon, count, delta):
    """A delta so small that it is met only within a rounding or so of the largest loss."""
    run, truth = count * hs.ExponentialMechanism(epsilon=epsilon), Responses(epsilon, 0.0, count)
    bounds = run.epsilon_bounds(delta=delta)
    assert truth.curve(bounds.lower) >= delta
    assert epsilon * count <= bounds.upper <= epsilon * count * (1 + 1e-14)
    failing = run + hs.ApproximateDP(epsilon=epsilon, delta=0.25)
    assert failing.epsilon_bounds(delta=0.125) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("step", "largest", "count", "delta"),
    [
        (hs.ApproximateDP(epsilon=0.1675, delta=3.7e-74), 0.1675, 5, 2.4e-34),
        (hs.ExponentialMechanism(epsilon=0.5), 0.5, 12, 1e-90),
        (hs.Laplace(noise_multiplier=22.0), 1 / 22, 126, 4e-99),
        (hs.DiscreteLaplace(parameter=0.3, sensitivity=2), 0.6, 7, 1e-280),
    ],
    ids=str,
)
def test_far_below_the_probability_of_the_largest_losses_epsilon_is_their_sum(
    step, largest, count, delta
):
    lower, upper = (count * step).epsilon_bounds(delta)
    assert lower <= count * largest * (1 + 1e-12)
    assert lower >= count * largest * (1 - 1e-3)
    assert count * largest * (1 - 1e-12) <= upper <= count * largest * (1 + 1e-11)


def test_the_probability_of_the_largest_losses_is_counted():
    """delta is P (1 - e^(epsilon - E)) there, P = (e / (1 + e))^n: a truth in closed form."""
    step, count = hs.ApproximateDP(epsilon=1.0, delta=0.0), 4
    with ctx.workprec(200):
        probability = (arb(1).exp() / (1 + arb(1).exp())) ** count
        for share in (0.3, 0.1, 1e-3):
            delta = float(probability.mid()) * share
            bounds = (count * step).epsilon_bounds(delta, tolerance=1e-6)
            truth = count + (1 - arb(delta) / probability).log()
            assert bounds.lower <= truth <= bounds.upper


def test_a_mass_at_infinity_above_delta_leaves_no_epsilon():
    run = 5 * hs.ApproximateDP(epsilon=0.2, delta=1e-9)
    assert run.epsilon(4e-9) == math.inf
    assert run.epsilon(6e-9) < math.inf


@pytest.mark.parametrize("delta", [1e-74, 1.43e-75, 1e-91])
def test_a_step_far_below_the_grid_does_not_make_a_rare_leak_certain(delta):
    """3 noises leak at once, with probability 4e-93 each; other losses are far below the grid."""
    leaky = hs.DiscreteGaussian(sigma=0.5337637015583284, sensitivity=3, truncation=13)
    answers = hs.RandomizedResponse(noise_parameter=0.0029803091835850773, num_buckets=234)
    tiny = hs.DiscreteLaplace(parameter=0.014342536340746061, sensitivity=1)
    run = 3 * leaky + answers + 99 * tiny.poisson_sampled(0.008372200100241029)
    with pytest.raises(hs.CertificationError, match="memory_limit") as caught:
        run.epsilon_bounds(delta, adjacency=Adjacency.REPLACE_SPECIAL, memory_limit=1 << 26)
    assert 0 <= caught.value.bounds.lower <= caught.value.bounds.upper < 1000


@pytest.mark.parametrize("count", [3, 1000])
def test_what_leaks_for_certain_is_no_more_than_that(count):
    """Beyond all finite losses delta is the leak: 1 - (1 - t)^n."""
    run = count * hs.ApproximateDP(epsilon=0.01, delta=1e-9) + hs.Laplace(noise_multiplier=9.0)
    with ctx.workprec(200):
        leak = 1 - (1 - arb(1e-9)) ** count
        assert questions.encloses(run.delta_bounds(100.0), leak)
        lower, upper = (float(leak.mid()) * factor for factor in (1 - 1e-6, 1 + 1e-6))
    assert run.epsilon(lower) == math.inf
    assert run.epsilon(upper) < math.inf
