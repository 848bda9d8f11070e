# SPDX-License-Identifier: Apache-2.0
"""True positive rates from deltas: alone, in arrays, and against distributions on grids."""

from dataclasses import dataclass

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency, _core

RUN = 300 * hs.Gaussian(noise_multiplier=0.9).poisson_sampled(0.02)
RATES = [1e-12, 1e-6, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-6]


@pytest.mark.parametrize("adjacency", ["add-one", "remove-one", "add-or-remove-one"])
def test_rates_asked_together_or_alone_overlap(adjacency):
    many = [10**-k for k in range(1, 12)] + [k / 40 for k in range(1, 40)]
    together = RUN.true_positive_rate_bounds(RATES + many, adjacency=adjacency)
    for k, fpr in enumerate(RATES):
        alone = RUN.true_positive_rate_bounds(fpr, adjacency=adjacency)
        assert max(alone.lower, together.lower[k]) <= min(alone.upper, together.upper[k])
        assert alone.gap <= 1e-3 * min(alone.upper, max(1 - alone.lower, 1e-6))


def test_rates_at_negative_losses_take_a_distribution_where_no_reverse_is_known():
    pair = RUN.terms[0][0].dominating_pair(Adjacency.REMOVE_ONE.directions[0])
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 30}
    told = RUN.true_positive_rate_bounds(RATES, adjacency="remove-one")
    untold = list(_core.power_bounds([[(pair, 300)]], RATES, **limits))
    for k, answer in enumerate(untold):
        assert answer.converged
        assert max(told.lower[k], answer.lower) <= min(told.upper[k], answer.upper)


def test_a_thousand_rates_take_no_more_than_some_hundred_deltas():
    """Found by points of the curve, not by a grid, whatever the rates' order."""
    rates = np.random.default_rng(1).permutation(np.logspace(-9, -0.001, 1000))
    pairs = [
        [(RUN.terms[0][0].dominating_pair(way), 300)]
        for way in Adjacency("add-or-remove-one").directions
    ]
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 30, "reverses": pairs[::-1]}
    answers = list(_core.power_bounds(pairs, rates, **limits))
    assert all(answer.converged and answer.interval == 0 for answer in answers)
    upper = np.array([answer.upper for answer in answers])[np.argsort(rates)]
    lower = np.array([answer.lower for answer in answers])[np.argsort(rates)]
    assert np.all(np.maximum.accumulate(lower) <= upper)


@pytest.mark.parametrize("tolerance", [0.3, 1e-6])
def test_any_tolerance_is_met(tolerance):
    bounds = RUN.true_positive_rate_bounds([1e-9, 0.01, 0.7], tolerance=tolerance)
    good = RUN.true_positive_rate_bounds([1e-9, 0.01, 0.7], tolerance=1e-4)
    assert np.all(bounds.gap <= tolerance * np.minimum(bounds.upper, 1 - bounds.lower))
    assert np.all(np.maximum(bounds.lower, good.lower) <= np.minimum(bounds.upper, good.upper))


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWay(hs.Mechanism):
    """A sampled Gaussian whose other direction is known loosely, or not at all."""

    loose: bool

    def dominating_pair(self, direction):
        """See `hs.Mechanism`."""
        if direction is Adjacency.REMOVE_ONE.directions[0]:
            return RUN.terms[0][0].dominating_pair(direction)
        if self.loose:
            return hs.Gaussian(noise_multiplier=0.5).dominating_pair(direction)
        raise ValueError("not known")


@pytest.mark.parametrize("loose", [False, True])
def test_a_direction_is_not_told_a_reverse_that_may_be_none(loose):
    ours = 300 * OneWay(loose=loose)
    for fpr in RATES:
        bounds = ours.true_positive_rate_bounds(fpr, adjacency="remove-one")
        truth = RUN.true_positive_rate_bounds(fpr, adjacency="remove-one")
        assert max(bounds.lower, truth.lower) <= min(bounds.upper, truth.upper)


def test_a_power_next_to_its_rate_is_asked_until_the_points_tell_it():
    """The rate is below the power: the points may narrow where the answer does not yet."""
    run = 100_000 * hs.Gaussian(1.5).poisson_sampled(3e-5)
    before = _core.work.taken()
    found = run.true_positive_rate_bounds(1e-6)
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert _core.work.taken() - before < 1e8  # it took all that a question may, and was refused


def test_rates_of_an_array_are_answered_where_each_is_answered_alone():
    run = 515 * hs.Gaussian(0.5966536735383569).poisson_sampled(9.935762341927607e-06)
    rates = [1e-05, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9]
    found = run.true_positive_rate_bounds(rates)
    for k, rate in enumerate(rates):
        alone = run.true_positive_rate_bounds(rate)
        assert found.lower[k] <= alone.upper
        assert alone.lower <= found.upper[k]


def test_rare_rates_share_their_grids():
    """Neighbours are answered by one transform, as tightly as each alone."""
    rates = np.logspace(-14, -5.1, 40)
    pair = _core.dominating_pair("poisson_laplace_remove", [1.0, 0.01])
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 30}
    together = _core.power_bounds([[(pair, 1000)]], rates, **limits)
    answers = [together[k] for k in range(len(rates))]
    assert len({answer.tilt for answer in answers}) <= 2
    assert all(
        answer.converged and answer.upper - answer.lower <= 1e-3 * answer.upper
        for answer in answers
    )
    for k in (0, 20, 39):
        alone = _core.power_bounds([[(pair, 1000)]], rates[k : k + 1], **limits)[0]
        assert max(alone.lower, answers[k].lower) <= min(alone.upper, answers[k].upper)
