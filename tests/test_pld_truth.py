# SPDX-License-Identifier: Apache-2.0
"""Explicit distributions: on their side of the truth, and composed as they should be."""

import pytest
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import exact
import hockeystick as hs
import questions
from exact.curve import Curve
from hockeystick.verify.errors import NotKnownError

EPSILONS = (0.0, 0.3, 1.0, 2.5, 7.0)
ESTIMATES = (
    ("upper", "connect_dots"),
    ("lower", "connect_dots"),
    ("lower", "algorithm_2"),
    ("upper", "privacy_buckets"),
    ("lower", "privacy_buckets"),
)
DIRECTIONS = ("remove", "add", "replace")


def pld(run, direction, interval, side, estimator="connect_dots", support=None):
    return questions.composition(run).pld(
        discretization_interval=interval,
        side=side,
        estimator=estimator,
        support=support,
        adjacency=questions.ADJACENCY[direction],
    )


FEWER = settings(max_examples=settings().max_examples // 5)


def is_on_its_side(answer, truth, side):
    return arb(answer) >= truth.upper() if side == "upper" else arb(answer) <= truth.lower()


steps = st.builds(
    exact.Step,
    st.floats(0.7, 10.0),
    st.one_of(st.just(1.0), st.floats(0.01, 1.0), st.just(1 - 2**-53)),
)


@FEWER
@given(
    steps,
    st.sampled_from([1, 10, 100]),
    st.sampled_from([0.5, 0.1, 2e-2]),
    st.sets(st.integers(-40, 60), min_size=2),
    st.sampled_from(ESTIMATES),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(EPSILONS),
)
def test_any_support_is_on_its_side(step, count, interval, index, estimate, direction, epsilon):
    run, support = ((step, count),), [interval * k for k in sorted(index)]
    try:
        truth = exact.delta(run, epsilon, direction, 10)
    except NotKnownError:
        assume(False)
    answer = pld(run, direction, interval, *estimate, support=support).delta(epsilon)
    assert is_on_its_side(answer, truth, estimate[0])


@pytest.mark.every(3)
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


def shown(distribution):
    """The curve of exactly the doubles that are shown."""
    interval = distribution.discretization_interval
    first = round(float(distribution.losses[0]) / interval)
    index = range(first, first + len(distribution.losses))
    masses = distribution.probabilities
    return Curve.on_grid((0.0, interval), index, masses, distribution.infinity_mass)


@FEWER
@given(steps, st.integers(1, 1000), st.sampled_from(ESTIMATES), st.sampled_from(DIRECTIONS))
def test_queries_are_those_of_the_masses(step, count, estimate, direction):
    """delta() is E[(1 - e^(epsilon - L))_+] over the doubles shown, moved outward by the slack."""
    distribution = pld(((step, count),), direction, 0.1, *estimate)
    outward, curve = 1 if estimate[0] == "upper" else -1, shown(distribution)
    for epsilon in EPSILONS:
        truth = curve(arb(epsilon)).min(arb(1))
        answer = arb(distribution.delta(epsilon))
        assert not outward * (answer - truth) < 0
        assert abs(answer - truth) <= 2 * arb(distribution.slack) + truth * (
            distribution.loss_error + 1e-9
        )


@pytest.mark.parametrize("noise", [0.05, 1.0])
@pytest.mark.parametrize("interval", [100.0, 500.0])
def test_the_coarsest_grids_bound(noise, interval):
    """Half the mass of the small noise lies in the middle of a cell of 500 nats."""
    run = hs.Gaussian(noise_multiplier=noise)
    upper, lower = (run.pld(discretization_interval=interval, side=s) for s in ("upper", "lower"))
    for epsilon in (0.0, 1.0, 0.9 * interval, 1.5 * interval):
        truth = run.delta_bounds(epsilon)
        assert lower.delta(epsilon) <= truth.upper
        assert upper.delta(epsilon) >= truth.lower
