# SPDX-License-Identifier: Apache-2.0
"""Optimal composition against the exact binomial sum."""

import math

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from exact.responses import Responses
from hockeystick.baselines import optimal_composition_delta, optimal_composition_epsilon

ACCURACY = 1.01e-5
SMALLEST = 1e-300

steps = st.floats(-4, 1.5).map(lambda x: 10**x)
counts = st.sampled_from([1, 2, 3, 10, 101, 1000, 3000])
reveals = st.sampled_from([0.0, 1e-300, 1e-10, 1e-3])


def near(value, truth, accuracy=ACCURACY):
    return bool(abs(arb(value) - truth) <= accuracy * truth)


def typical(step, count, deviations):
    """A target that many standard deviations above the mean loss, within [0, 1e4] nats."""
    target = count * step * math.tanh(step / 2) + deviations * step * math.sqrt(count)
    return min(max(target, 0.0), 1e4)


@given(steps, counts, reveals, st.floats(-4, 40))
def test_delta(step, count, reveal, deviations):
    target = typical(step, count, deviations)
    truth = Responses(step, reveal, count).curve(target)
    got = optimal_composition_delta(epsilon=step, delta=reveal, count=count, target_epsilon=target)
    assert near(got, truth) or (truth < SMALLEST and got <= 2 * SMALLEST)


@pytest.mark.every(3)
@pytest.mark.parametrize("count", [10**6, 10**9])
@pytest.mark.parametrize("deviations", [-3, 0, 5, 36])
def test_delta_of_many(count, deviations):
    step = 2 / math.sqrt(count)
    target = typical(step, count, deviations)
    got = optimal_composition_delta(epsilon=step, count=count, target_epsilon=target)
    if count == 10**6 or deviations > 0:  # the sum of the oracle is short enough
        truth = Responses(step, 0.0, count).curve(target)
        assert truth > SMALLEST
        assert near(got, truth)


@pytest.mark.parametrize("count", [1, 4, 5, 1000])
@pytest.mark.parametrize("step", [1.0, 0.1])
@pytest.mark.parametrize("offset", [-1e-12, -1e-15, 0.0, 1e-15, 1e-12])
def test_delta_next_to_the_losses(count, step, offset):
    """Where the sum hangs on the difference of target and loss, which may not be a double."""
    for loss in {count % 2, max(count - 2, 0), count}:
        target = loss * step * (1 + offset)
        truth = Responses(step, 0.0, count).curve(target)
        got = optimal_composition_delta(epsilon=step, count=count, target_epsilon=target)
        assert near(got, truth)


@given(steps, counts, reveals, st.floats(-4, 37), st.floats(0, 1))
def test_epsilon(step, count, reveal, deviations, share):
    """The exact curve crosses the target within the error that is promised."""
    exact = Responses(step, reveal, count)
    curve = exact.curve(typical(step, count, deviations))
    shown = exact.curve(count * step)
    target = float((shown + (curve - shown) * (share + 1) / 2).mid())
    if not (2 * shown < target < 1 and target > SMALLEST):
        return
    got = optimal_composition_epsilon(epsilon=step, delta=reveal, count=count, target_delta=target)
    error = ACCURACY * max(got, step)
    assert exact.curve(got + error) <= target
    assert got == 0 or exact.curve(max(got - error, 0.0)) >= target * (1 - 1e-15)


def test_all_is_revealed():
    told = {"epsilon": 1.0, "delta": 1.0}
    assert optimal_composition_delta(**told, count=1, target_epsilon=5.0) == 1
    assert optimal_composition_delta(**told, count=0, target_epsilon=5.0) == 0
    assert optimal_composition_epsilon(**told, count=3, target_delta=0.99) == math.inf
    assert optimal_composition_epsilon(**told, count=0, target_delta=0.99) == 0


def test_what_is_revealed_cannot_be_bought_back():
    given_up = {"epsilon": 0.1, "delta": 1e-3, "count": 100}
    revealed = -math.expm1(100 * math.log1p(-1e-3))
    beyond = optimal_composition_delta(**given_up, target_epsilon=11.0)
    assert beyond == pytest.approx(revealed, rel=1e-14)
    assert optimal_composition_epsilon(**given_up, target_delta=revealed / 2) == math.inf
    assert optimal_composition_epsilon(**given_up, target_delta=revealed * 1.001) < 10.0
    assert (
        optimal_composition_epsilon(epsilon=0.1, delta=0.5, count=10**6, target_delta=0.9)
        == math.inf
    )


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("step", "count"), [(0.0, 5), (1.0, 0), (0.0, 0), (5e-324, 10**9), (1e4, 1), (1e4, 10**9)]
)
@pytest.mark.parametrize("target", [0.0, 1e4])
def test_corners(step, count, target):
    got = optimal_composition_delta(epsilon=step, count=count, target_epsilon=target)
    spent = step * count > max(target, 1e-300)
    assert abs(got - (1 if spent else 0)) <= SMALLEST
    least = optimal_composition_epsilon(epsilon=step, count=count, target_delta=5e-324)
    assert least <= step * count * (1 + 1e-8)
