# SPDX-License-Identifier: Apache-2.0
"""Delta of two distributions composed, against direct sums over their steps and the truth."""

import random
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx

import exact
from exact.curve import PRECISION, Curve
from hockeystick import _core
from mechanisms.cells import core_pair
from pld import runs
from pld.runs import Run
from pld.stored import SIDES
from pld.test_reflect import REVERSE
from pld.test_stated_errors import one_point

TAIL = 1e-9
DIRECT = [
    (
        Run(exact.Step(1.0, 0.3), 2, "remove", 0.2, TAIL),
        Run(exact.Step(0.7, 0.05), 3, "remove", 0.2, TAIL),
    ),
    (
        Run(exact.Step(2.0, 0.5), 3, "replace", 0.25, TAIL),
        Run(exact.Step(1.0), 1, "replace", 0.25, TAIL),
    ),
    (
        Run(exact.Step(0.2, 0.4), 1, "add", 1.0, TAIL),
        Run(exact.Step(2.0, 0.5), 4, "add", 1.0, TAIL),
    ),
]
EPSILONS = np.array([-60.0, -3.0, -0.35, 0.0, 0.1, 0.2, 1.23, 3.0, 6.0, 11.1, 40.0, 700.0])


def direct(pair, side, estimator):
    """The composition of the stored steps in balls, and the sum of their losses' errors."""
    steps = [runs.one_step(run, side, estimator) for run in pair]
    one, other = (runs.composed(s, run.count) for s, run in zip(steps, pair, strict=True))
    with ctx.workprec(PRECISION):
        total: dict[int, arb] = {}
        for x, p in zip(one.losses, one.masses, strict=True):
            for y, q in zip(other.losses, other.masses, strict=True):
                key = round(float(x + y) / pair[0].interval)
                total[key] = total.get(key, arb(0)) + p * q
        index = sorted(total)
        losses = [arb(pair[0].interval) * k for k in index]
        beyond = 1 - (1 - one.infinity_mass) * (1 - other.infinity_mass)
        shift = sum(r.count * arb(s.loss_error) for r, s in zip(pair, steps, strict=True))
        return Curve(losses, [total[k] for k in index], beyond), shift


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("pair", DIRECT, ids=lambda pair: pair[0].direction)
def test_encloses_the_direct_sum(pair, side, estimator):
    """On its safe side, by the terms stated and no more."""
    one, other = (run.pmf(side, estimator) for run in pair)
    curve, shift = direct(pair, side, estimator)
    outward = 1 if side == "upper" else -1
    values = _core.composed_delta(one, other, EPSILONS)
    with ctx.workprec(PRECISION):
        for epsilon, value in zip(EPSILONS, values, strict=True):
            expected = curve(arb(float(epsilon)) - outward * shift)
            excess = outward * (arb(value) - (expected if expected < 1 else arb(1)))
            # Of the mass at +inf, up to what the masses, rounded up, sum to above 1.
            assert excess >= -curve.infinity_mass * 1e-12, epsilon
            assert excess <= expected * 1e-9 + 60 * TAIL, epsilon


CUT = [
    (
        Run(exact.Step(1.0, 0.1), 100, "remove", 0.05, 0.02),
        Run(exact.Step(2.0, 0.5), 10, "remove", 0.05, 0.02),
    ),
    (
        Run(exact.Step(5.0, 0.05), 100, "add", 0.01, 0.1),
        Run(exact.Step(1.0, 0.1), 20, "add", 0.01, 1e-12),
    ),
    (
        Run(exact.Step(2.0, 0.9), 20, "replace", 0.1, 1e-2),
        Run(exact.Step(1.0, 0.1), 30, "replace", 0.1, 1e-4),
    ),
]


@cache
def truth_of(run, direction, epsilon):
    return exact.delta(run, epsilon, direction, 12)


def truths(pair, direction, epsilons):
    run = tuple((r.step, r.count) for r in pair)
    return [truth_of(run, direction, float(epsilon)) for epsilon in epsilons]


@pytest.mark.every(3)
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("pair", CUT, ids=lambda pair: pair[0].direction)
def test_what_truncation_takes_is_counted(pair, side, estimator, reflected):
    pmfs = [run.pmf(side, estimator) for run in pair]
    direction = pair[0].direction
    if reflected:
        pmfs, direction = [pmf.reflected() for pmf in pmfs], REVERSE[direction]
    ends = [runs.window(run.pmf("upper")) for run in pair]
    high = sum(-low if reflected else high for low, high in ends)
    epsilons = high * np.array([0.1, 0.6, 0.95])
    values = _core.composed_delta(*pmfs, epsilons)
    for value, truth in zip(values, truths(pair, direction, epsilons), strict=True):
        assert arb(value) >= truth if side == "upper" else arb(value) <= truth


def explicit(terms, side, support, tail_mass=1e-15):
    return _core.loss_pmf(
        terms,
        interval=0.05,
        side=side,
        estimator="connect_dots",
        tail_mass=tail_mass,
        memory_limit=runs.MEMORY,
        support=support,
    )


