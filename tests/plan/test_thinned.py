# SPDX-License-Identifier: Apache-2.0
"""Runs of very many distinct steps are planned by a few of them, and composed of all."""

import random

import pytest

from hockeystick import _core


def answer(steps, count=1, method=""):
    terms = [(_core.dominating_pair("poisson_gaussian_remove", step), count) for step in steps]
    (found,) = _core.epsilon_bounds(
        [terms], [1e-6], tolerance=1e-3, memory_limit=1 << 30, method=method
    )
    return found


@pytest.mark.parametrize("number", [128, 129, 1000])
def test_alike_steps_cost_as_much_as_equal_ones_between_which_they_lie(number):
    found = answer([(1 + 1e-3 * k / number, 0.02) for k in range(number)])
    assert (found.method, found.passes) == ("contour_integral", 1)
    dearest, cheapest = answer([(1.0, 0.02)], number), answer([(1.001, 0.02)], number)
    assert cheapest.lower <= found.upper
    assert found.lower <= dearest.upper


def test_steps_of_all_kinds_are_planned_at_once():
    rng = random.Random(5)
    steps = [(10 ** rng.uniform(-0.2, 1), 10 ** rng.uniform(-3, -1)) for _ in range(600)]
    found = answer(steps)
    assert (found.method, found.passes, found.converged) == ("contour_integral", 1, True)
    assert answer(steps[:400]).lower <= found.upper


def test_a_dear_step_among_many_cheap_ones_is_counted():
    cheap = [(2 + 1e-3 * k, 0.01) for k in range(300)]
    dear = (0.5, 0.1)
    with_it, alone = answer([*cheap, dear]), answer([dear], method="single_step")
    assert with_it.converged
    assert with_it.upper >= alone.lower > answer(cheap).upper


@pytest.mark.parametrize("number", [1000, 2000, 10_000])
def test_steps_drawn_at_random_are_planned_at_once(number):
    """The few whose large losses weigh most beyond the saddle point stand for themselves."""
    rng = random.Random(1)
    steps = [(rng.uniform(0.8, 2), rng.uniform(0.001, 0.02)) for _ in range(number)]
    found = answer(steps)
    assert (found.method, found.passes, found.converged) == ("contour_integral", 1, True)
