# SPDX-License-Identifier: Apache-2.0
"""Quantiles of the loss that a few deltas enclose, on both sides of 0 and far out."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from rare_runs import sampled


def allowed(run, deviations=1e-2):
    """The width asked for: the forecast deviation is within some percent of the true one."""
    return 1.2 * deviations * math.sqrt(run.loss_variance_bounds().upper)


@pytest.mark.parametrize(
    ("run", "level"),
    [
        (55 * sampled(2.463787215608939, 2.5803999603461855e-06), 0.5),
        (247 * sampled(3.848143283643529, 1.1239995816884045e-05), 0.5),
        (407 * sampled(1.641625134357933, 1.1848337662509394e-06), 0.99),
        (3 * sampled(0.7171921491827369, 0.01744320563972144), 0.99),
        (8302 * hs.Laplace(2.177288450125022), 0.5),
        (4762 * hs.DiscreteGaussian(sigma=0.6131576310250619), 0.5),
        (1000 * hs.Laplace(20.0).poisson_sampled(1e-3), 0.999999),
        # Moments forecast these a thousand times too high.
        (245 * sampled(1.1426819437824127, 1.5835625521085287e-06), 0.99),
        (25273 * sampled(2.3079580821157912, 1.0626715887601518e-05), 0.999999),
    ],
)
def test_rare_and_large_losses_have_quantiles(run, level):
    found = run.loss_quantile_bounds(level, adjacency="remove-one", memory_limit=2**24)
    assert found.upper - found.lower <= allowed(run)
    if found.lower > 0:
        above, below = (
            run.probabilistic_delta_bounds(at, adjacency="remove-one")
            for at in (found.lower * (1 - 1e-9), found.upper * (1 + 1e-9))
        )
        assert above.upper >= 1 - level >= below.lower


def test_deltas_that_one_method_knows_roughly_place_the_plans_of_others():
    """Moments forecast the deltas about this quantile too high."""
    step = hs.TruncatedPoissonGaussian(
        1.3001994465404692,
        sampling_probability=0.00036983958208127224,
        truncated_batch_size=135,
        dataset_size=259572,
    )
    run = 384 * step
    found = run.loss_quantile_bounds(0.999999, adjacency="remove-one")
    assert found.upper - found.lower <= allowed(run)


@pytest.mark.parametrize(
    "run",
    [
        690 * sampled(0.5193098900152922, 1.1619211298495856e-05),
        2 * sampled(0.5670042978412277, 7.513966189382194e-06),
        7
        * hs.TruncatedPoissonGaussian(
            1.363869878877356,
            sampling_probability=0.00041975654120610047,
            truncated_batch_size=10,
            dataset_size=7147,
        ),
    ],
)
def test_slow_tails_are_as_close_as_their_fall(run):
    """Where a deviation is tiny beside the fall of the tail, both ends have nearly one tail."""
    found = run.loss_quantile_bounds(0.999999, adjacency="remove-one")
    above, below = (
        run.probabilistic_delta_bounds(at, adjacency="remove-one")
        for at in (found.lower, found.upper)
    )
    assert above.upper >= 1e-6 >= below.lower
    assert above.lower <= (1 + 2e-2) * below.upper


def test_plain_gaussians_are_met():
    """Their quantiles are known: mu^2 / 2 + mu z."""
    run = 4 * hs.Gaussian(noise_multiplier=1.0) + hs.Laplace(1e4)
    levels = np.array([0.1, 0.5, 0.9, 0.999])
    found = run.loss_quantile_bounds(levels, adjacency="remove-one", deviations=1e-3)
    truth = 2 + 2 * np.array([-1.2815515655446004, 0, 1.2815515655446004, 3.090232306167813])
    assert np.all(found.lower <= truth + 2e-4)
    assert np.all(found.upper >= truth - 2e-4)
    assert np.all(found.upper - found.lower <= 2.1e-3)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
def test_without_a_reverse_quantiles_next_to_0_come_from_one_side(tolerance):
    pair = sampled(1.0, 0.01).dominating_pair(Direction.REMOVE)
    run, limits = [[(pair, 10000)]], {"tolerance": tolerance, "memory_limit": 2**26}
    (tail,) = _core.loss_tail_bounds(run, np.array([0.05]), **limits)
    (found,) = _core.loss_quantile_bounds(run, np.array([1 - tail.upper]), **limits)
    assert found.converged
    assert found.lower <= 0.05


@pytest.mark.parametrize(
    "run",
    [
        34 * hs.DiscreteGaussian(73.3),
        219 * hs.Laplace(57.6),
        8 * hs.Gaussian(0.81) + 58 * hs.Laplace(46.0) + 8097 * sampled(3.13, 1e-3),
    ],
)
def test_quantiles_of_an_array_share_their_points(run):
    """They took as much work as all of them alone, or twice as much."""
    levels = [0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999]

    def work(at):
        before = _core.work.taken()
        found = run.loss_quantile_bounds(at)
        return found, _core.work.taken() - before

    alone = [work(level) for level in levels]
    together, taken = work(levels)
    assert taken <= 0.8 * sum(each for _, each in alone)
    for k, (one, _) in enumerate(alone):
        assert together.lower[k] <= one.upper
        assert one.lower <= together.upper[k]
