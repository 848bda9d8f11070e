# SPDX-License-Identifier: Apache-2.0
"""Lower estimates: one step's curve is nowhere above the exact one."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import exact
from discretize import curves
from exact.curve import PRECISION

ALL = [*curves.cases(), *curves.wide_cases(), *curves.bounded_cases()]


def check_dominated(case, estimator):
    pmf = case.pmf(estimator)
    curve = case.curve(estimator)
    assert (pmf.infinity_mass, pmf.reverse_infinity_mass) == (0, 0)
    assert min(pmf.mass) >= 0
    assert set(pmf.index) <= set(case.index)
    points = curves.epsilons(case.losses())
    with ctx.workprec(PRECISION):
        assert curve.p_mass() <= 1
        for epsilon in points:
            at = arb(epsilon) + arb(pmf.loss_error)
            assert curve(at) <= curves.exact_delta(case.step, case.direction, epsilon), epsilon


@pytest.mark.parametrize("estimator", curves.LOWER)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_never_above_the_exact_curve(case, estimator):
    check_dominated(case, estimator)


SMOOTH = [
    (exact.Step(1.0), "remove"),
    (exact.Step(1.0, 0.3), "remove"),
    (exact.Step(2.0, 0.2), "replace"),
    (exact.Step(0.8, 0.6), "add"),
    (exact.Step(1.0, 0.01), "remove"),
]
POINTS = np.linspace(-1, 3, 23)


def gap(step, direction, points, estimator):
    case = curves.uniform(step, direction, points)
    return curves.gaps(case, case.curve(estimator), POINTS)


@pytest.mark.parametrize("estimator", curves.LOWER)
@pytest.mark.parametrize(("step", "direction"), SMOOTH[:4])
def test_gap_falls_with_the_square_of_the_interval(step, direction, estimator):
    coarse, fine = (gap(step, direction, points, estimator) for points in (60, 240))
    assert coarse < 0.05
    assert coarse / 60 < fine < coarse / 8


@pytest.mark.parametrize(("step", "direction"), SMOOTH)
def test_algorithm_2_is_the_loosest(step, direction):
    by = {estimator: gap(step, direction, 120, estimator) for estimator in curves.LOWER}
    print(step, direction, by, gap(step, direction, 120, "upper"))
    assert by["midpoint"] < by["algorithm_2"]
    assert by["balanced"] < 1.1 * by["midpoint"]


steps = st.builds(
    exact.Step,
    st.floats(-1.0, 2.0).map(lambda exponent: 10.0**exponent),
    st.one_of(st.floats(-9.0, -0.01).map(lambda exponent: 10.0**exponent), st.floats(0.9, 1 - 2**-53)),
)


@given(
    steps,
    st.sampled_from(["remove", "add", "replace"]),
    st.sampled_from(curves.LOWER),
    st.integers(2, 30),
    st.floats(0.2, 20.0),
    st.floats(-1.0, 1.0),
    st.integers(0, 2**32),
)
def test_random_supports(step, direction, estimator, points, reach, offset, seed):
    base = curves.uniform(step, direction, points, reach)
    case = curves.subset(base, np.random.default_rng(seed), 0.6, offset)
    check_dominated(case, estimator)
