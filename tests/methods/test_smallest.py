# SPDX-License-Identifier: Apache-2.0
"""Probabilities below the smallest of interest are answers, and take little work."""

from itertools import product

import numpy as np
import pytest

import hockeystick as hs
from rare_runs import sampled

SMALLEST = 1e-30
SWEEP = [
    (noise, rate, count, epsilon)
    for noise, rate, count, epsilon in product(
        (1.0, 1.145291027054148),
        (1e-3, 1e-4, 2.413942934386617e-05, 1e-6),
        (100, 504, 5000),
        (1.0, 2.6956139770850207, 4.0, 6.0),
    )
]


@pytest.mark.parametrize(("noise", "rate", "count", "epsilon"), SWEEP)
def test_a_delta_of_rare_samples_below_the_smallest_is_an_answer(noise, rate, count, epsilon):
    """Of 96 such questions 47 were refused, 38 of them about a smaller delta."""
    one, run = sampled(noise, rate), count * sampled(noise, rate)
    least = one.delta_bounds(epsilon).lower  # of more steps delta is no less
    try:
        found = run.delta_bounds(epsilon)
    except hs.CertificationError as error:
        found = error.bounds
        assert count * least > 0.5 * SMALLEST
    assert 0 <= found.lower <= found.upper
    assert found.upper >= least
    is_tight = found.upper - found.lower <= 1e-3 * found.upper
    assert is_tight or found.upper <= SMALLEST or count * least > 0.5 * SMALLEST


@pytest.mark.parametrize(
    ("run", "epsilon"),
    [
        *((504 * sampled(1.0, rate), e) for rate in (2.41e-5, 1e-6) for e in (2.7, 6.0)),
        (451 * sampled(2.8379199249017155, 7.072282191780293e-05), 1.0),  # a contour takes 70 ms
    ],
)
def test_little_is_spent_below_the_smallest(run, epsilon):
    for rows in run.explain(epsilon=epsilon).directions:
        tried = [row for row in rows if row.attempts]
        assert sum(row.forecast_seconds for row in tried) < 6e-3


def test_a_smaller_one_asks_for_more():
    run = 504 * sampled(1.145291027054148, 2.413942934386617e-05)
    assert run.delta_bounds(2.6956139770850207).upper <= SMALLEST
    for smallest in (0, 1e-60):
        found = run.delta_bounds(2.6956139770850207, smallest=smallest)
        assert 0 < found.upper - found.lower <= 1e-3 * found.upper


def test_what_is_within_reach_is_met():
    """A closed form, a contour, and one step: far below the smallest, at the tolerance."""
    for run in (
        hs.Gaussian(noise_multiplier=1.0),
        3 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.5),
        sampled(1.0, 1e-4),
    ):
        epsilon = next(e for e in range(5, 500) if run.delta(float(e)) < 1e-50)
        found = run.delta_bounds(float(epsilon))
        assert 0 < found.upper - found.lower <= 1e-3 * found.upper


def test_deltas_of_an_array_are_answers():
    run = 504 * sampled(1.145291027054148, 2.413942934386617e-05)
    found = run.delta_bounds(np.linspace(2.7, 8, 9))
    assert np.all((found.upper <= SMALLEST) & (found.lower <= found.upper))


def test_an_answer_below_it_is_known_where_doubles_end():
    """Bounds next to the smallest double fail there; one below the floor is had as cheaply."""
    run = 3 * hs.ApproximateDP(1.4285767437037373, 0.0) + 3 * hs.Gaussian(8.309347892864272)
    for epsilon in (11.5, 12.0, 12.2, 12.3, 12.31, 12.4, 13.0):
        assert run.delta_bounds(epsilon, smallest=5e-4).upper <= 5e-4
        assert run.delta_bounds(epsilon).upper <= SMALLEST
    for prior in (4.5e-6, 4.4e-6, 3e-6, 1e-7):
        risk = run.bayes_risk_bounds(prior)
        assert 0.999 * prior <= risk.lower <= risk.upper <= prior


def test_views_take_it():
    run = 504 * sampled(1.145291027054148, 2.413942934386617e-05)
    assert run.probabilistic_delta_bounds(2.7).upper <= SMALLEST
    assert run.true_positive_rate_bounds(1e-40).upper <= SMALLEST
    assert run.tradeoff_bounds(1e-40).lower >= 1 - 1e-15
    assert run.delta(2.7, smallest=1e-20) <= 1e-20


def test_sides_of_an_enclosed_run_take_it():
    run = 3 * hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=1000)
    assert run.delta_bounds(60.0).upper <= SMALLEST


def test_an_accountant_takes_it():
    acct = hs.Accountant().compose(sampled(1.0, 1e-6), count=5000)
    assert acct.delta(6.0) <= SMALLEST
    assert acct.delta_bounds(6.0, smallest=1e-40).upper <= 1e-40
