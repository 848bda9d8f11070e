# SPDX-License-Identifier: Apache-2.0
"""Composition against the direct sum over the stored one-step masses, and against the truth."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import exact
from exact.curve import PRECISION
from exact.pair import Pair
from hockeystick import _core
from pld import runs, stored
from pld.runs import Run

TAIL = 1e-9
DIRECT = [
    Run(exact.Step(1.0, 0.3), 2, "remove", 0.2, TAIL),
    Run(exact.Step(1.0, 0.3), 5, "add", 0.25, TAIL),
    Run(exact.Step(2.0, 0.5), 4, "replace", 0.2, TAIL),
    Run(exact.Step(0.7, 0.05), 3, "remove", 0.5, TAIL),
    Run(exact.Step(3.0, 0.01), 6, "add", 0.01, TAIL),
]
FRACTIONS = (0.02, 0.2, 0.35, 0.5, 0.61, 0.7, 0.9, 0.98)


def assert_composed(run, side, estimator, extra):
    """On the safe side of the direct sum, by no more than the stated terms and `extra`."""
    pmf, step = run.pmf(side, estimator), runs.one_step(run, side, estimator)
    direct = runs.composed(step, run.count)
    low, high = runs.window(pmf)
    epsilons = [low + (high - low) * f for f in FRACTIONS]
    with ctx.workprec(PRECISION):
        # An upper curve is asked that much lower, a lower one higher.
        shift = run.count * arb(step.loss_error) * (-1 if side == "upper" else 1)
        for epsilon, value in zip(epsilons, pmf.delta(np.array(epsilons)), strict=True):
            expected = direct(arb(epsilon) + shift).min(arb(1))
            if side == "upper":
                assert arb(value) >= expected, epsilon
                assert arb(value) <= expected * (1 + 1e-9) + extra, epsilon
            else:
                assert arb(value) <= expected, epsilon
                assert arb(value) >= expected * (1 - 1e-9) - extra, epsilon
    assert pmf.loss_error >= run.count * step.loss_error
    # Up to what the masses, rounded up, sum to above 1.
    assert direct.infinity_mass <= arb(pmf.infinity_mass) * (1 + run.count * 1e-13)
    assert pmf.reverse_infinity_mass >= run.count * step.reverse_infinity_mass


@pytest.mark.parametrize("run", DIRECT, ids=str)
def test_reflected_is_above_the_direct_sum_reflected(run):
    pmf, step = run.pmf("upper").reflected(), runs.one_step(run, "upper", "connect_dots")
    direct = runs.composed(step, run.count)
    with ctx.workprec(PRECISION):
        reverse = direct.reflected(pmf.infinity_mass)
        low, high = runs.window(pmf)
        shift = run.count * arb(step.loss_error)
        for epsilon in [low + (high - low) * f for f in (*FRACTIONS, 1.0, 1.1)]:
            value = arb(pmf.delta([epsilon])[0])
            assert value >= reverse(arb(epsilon) - shift).min(arb(1)), epsilon


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", DIRECT, ids=str)
def test_encloses_the_direct_sum(run, side, estimator):
    assert_composed(run, side, estimator, 30 * TAIL)


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
def test_errors_of_the_losses_add_up(side, estimator):
    """Near the end of the loss of a rate next to 1 they are a thousand roundings."""
    run = Run(exact.Step(0.3, 1 - 1e-6), 3, "remove", 0.5, TAIL)
    assert run.pmf(side, estimator).loss_error > 1e-13
    assert_composed(run, side, estimator, 30 * TAIL)


# Four Gaussians are one of half the noise.
DEEP = [
    (Run(exact.Step(2.0), 4, "remove", 0.05, 1e-70), exact.Step(1.0)),
    (Run(exact.Step(1.0), 4, "add", 0.05, 1e-70), exact.Step(0.5)),
    (Run(exact.Step(1.0, 0.1), 1, "remove", 0.05, 1e-70), exact.Step(1.0, 0.1)),
    (Run(exact.Step(0.5, 0.2), 1, "replace", 0.05, 1e-70), exact.Step(0.5, 0.2)),
]


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize(("run", "whole"), DEEP, ids=str)
def test_transform_errors_are_counted(run, whole, side, estimator):
    """Where delta is far below an untilted transform's rounding, its errors are all one sees."""
    pmf = run.pmf(side, estimator)
    low, high = runs.window(pmf)
    epsilons = np.linspace(low + 0.6 * (high - low), high - 1, 60)
    truths = [Pair(whole, run.direction).delta(arb(epsilon)) for epsilon in epsilons]
    assert truths[-1] < 1e-40
    for value, truth in zip(pmf.delta(epsilons), truths, strict=True):
        assert arb(value) >= truth if side == "upper" else arb(value) <= truth
        assert abs(arb(value) - truth) < 1e-9 + truth


