# SPDX-License-Identifier: Apache-2.0
"""True positive rates from deltas: alone and in arrays, against those of verify."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency, _core
from questions import seconds

RUN = 300 * hs.Gaussian(noise_multiplier=0.9).poisson_sampled(0.02)
RATES = [1e-12, 1e-6, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-6]


@cache
def known(fpr, adjacency):
    return hs.verify(RUN, false_positive_rate=fpr, adjacency=adjacency, digits=9, fast=False)


def hold(lower, upper, adjacency, rates=RATES):
    """Whether bounds enclose the true powers."""
    for fpr, low, high in zip(rates, lower, upper, strict=True):
        assert low <= known(fpr, adjacency).upper
        assert known(fpr, adjacency).lower <= high


@pytest.mark.parametrize("adjacency", ["add-one", "remove-one", "add-or-remove-one"])
def test_rates_asked_together_or_alone_have_their_powers(adjacency):
    many = [10**-k for k in range(1, 12)] + [k / 40 for k in range(1, 40)]
    together = RUN.true_positive_rate_bounds(RATES + many, adjacency=adjacency)
    hold(together.lower[: len(RATES)], together.upper[: len(RATES)], adjacency)
    for fpr in RATES:
        alone = RUN.true_positive_rate_bounds(fpr, adjacency=adjacency)
        hold([alone.lower], [alone.upper], adjacency, [fpr])
        assert alone.gap <= 1e-3 * min(alone.upper, max(1 - alone.lower, 1e-6))


def test_rates_at_negative_losses_take_the_reverse_that_pairs_know():
    pair = RUN.terms[0][0].dominating_pair(Adjacency.REMOVE_ONE.directions[0])
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 30}
    answers = list(_core.power_bounds([[(pair, 300)]], RATES, **limits))
    assert all(answer.converged for answer in answers)
    hold([each.lower for each in answers], [each.upper for each in answers], "remove-one")


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
    bounds = RUN.true_positive_rate_bounds(RATES[1:6], tolerance=tolerance)
    assert np.all(bounds.gap <= tolerance * np.minimum(bounds.upper, 1 - bounds.lower))
    hold(bounds.lower, bounds.upper, "add-or-remove-one", RATES[1:6])


def test_fine_powers_of_many_terms_take_few_saddles():
    """As each sums over all terms: with a saddle for each point they take four times as long."""
    run = sum(
        (100 * hs.Gaussian(noise).poisson_sampled(0.01) for noise in np.linspace(2, 8, 200)),
        hs.Composition(),
    )
    rates = np.logspace(-12, -1e-6, 200)
    asked = seconds(lambda: run.true_positive_rate_bounds(rates, tolerance=1e-6))
    assert asked < 60 * seconds(lambda: run.epsilon_bounds(rates))


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
    answers = [ours.true_positive_rate_bounds(fpr, adjacency="remove-one") for fpr in RATES]
    hold([each.lower for each in answers], [each.upper for each in answers], "remove-one")


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
    assert np.all(run.true_positive_rate_bounds(rates).gap > 0)  # and no refusal


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
