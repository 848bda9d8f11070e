# SPDX-License-Identifier: Apache-2.0
"""Composition theorems: their formulas in many digits, and that they bound the truth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick.baselines import (
    advanced_composition,
    basic_composition,
    optimal_composition_epsilon,
    simplified_optimal_composition,
)

epsilons = st.floats(-8, 2).map(lambda x: 10**x)
deltas = st.one_of(st.just(0.0), st.floats(-300, -2).map(lambda x: 10**x))
counts = st.integers(1, 10**6)
slacks = st.floats(-300, -0.01).map(lambda x: 10**x)


@given(epsilons, deltas, counts)
def test_basic(epsilon, delta, count):
    total = basic_composition(epsilon=epsilon, delta=delta, count=count)
    assert total.epsilon == pytest.approx(count * epsilon, rel=1e-15)
    assert total.delta == pytest.approx(min(count * delta, 1), rel=1e-15)


@given(epsilons, deltas, counts, slacks)
def test_advanced(epsilon, delta, count, slack):
    total = advanced_composition(epsilon=epsilon, delta=delta, count=count, delta_slack=slack)
    with mp.workdps(40):
        e, n = mpf(epsilon), mpf(count)
        expected = e * mp.sqrt(2 * n * mp.log(1 / mpf(slack))) + n * e * mp.expm1(e)
        assert total.epsilon == pytest.approx(float(expected), rel=1e-14)
        assert total.delta == pytest.approx(min(float(n * mpf(delta) + mpf(slack)), 1), rel=1e-14)


@given(epsilons, deltas, counts, slacks)
def test_simplified_optimal(epsilon, delta, count, slack):
    total = simplified_optimal_composition(
        epsilon=epsilon, delta=delta, count=count, delta_slack=slack
    )
    with mp.workdps(400):
        e, n, d = mpf(epsilon), mpf(count), mpf(slack)
        mean = (mp.exp(e) - 1) / (mp.exp(e) + 1) * n * e
        expected = min(
            n * e,
            mean + e * mp.sqrt(2 * n * mp.log(mp.e + mp.sqrt(n * e * e) / d)),
            mean + e * mp.sqrt(2 * n * mp.log(1 / d)),
        )
        failure = 1 - (1 - mpf(delta)) ** count * (1 - d)
        assert total.epsilon == pytest.approx(float(expected), rel=1e-12)
        assert total.delta == pytest.approx(float(failure), rel=1e-12)


@given(epsilons, deltas, st.integers(1, 2000), st.floats(-12, -1).map(lambda x: 10**x))
def test_each_is_at_most_the_one_before(epsilon, delta, count, slack):
    step = {"epsilon": epsilon, "delta": delta, "count": count}
    basic = basic_composition(**step)
    advanced = advanced_composition(**step, delta_slack=slack)
    simplified = simplified_optimal_composition(**step, delta_slack=slack)
    if simplified.delta < 1:
        best = optimal_composition_epsilon(**step, target_delta=simplified.delta)
        assert best <= simplified.epsilon * (1 + 1e-9)
    assert simplified.epsilon <= min(basic.epsilon, advanced.epsilon) * (1 + 1e-15)
    assert simplified.delta <= advanced.delta * (1 + 1e-15)


@pytest.mark.parametrize(("noise_multiplier", "count"), [(1.0, 10), (20.0, 1000)])
def test_bounds_on_gaussians(noise_multiplier, count):
    """From one step's certified guarantee to a bound on all of them."""
    step = hs.Gaussian(noise_multiplier=noise_multiplier)
    one = {"epsilon": step.epsilon(1e-9), "delta": 1e-9, "count": count}
    totals = [
        basic_composition(**one),
        advanced_composition(**one, delta_slack=1e-6),
        simplified_optimal_composition(**one, delta_slack=1e-6),
    ]
    best = optimal_composition_epsilon(**one, target_delta=1e-6 + count * 1e-9)
    assert best >= (count * step).epsilon_bounds(1e-6 + count * 1e-9).lower
    for total in totals:
        assert total.epsilon >= (count * step).epsilon_bounds(total.delta).lower


def test_corners():
    assert basic_composition(epsilon=1e4, delta=0.5, count=10**9) == (1e13, 1.0)
    assert advanced_composition(epsilon=1e4, count=0, delta_slack=0.1) == (0, 0.1)
    assert advanced_composition(epsilon=1e4, count=1, delta_slack=0.1) == (math.inf, 0.1)
    assert advanced_composition(epsilon=0, count=9, delta=0.2, delta_slack=0.1) == (0, 1)
    told = simplified_optimal_composition(epsilon=1, count=2, delta=1, delta_slack=0.1)
    assert told.delta == 1
    free = simplified_optimal_composition(epsilon=0, count=9, delta_slack=5e-324)
    assert free == (0, 5e-324)
    most = simplified_optimal_composition(epsilon=1e4, count=10**9, delta_slack=5e-324)
    assert most.epsilon == 1e13