CUT = [
    (exact.Step(1.0, 0.3), "remove", 1e-3),
    (exact.Step(1.0, 0.3), "add", 1e-3),
    (exact.Step(0.4, 0.3), "add", 0.03),
    (exact.Step(2.0, 0.9), "replace", 1e-2),
    (exact.Step(0.3), "remove", 0.1),
    (exact.Step(5.0, 0.05), "remove", 0.2),
]


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize(("step", "direction", "tail_mass"), CUT, ids=str)
def test_what_truncation_takes_is_counted(step, direction, tail_mass, side, estimator):
    """Near and beyond the top of a window that leaves out much."""
    pmf = Run(step, 1, direction, 0.05, tail_mass).pmf(side, estimator)
    _, high = runs.window(pmf)
    for epsilon in high * np.array([0.5, 0.9, 0.99, 1.0, 1.01, 2.0]):
        value, truth = arb(pmf.delta([epsilon])[0]), Pair(step, direction).delta(arb(epsilon))
        assert value >= truth if side == "upper" else value <= truth


COMPOSED_CUT = [
    Run(exact.Step(2.0, 0.9), 20, "replace", 0.1, 1e-2),
    Run(exact.Step(5.0, 0.05), 100, "add", 0.01, 0.1),
    Run(exact.Step(5.0, 0.05), 100, "remove", 0.01, 0.2),
    Run(exact.Step(1.0, 0.1), 100, "remove", 0.05, 0.05),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("run", COMPOSED_CUT, ids=str)
def test_what_truncation_takes_of_a_composition_is_counted(run, side, estimator):
    pmf = run.pmf(side, estimator)
    _, high = runs.window(pmf)
    for epsilon in high * np.array([0.5, 0.9, 0.99]):
        value, truth = arb(pmf.delta([epsilon])[0]), run.truth(float(epsilon))
        assert value >= truth if side == "upper" else value <= truth


@pytest.mark.parametrize("run", COMPOSED_CUT, ids=str)
def test_below_the_window_an_upper_curve_is_one(run):
    """Of the masses there nothing is known."""
    pmf = run.pmf("upper")
    low, _ = runs.window(pmf)
    assert list(pmf.delta([low - 50, -1e6])) == [1, 1]


def test_an_upper_window_that_holds_every_loss_leaves_nothing_out():
    """Ten additions lose at most 2.24 nats, which the window covers."""
    run = Run(exact.Step(0.8, 0.2), 10, "add", 0.05)
    assert run.pmf("upper").slack < 1e-9


def test_too_large_is_refused_by_name():
    with pytest.raises(ValueError, match="discretization_interval"):
        Run(exact.Step(1.0, 0.1), 10, "remove", 1e-12).pmf("upper")


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("direction", ["remove", "replace"])
def test_truncation_shortens_the_window_of_either_side(direction, side, estimator):
    """Chernoff truncation of lower estimates too: what leaves is dropped, and hardly more."""
    sizes, outward = [], 1 if side == "upper" else -1
    for tail_mass in (1e-40, 1e-15, 1e-5, 1e-2):
        run = Run(exact.Step(1.0, 0.1), 100, direction, 0.002, tail_mass)
        pmf, whole = run.pmf(side, estimator), Run(run.step, 100, direction, 0.002).pmf(side)
        sizes.append(pmf.mass.size)
        value, truth = pmf.delta([1.0])[0], run.truth(1.0)
        assert outward * (arb(value) - truth) >= 0
        if estimator == "connect_dots":
            off = outward * (value - whole.delta([1.0])[0])
            assert -1e-10 < off < 3 * tail_mass + 1e-10
    assert sizes[0] > 1.3 * sizes[1] > 1.5 * sizes[2] > 1.7 * sizes[3]


def delta_of_rare(count, rare, loss, epsilon):
    """Of losses of 0 but for a rare one."""
    masses = (
        math.comb(count, k) * arb(rare) ** k * arb(1 - rare) ** (count - k)
        for k in range(count + 1)
    )
    gains = (max(-(arb(epsilon) - loss * k).expm1(), arb(0)) for k in range(count + 1))
    return sum((mass * gain for mass, gain in zip(masses, gains, strict=True)), arb(0))


@pytest.mark.parametrize("side", stored.SIDES)
def test_what_wraps_around_is_counted(side):
    """Rare large negative losses, two of which the window leaves out: they come back at its top."""
    count, rare, drop = 100, 0.003, -40
    step = stored.step([drop, 0], [rare, 1 - rare], interval=1.0, side=side)
    at = {"window": (-47, 48), "chernoff": (1.0, -0.04, 1.0, -0.04)}
    pmf = _core.parts.compose([(step, count, 0.0)], tilt=0.0, size=64, **at)
    with ctx.workprec(300):
        for epsilon in np.arange(-47.0, 0.0):
            truth = delta_of_rare(count, rare, drop, epsilon)
            value = arb(pmf.delta(np.array([epsilon]))[0])
            assert value >= truth if side == "upper" else value <= truth


@pytest.mark.parametrize("log_moment", [0.0, -2.0, -40.0])
def test_what_wraps_around_is_counted_whatever_the_log_moment(log_moment):
    """Tilted masses sum to 1 only if the log moment, a forecast, is right: those that wrap, too."""
    count, rare, far, tilt = 3, 1e-3, 90, 0.2
    step = stored.step([0, far], [1 - rare, rare], interval=1.0, side="lower")
    for chernoff in [(0.1, -1.3, 0.05, -0.05), (0.0, 0.0, 0.0, 0.0), (-1.0, 1.0, -1.0, 1.0)]:
        pmf = _core.parts.compose(
            [(step, count, log_moment)], tilt=tilt, size=64, window=(-2, 60), chernoff=chernoff
        )
        with ctx.workprec(300):
            for epsilon in np.arange(-2.0, 60.0):
                truth = delta_of_rare(count, rare, far, epsilon)
                assert arb(pmf.delta(np.array([epsilon]))[0]) <= truth


def loss_error_of(steps, offset):
    """Of a composition of steps of these errors, each as often as said."""
    terms = [
        (
            _core.parts.StepPmf(
                interval=0.01,
                offset=offset,
                index=[0, 1],
                mass=[0.5, 0.5],
                infinity_mass=0.0,
                loss_error=error,
                side="upper",
            ),
            count,
            0.0,
        )
        for error, count in steps
    ]
    composed = _core.parts.compose(
        terms, tilt=0.0, size=64, window=(0, 64), chernoff=(1.0, -2.0, 1.0, -1.0)
    )
    return composed.loss_error


@pytest.mark.parametrize("offset", [0.0, 100.0, -100.0])
def test_errors_of_losses_are_those_of_steps_and_of_their_offset(offset):
    """2 u of the offset a step."""
    steps = [(1e-13, 3), (2e-14, 1)]
    booked = sum(count * (error + 2 * 2.0**-53 * abs(offset)) for error, count in steps)
    assert loss_error_of(steps, offset) == pytest.approx(booked, rel=1e-9, abs=0)


def test_errors_of_many_losses_add_up_outward():
    """Each of many small ones is lost in the last bit of a large one."""
    steps = [(1e-9, 1)] + [(5e-26 * (1 + k / 1e4), 1) for k in range(200)]
    booked = sum(Fraction(error) for error, _ in steps)
    assert booked <= Fraction(loss_error_of(steps, 0.0)) <= booked * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("side", stored.SIDES)
def test_masses_that_meet_are_moved_by_two_roundings_each(side):
    """2 u for each of 1024 meetings, next to which the sum of 1023 at one point rounds little."""
    size, meet = 64, 1024
    index = [0, 1, *(size * k for k in range(1, meet - 1))]
    step = stored.step(index, [2.0**-12] * meet, interval=1e-4, side=side)
    at = {"window": (0, size), "chernoff": (1.0, -1.0, 1.0, -1.0)}
    pmf = _core.parts.compose([(step, 1, 0.0)], tilt=0.0, size=size, **at)
    found = _core.parts.fields(pmf)["tilted_mass"]
    one = _core.parts.tilted_masses(step, 0.0, 0.0)[0]
    booked = 2 * stored.U * meet
    with ctx.workprec(200):
        for k, together in ((0, meet - 1), (1, 1)):
            moved = (arb(found[k]) / (together * arb(one)) - 1) * (1 if side == "upper" else -1)
            assert abs(moved - booked) < 0.02 * booked
