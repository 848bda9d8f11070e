# SPDX-License-Identifier: Apache-2.0
"""Bounds are a pair with a budget."""

import math
import pickle
import random
from decimal import Decimal

import numpy as np
import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=2.0)


def test_bounds_unpack_into_two():
    bounds = STEP.epsilon_bounds(delta=1e-5)
    lower, upper = bounds
    assert (lower, upper) == (bounds.lower, bounds.upper)
    assert bounds.gap == upper - lower
    assert lower <= bounds.estimate <= upper


def test_budget_of_a_scalar():
    budget = STEP.epsilon_bounds(delta=1e-5).error_budget
    assert budget._fields == ("discretization", "truncation", "wraparound", "rounding")
    assert all(type(entry) is float and entry >= 0 for entry in budget)
    assert budget.total == pytest.approx(sum(budget), rel=1e-15)


def test_budget_of_an_array_has_its_shape():
    bounds = STEP.delta_bounds(epsilon=np.array([[0.5, 1.0]]))
    assert all(entry.shape == (1, 2) for entry in bounds.error_budget)
    assert bounds.gap.shape == (1, 2)
    assert np.all(bounds.error_budget.total >= 0)


def test_estimate_does_not_overflow():
    assert hs.Bounds(1e308, 1.5e308).estimate == 1.25e308


def test_pickle_keeps_the_budget():
    bounds = STEP.epsilon_bounds(delta=1e-5)
    copy = pickle.loads(pickle.dumps(bounds))  # noqa: S301
    assert copy == bounds
    assert copy.error_budget == bounds.error_budget


def test_bounds_explain_the_question_that_they_answer():
    run = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    bounds = run.epsilon_bounds(1e-5, adjacency="add-one")
    assert (
        str(bounds.explain()).split()[0:3]
        == str(run.explain(delta=1e-5, adjacency="add-one")).split()[0:3]
    )
    assert "contour_integral" in str(run.delta_bounds(1.0).explain())
    with pytest.raises(TypeError, match="explain is for"):
        hs.Bounds(0.0, 1.0).explain()


@pytest.mark.parametrize("spec", [".0f", ".3f", ".12f", ".2e", "12.4g", ".17g"])
def test_formats_round_outward(spec):
    draw = random.Random(20)
    for _ in range(200):
        lower = draw.uniform(0, 10) * 10.0 ** draw.randint(-320, 300)
        bounds = hs.Bounds(lower, lower * draw.choice([1, 1 + 2**-52, 1.5]))
        low, high = format(bounds, spec).strip("[]").split(", ")
        assert Decimal(low.strip()) <= Decimal(bounds.lower)
        assert Decimal(high.strip()) >= Decimal(bounds.upper)
        rounded = round(bounds, 5)
        assert rounded.lower <= bounds.lower <= bounds.upper <= rounded.upper


def test_formats_of_what_is_no_number_of_digits():
    assert f"{hs.Bounds(0.0, math.inf):.3f}" == "[0.000, inf]"
    assert f"{hs.Bounds(0.0, 1.0)}" == str(hs.Bounds(0.0, 1.0))
    for spec in ("d", "s", "3", ".3x", "<9.3f"):
        with pytest.raises(ValueError, match="^format must be as '.3f'"):
            format(hs.Bounds(0.0, 1.0), spec)
    with pytest.raises(ValueError, match="^bounds must be two numbers to be formatted"):
        f"{hs.Bounds(np.zeros(2), np.ones(2)):.3f}"
    with pytest.raises(ValueError, match=r"^ndigits must be a whole number"):
        round(hs.Bounds(0.0, 1.0), -1)
