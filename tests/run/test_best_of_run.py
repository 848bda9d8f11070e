# SPDX-License-Identifier: Apache-2.0
"""The best of several runs of any run, through the whole library."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core

STEPS = 1000 * hs.Gaussian(1.0).poisson_sampled(0.01)


def test_dpsgd_is_where_ranks_say():
    """The public accountants' theorem on Renyi divergences gives 4.43, published lines 3.07."""
    bounds = hs.best_of(STEPS, runs="geometric", mean=10).epsilon_bounds(1e-6)
    assert STEPS.epsilon(1e-6) < 2.94 < bounds.lower < bounds.upper < 2.97
    assert bounds.limited_by == "theory"


def test_one_run_is_the_run():
    run = 10 * hs.Gaussian(3.0)
    for one in (
        hs.best_of(run, runs="fixed", mean=1),
        hs.best_of(run, runs="geometric", mean=1),
        hs.best_of(run, runs="binomial", mean=1, trials=1),
    ):
        bounds, truth = one.epsilon_bounds(1e-5), run.epsilon_bounds(1e-5)
        assert bounds.lower <= truth.upper
        assert truth.lower <= bounds.upper <= truth.upper * 1.002


@pytest.mark.parametrize(("run", "most"), [(hs.Gaussian(1 / 0.3), 4), (STEPS, 3)])
def test_a_limited_number_of_runs_costs_no_more_than_all_of_them(run, most):
    everything = (most * run).epsilon_bounds(1e-6)
    for runs, mean in (("fixed", most), ("binomial", 0.7 * most)):
        options = {} if runs == "fixed" else {"trials": most}
        best = hs.best_of(run, runs=runs, mean=mean, **options).epsilon_bounds(1e-6)
        assert best.lower < best.upper <= everything.upper * 1.01


def test_pure_privacy():
    """(2 + shape) epsilon of negative binomial numbers, k epsilon of k runs."""
    pure = hs.ApproximateDP(0.5, 0)
    geometric = hs.best_of(pure, runs="geometric", mean=10)
    assert geometric.epsilon(0) <= 1.5
    assert geometric.delta(1.5) <= 1e-300
    assert hs.best_of(pure, runs="logarithmic", mean=10).epsilon(0) <= 1.0
    assert hs.best_of(pure, runs="fixed", mean=3).epsilon(0) <= 1.5 * (1 + 1e-15)
    poisson = hs.best_of(pure, runs="poisson", mean=4).epsilon(0)
    assert poisson <= (0.5 + 4 * math.tanh(0.25)) * (1 + 1e-12)


def test_moments_help_where_many_run():
    """Of a Poisson number of mean 100 the divergences say less than the ranks alone would."""
    run = hs.Gaussian(1 / 0.3)
    bounds = hs.best_of(run, runs="poisson", mean=100).epsilon_bounds(1e-6)
    forth = run._pairs(hs.Direction.REMOVE)[0]
    number = _core.NumberOfRuns("poisson", 100.0, 0.0)
    ranks = _core.best_of_pair(forth, None, number, 40, 1e-12)  # no reverse: no moments
    at = np.array([bounds.upper])
    assert ranks.delta_above(at)[0] > 1e-6


def test_a_mean_below_one_counts_the_atom_of_no_run():
    """The divergence without it would say less than nothing at orders next to 1."""
    rare = hs.best_of(hs.Gaussian(1.0), runs="poisson", mean=0.01)
    bounds = rare.delta_bounds(0.5)
    one = hs.Gaussian(1.0).delta_bounds(0.5)
    assert 0.9e-2 * one.lower <= bounds.upper
    assert bounds.lower <= 1e-2 * one.upper * 1.1


def test_they_compose_sample_and_group():
    best = hs.best_of(STEPS, runs="geometric", mean=10)
    alone = best.epsilon_bounds(1e-6)
    twice = (2 * best).epsilon_bounds(1e-6)
    assert alone.upper < twice.lower <= twice.upper < 2.2 * alone.upper
    sampled = best.poisson_sampled(0.1).epsilon_bounds(1e-6)
    assert 0 < sampled.lower <= sampled.upper < alone.lower
    group = best.group(2).epsilon_bounds(1e-6)
    assert alone.lower <= group.upper
    beside = (best + hs.Laplace(10)).epsilon_bounds(1e-6)
    assert alone.lower <= beside.upper
    again = hs.best_of(best, runs="logarithmic", mean=3).epsilon_bounds(1e-6)
    assert alone.lower <= again.lower <= again.upper
