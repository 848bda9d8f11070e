# SPDX-License-Identifier: Apache-2.0
"""Bounds are a pair with a budget."""

import math
import random
from decimal import Decimal

import pytest

import hockeystick as hs


def test_estimate_does_not_overflow():
    assert hs.Bounds(1e308, 1.5e308).estimate == 1.25e308


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
    assert f"{hs.Bounds(0.0, math.inf):.3f}" == "[0.000, inf]"
    assert f"{hs.Bounds(0.0, 1.0)}" == str(hs.Bounds(0.0, 1.0))
