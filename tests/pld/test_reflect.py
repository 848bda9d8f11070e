# SPDX-License-Identifier: Apache-2.0
"""Reflection: a distribution of (P, Q), turned round, bounds (Q, P)."""

import itertools
import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.curve import PRECISION
from exact.pair import Pair
from hockeystick import _core
from hockeystick.adjacency import Direction
from pld import runs, stored
from pld.runs import Run

REVERSE = {"remove": "add", "add": "remove", "replace": "replace"}
EPSILONS = (0.0, 0.01, 0.1, 0.3, 1.0, 2.0)
RUNS = [
    Run(exact.Step(1.0, 0.1), 200, "remove", 0.05),
    Run(exact.Step(1.0, 0.1), 200, "add", 0.05),
    Run(exact.Step(2.0, 0.3), 30, "replace", 0.05),
    Run(exact.Step(5.0, 0.05), 500, "remove", 0.02, 1e-6),
    Run(exact.Step(2.0, 0.3), 50, "add", 0.1, 1e-2),
]
ONCE = [
    Run(exact.Step(1.0, 0.1), 1, "remove", 0.1),
    Run(exact.Step(1.0, 0.1), 1, "add", 0.1),
    Run(exact.Step(0.5, 0.5), 1, "replace", 0.3),
    Run(exact.Step(0.5), 1, "remove", 0.3, 1e-4),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_upper_stays_above_the_reverse(run):
    values = run.pmf("upper").reflected().delta(np.array(EPSILONS))
    for epsilon, value in zip(EPSILONS, values, strict=True):
        assert arb(value) >= run.truth(epsilon, REVERSE[run.direction])


@pytest.mark.parametrize("estimator", ["connect_dots", "privacy_buckets"])
@pytest.mark.parametrize("run", ONCE, ids=str)
def test_upper_stays_above_the_reverse_at_any_epsilon(run, estimator):
    pmf, pair = run.pmf("upper", estimator).reflected(), Pair(run.step, run.direction)
    low, high = runs.window(pmf)
    with ctx.workprec(PRECISION):
        for epsilon in [low - 1, *np.linspace(low, high, 50), high + 1, 100.0]:
            truth = pair.reverse_delta(arb(float(epsilon)))
            assert arb(pmf.delta([epsilon])[0]) >= truth, epsilon


@pytest.mark.parametrize("estimator", ["connect_dots", "algorithm_2", "privacy_buckets"])
@pytest.mark.parametrize("run", [*RUNS, *ONCE], ids=str)
def test_lower_stays_below_the_reverse(run, estimator):
    values = run.pmf("lower", estimator).reflected().delta(np.array(EPSILONS))
    for epsilon, value in zip(EPSILONS, values, strict=True):
        assert arb(value) <= run.truth(epsilon, REVERSE[run.direction])


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_an_error_of_the_loss_is_one_of_the_reversed_masses(side, count):
    """A loss so close below a point of the grid that it is taken to lie there."""
    off = 4e-11
    with ctx.workprec(PRECISION):
        high, low = 1 - arb(off), arb(-2)
        p = (1 - (-low).exp()) / ((-high).exp() - (-low).exp())
        once = [(p, high), (1 - p, low)]
        law = hs.DiscretePair(
            p=[float(mass) for mass, _ in once],
            q=[float(mass * (-loss).exp()) for mass, loss in once],
        )
        pmf = _core.loss_pmf(
            [(law.dominating_pair(Direction.REMOVE), count)],
            interval=0.5,
            side=side,
            estimator="connect_dots",
            tail_mass=1e-15,
            memory_limit=runs.MEMORY,
        )
        assert pmf.loss_error > count * off
        for epsilon in (-0.45 - count, -0.5, 0.0, 0.5):
            truth = arb(0)
            for steps in itertools.product(once, repeat=count):
                mass = math.prod((mass for mass, _ in steps), start=arb(1))
                loss = sum((loss for _, loss in steps), arb(0))
                truth += mass * max((-loss).exp() - arb(epsilon).exp(), arb(0))
            value = arb(pmf.reflected().delta(np.array([epsilon]))[0])
            assert value >= truth if side == "upper" else value <= truth
            assert abs(value - truth) <= 15 * count * off


def test_missing_mass_is_given_up_by_a_lower_one_reflected():
    """Below the curve of 0.3 at loss -1 and 0.7 at 1.3 lies that of 0.3 at -1 and 0.2 at 0."""
    step = stored.step([-2, 0], [0.3, 0.2], interval=0.5, side="lower")
    pmf = stored.alone(step).reflected()
    with ctx.workprec(PRECISION):
        p, q = arb(0.3), arb(0.3) * arb(1).exp()
        for epsilon in (-2.0, -0.7, 0.0, 0.5, 0.9):
            beta = arb(epsilon).exp()
            sides = q - beta * p, (1 - q) - beta * (1 - p)
            truth = sum((side for side in sides if side > 0), arb(0))
            assert arb(pmf.delta([epsilon])[0]) <= truth
        assert pmf.delta([-2.0])[0] > 0.8


@pytest.mark.parametrize(
    ("rare", "count", "interval"), [(1e-300, 4, 1.0), (1e-50, 8, 0.1), (1e-10, 8, 100.0)]
)
def test_what_overflow_makes_of_a_curve_says_nothing_of_the_power(rare, count, interval):
    """What is given up at a loss of 690 or more, several times over, has no double."""
    run = count * hs.DiscretePair(p=(1 - rare, rare), q=(0.5, 0.5))
    pmf = run.pld(
        side="lower", discretization_interval=interval, adjacency=hs.Adjacency.REMOVE_ONE
    ).reflected()
    with ctx.workprec(PRECISION):
        for fpr in (1e-12, 1e-6, 0.01):
            # All outcomes but `count` of the likely kind: P is 2^-count there, Q all but 1.
            truth = 1 - arb(2) ** -count + arb(fpr) * arb(2) ** -count
            assert arb(pmf.true_positive_rate(fpr)) <= truth * (1 + arb(1e-9))


def test_a_factor_of_few_digits_is_counted():
    """At loss -740 masses are untilted by e^-740, for which binary64 has six bits."""
    step = stored.step([8, 149], [0.5, 0.4], interval=5.0, side="lower")
    pmf = stored.alone(step).reflected()
    with ctx.workprec(PRECISION):
        for epsilon in (-742.0, -740.0, -735.0):
            assert arb(pmf.delta([epsilon])[0]) <= arb(0.5) * arb(-40).exp()


@pytest.mark.parametrize("run", RUNS[:3], ids=str)
def test_upper_is_as_tight_as_the_reverse_itself(run):
    there = run.pmf("upper").reflected()
    back = Run(run.step, run.count, REVERSE[run.direction], run.interval).pmf("upper")
    for epsilon in (0.0, 0.1, 1.0):
        truth = run.truth(epsilon, REVERSE[run.direction])
        gaps = [float((arb(p.delta([epsilon])[0]) - truth).mid()) for p in (there, back)]
        assert gaps[0] < 10 * gaps[1] + 1e-9


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_twice_is_once_around(run, side, estimator):
    pmf = run.pmf(side, estimator)
    again = pmf.reflected().reflected()
    assert again.first == pmf.first
    assert (again.infinity_mass, again.reverse_infinity_mass) == (
        pmf.infinity_mass,
        pmf.reverse_infinity_mass,
    )
    np.testing.assert_array_equal(again.mass, pmf.mass)
    np.testing.assert_array_equal(again.delta(EPSILONS), pmf.delta(EPSILONS))


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_masses_move_to_the_negative_loss(run):
    pmf = run.pmf("upper")
    other = pmf.reflected()
    losses = pmf.interval * (pmf.first + np.arange(pmf.mass.size))
    assert other.first == -(pmf.first + pmf.mass.size - 1)
    np.testing.assert_allclose(other.mass[::-1], pmf.mass * np.exp(-losses), rtol=1e-11)


def test_a_curve_is_told_by_that_of_the_reverse():
    rng = random.Random(2)
    with ctx.workprec(200):
        for _ in range(20_000):
            epsilon = rng.choice([-1, 1]) * 10 ** rng.uniform(-6, 1.5)
            back = 1 - rng.uniform(0, 1) * math.exp(-max(epsilon, 0))
            value = 1 - arb(epsilon).exp() * (1 - arb(back))
            below, above = _core.parts.by_reverse(epsilon, back, back)
            assert arb(below) <= value or below == 0
            assert value <= arb(above) or above == 1
            assert above - below <= 8e-15 * (1 + math.exp(epsilon))
