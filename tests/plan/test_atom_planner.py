# SPDX-License-Identifier: Apache-2.0
"""Where contours of atoms are planned to run."""

import math

import pytest

import hockeystick as hs
from hockeystick import Adjacency, _core
from plan.plans import terms

# sigma, q, count, delta: many steps; one big jump; a big jump among many steps; few steps
QUESTIONS = [
    (2.0, 0.01, 10_000, 1e-6),
    (0.5244, 2.506e-6, 1_236_837, 4.3e-12),
    (0.4433, 1.497e-6, 2169, 5.55e-10),
    (0.6765, 3.34e-6, 8, 2.9e-9),
]


def plan(question, *, wants_epsilon=True, at=None):
    sigma, q, count, delta = question
    step = hs.DiscreteGaussian(sigma=sigma).poisson_sampled(q)
    return count * step, _core.plan.atom_plan(
        terms(step, count), wants_epsilon=wants_epsilon, at=at or delta, tolerance=1e-3
    )


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_epsilon_is_forecast_within_a_factor_and_below_the_top(question):
    run, (answerable, epsilon, _, top, cut) = plan(question)
    lower, upper = run.epsilon_bounds(question[3], adjacency=Adjacency.ADD_OR_REMOVE_ONE)
    assert answerable
    assert 0.4 * lower < epsilon < 40 * upper
    assert epsilon < top
    assert 0 < cut < 1e-3 * question[3]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_delta_is_forecast_too(question):
    run, _ = plan(question)
    _, epsilon = run.epsilon_bounds(question[3], adjacency=Adjacency.ADD_OR_REMOVE_ONE)
    _, (answerable, at, log_delta, top, _) = plan(question, wants_epsilon=False, at=epsilon)
    assert answerable
    assert at == epsilon < top
    assert math.log(question[3]) - 12 < log_delta < math.log(question[3]) + 6


def test_an_epsilon_of_0_is_no_obstacle():
    _, (answerable, epsilon, log_delta, _, _) = plan((4.69, 6.72e-6, 3944, 4.4e-5))
    assert answerable
    assert epsilon == 0
    assert log_delta < math.log(4.4e-5)
