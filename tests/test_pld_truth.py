# SPDX-License-Identifier: Apache-2.0
"""Explicit distributions: on their side of the truth, and composed as they should be."""

from __future__ import annotations

import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st

import exact
import questions
from exact.contour import NotConvergedError
from exact.finite import FinitePld

EPSILONS = (0.0, 0.3, 1.0, 2.5, 7.0)
ESTIMATES = (("upper", "connect_dots"), ("lower", "connect_dots"), ("lower", "algorithm_2"))
DIRECTIONS = ("remove", "add", "replace")


def pld(run, direction, interval, side, estimator="connect_dots"):
    return questions.composition(run).pld(
        discretization_interval=interval,
        side=side,
        estimator=estimator,
        adjacency=questions.ADJACENCY[direction],
    )


def is_on_its_side(answer, truth, side):
    return arb(answer) >= truth if side == "upper" else arb(answer) <= truth


steps = st.builds(
    exact.Step,
    st.floats(0.7, 10.0),
    st.one_of(st.just(1.0), st.floats(0.01, 1.0), st.just(1 - 2**-53)),
)


@given(
    steps,
    st.sampled_from([1, 10, 100, 1000]),
    st.sampled_from([1.0, 0.1, 1e-2]),
    st.sampled_from(ESTIMATES),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(EPSILONS),
)
def test_every_estimate_is_on_its_side(step, count, interval, estimate, direction, epsilon):
    run = ((step, count),)
    try:
        truth = exact.delta(run, epsilon, direction, 10)
    except NotConvergedError:
        assume(False)  # noqa: FBT003
    answer = pld(run, direction, interval, *estimate).delta(epsilon)
    assert is_on_its_side(answer, truth, estimate[0])


@pytest.mark.parametrize("direction", ["add_remove", *DIRECTIONS])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
def test_both_sides_close_in_on_the_truth(direction, epsilon):
    """The gap falls with the square of the interval."""
    run = ((exact.Step(1.0, 0.05), 200),)
    truth = exact.delta(run, epsilon, direction)
    gaps = []
    for interval in (1e-2, 1e-3):
        lower, upper = (
            pld(run, direction, interval, side).delta(epsilon) for side in ("lower", "upper")
        )
        assert arb(lower) <= truth <= arb(upper)
        gaps.append((upper - lower) / float(truth.mid()))
    assert gaps[0] < 0.5
    assert gaps[1] < gaps[0] / 30


def finite(distribution):
    return FinitePld.of_doubles(
        distribution.losses,
        distribution.probabilities,
        distribution.infinity_mass,
        distribution.discretization_interval,
    )


@given(
    steps,
    st.integers(2, 6),
    st.sampled_from([0.5, 0.25]),
    st.sampled_from(ESTIMATES),
    st.sampled_from(DIRECTIONS),
)
def test_composition_is_the_direct_sum(step, count, interval, estimate, direction):
    """The n-fold distribution against the 1-step one, convolved directly in ball arithmetic."""
    once = pld(((step, 1),), direction, interval, *estimate)
    assume(once.losses.size <= 80)
    direct = finite(once).composed(count)
    composed = pld(((step, count),), direction, interval, *estimate)
    for epsilon in EPSILONS:
        expected = float(direct.delta(epsilon).mid())
        slack = composed.error_budget.slack + count * once.error_budget.slack
        assert composed.delta(epsilon) == pytest.approx(expected, rel=1e-9, abs=2 * slack)
    assert composed.error_budget.slack < 1e-12