@pytest.mark.parametrize("reflected", [False, True])
def test_mass_below_the_window_is_counted(reflected):
    """What lies far below in one is lifted above epsilon by the other; nothing lies above."""
    cut, lifting = exact.Step(1.0, 0.1), Run(exact.Step(0.1), 1, "add", 0.05)
    direction = "remove" if reflected else "add"
    support = list(range(-4, 200)) if reflected else list(range(-200, 5))
    one = explicit([(core_pair(cut, direction), 1)], "upper", support, 0.5)
    other = lifting.pmf("upper")
    if reflected:
        one = one.reflected()
    assert one.delta([100.0])[0] < 1e-9
    truth = truth_of(((cut, 1), (lifting.step, 1)), "add", 1.0)
    for pmfs in ((one, other), (other, one)):
        assert arb(_core.composed_delta(*pmfs, [1.0])[0]) >= truth


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
def test_transform_errors_are_counted(side, estimator):
    """Where delta is far below them, they are all one sees."""
    pair = [Run(exact.Step(1.0, 0.1), n, "remove", 0.05, 1e-70) for n in (1, 2)]
    epsilons = np.array([12.0, 40.0])
    values = _core.composed_delta(*(run.pmf(side, estimator) for run in pair), epsilons)
    for value, truth in zip(values, truths(pair, "remove", epsilons), strict=True):
        assert arb(value) >= truth if side == "upper" else arb(value) <= truth
        assert abs(arb(value) - truth) < 1e-9


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
def test_one_reflected_with_one_that_is_not(side, estimator):
    """Their tilts differ; a removal and the reverse of an addition compose to two removals."""
    remove = Run(exact.Step(1.0, 0.2), 10, "remove", 0.02)
    add = Run(exact.Step(2.0, 0.2), 30, "add", 0.02)
    one, other = remove.pmf(side, estimator), add.pmf(side, estimator).reflected()
    epsilons = np.array([0.5, 1.5])
    values = _core.composed_delta(one, other, epsilons)
    for value, truth in zip(values, truths([remove, add], "remove", epsilons), strict=True):
        assert arb(value) >= truth if side == "upper" else arb(value) <= truth
        if estimator == "connect_dots" and side == "upper":
            assert abs(arb(value) - truth) < 5e-3 * truth


def test_large_losses_reflected_say_nothing():
    """Untilting overflows for losses above 709."""
    run = Run(exact.Step(0.02), 1, "remove", 1.0)
    for side, trivial in (("upper", 1.0), ("lower", 0.0)):
        pmf = run.pmf(side)
        back = pmf.reflected()
        assert list(_core.composed_delta(back, back, [0.0, 1.0])) == [trivial, trivial]
        values = _core.composed_delta(pmf, back, np.array([0.0, 1e3, 1e4]))
        assert np.all((values >= 0) & (values <= 1))


def test_mass_that_may_lie_below_the_window_is_at_its_first_loss():
    """All of it, where no tilt bounds it."""
    m = 1e-3
    step = _core.parts.StepPmf(
        interval=1.0,
        offset=0.0,
        index=[0, 1],
        mass=[m, m],
        infinity_mass=0.0,
        loss_error=0.0,
        side="upper",
    )
    one, other = (
        _core.parts.compose(
            [(step, 1, 0.0)], tilt=0.0, size=64, window=(0, 4), chernoff=(9.0, below, 9.0, -60.0)
        )
        for below in (0.0, -60.0)
    )
    assert (_core.parts.fields(one)["p_below"], _core.parts.fields(other)["p_below"] < 1e-25) == (
        1,
        1,
    )
    gains = {loss: -np.expm1(0.5 - loss) for loss in (1, 2)}
    booked = (1 + m) * m * gains[1] + m * (m * gains[1] + m * gains[2])
    (found,) = _core.composed_delta(one, other, np.array([0.5]))
    assert found == pytest.approx(booked, rel=1e-6, abs=0)


@pytest.mark.parametrize("side", SIDES)
def test_rounding_of_an_untilted_mass_is_counted(side):
    """Exponents of up to 1e6 nats, composed with nothing."""
    rng, outward = random.Random(18), 1 if side == "upper" else -1
    with ctx.workprec(300):
        for _ in range(300):
            pmf, loss, mass = one_point(rng, side)
            if not 1e-290 < mass < 0.5:
                continue
            at = {"interval": pmf.interval, "offset": 0.0, "first": 0, "tilt": 0.0}
            none = _core.parts.loss_pmf(mass=[1.0], side=side, log_scale=(0.0, 0.0), **at)
            far = float(loss) - 50.0 - abs(float(loss)) / 2
            value = arb(_core.composed_delta(pmf, none, [far])[0])
            assert outward * (value - mass * -(arb(far) - loss).expm1()) >= 0
