# SPDX-License-Identifier: Apache-2.0
"""Transforms of earlier questions: kept within limits, and without a trace in any answer."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core

STEP = hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.01)
RUNS = {
    "sampled Laplace": 300 * STEP,
    "discrete": 40 * hs.DiscreteGaussian(sigma=5.0, sensitivity=1),
    "atoms and a leak": 30 * hs.ApproximateDP(epsilon=0.2, delta=1e-9) + 20 * STEP,
}
DELTAS = [10**-x for x in (3, 4.1, 5, 5.4, 5.8, 6.2, 8, 12, 20, 50)]
EPSILONS = [0.0, 0.1, 0.3, 0.33, 0.36, 0.5, 1.0, 2.0]


@pytest.fixture(autouse=True)
def fresh():
    _core.forget_transforms()


def answers(run: hs.Composition) -> list[hs.Bounds[float]]:
    bounds = [run.epsilon_bounds(delta) for delta in DELTAS]
    return bounds + [run.delta_bounds(epsilon) for epsilon in EPSILONS]


def fresh_answers(run: hs.Composition) -> list[hs.Bounds[float]]:
    found = []
    for ask, values in ((run.epsilon_bounds, DELTAS), (run.delta_bounds, EPSILONS)):
        for value in values:
            _core.forget_transforms()
            found.append(ask(value))
    return found


@pytest.mark.parametrize("name", RUNS)
def test_answers_do_not_depend_on_what_was_asked_before(name):
    run = RUNS[name]
    alone = fresh_answers(run)
    together = answers(run)
    again = answers(run)
    assert [tuple(x) for x in alone] == [tuple(x) for x in together] == [tuple(x) for x in again]
    budgets = [[x.error_budget for x in one] for one in (alone, together, again)]
    assert budgets[0] == budgets[1] == budgets[2]


def test_equal_questions_need_no_second_transform():
    run = RUNS["sampled Laplace"]
    first = run.epsilon_bounds(1e-5)
    kept = _core.parts.kept_transforms()
    assert kept[0] >= 1
    assert run.epsilon_bounds(1e-5) == first
    assert _core.parts.kept_transforms() == kept
    run.epsilon_bounds(1e-9)
    assert _core.parts.kept_transforms()[0] > kept[0]


def test_transforms_are_kept_within_limits():
    for k in range(100):
        (100 * hs.Laplace(noise_multiplier=1 + k / 100).poisson_sampled(0.3)).epsilon_bounds(1e-5)
        count, size = _core.parts.kept_transforms()
        assert count <= 64
        assert size <= 2**25
    assert count == 64


def test_transforms_of_pairs_that_are_gone_are_dropped():
    for noise in (1.0, 2.0, 3.0):
        pair = _core.dominating_pair("poisson_laplace_remove", [noise, 0.3])
        _core.epsilon_bounds([[(pair, 100)]], [1e-5], tolerance=1e-3, memory_limit=2**26)
        assert (
            _core.parts.kept_transforms()[0] == 1
        )  # that of the noise before is gone, with its pair
        del pair
        gc.collect()


def test_threads_agree():
    run = RUNS["sampled Laplace"]
    alone = [tuple(x) for x in fresh_answers(run)]
    _core.forget_transforms()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(answers, [run] * 8):
            assert [tuple(x) for x in found] == alone


def test_what_memory_allows_does_not_depend_on_what_is_kept():
    """Whoever finds a transform is charged as who makes it, also where there is hardly room."""
    run = 10 * hs.Laplace(noise_multiplier=3.0).poisson_sampled(0.1)
    directions = run._directions(hs.Adjacency.ADD_OR_REMOVE_ONE)

    def ask(memory_limit):
        answers = _core.epsilon_bounds(
            directions, np.array([1e-6]), tolerance=1e-6, memory_limit=memory_limit
        )
        return answers.table()

    limits = [round(2 ** (k / 4)) for k in range(52, 84)]
    alone = []
    for limit in limits:
        _core.forget_transforms()
        alone.append(ask(limit))
    for limit in limits[::-1]:
        ask(limit)
    for limit, before in zip(limits, alone, strict=True):
        np.testing.assert_array_equal(ask(limit), before)
