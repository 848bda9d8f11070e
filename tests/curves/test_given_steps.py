# SPDX-License-Identifier: Apache-2.0
"""Compositions of explicit steps against direct ones, down to 1e-250."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

from exact.finite import FinitePld
from hockeystick import _core

SIDES = ("upper", "lower")
INTERVAL = 0.0625
MEMORY = 1 << 28
# Where each loss has a scale of its own, no one tilt serves several: the bounds are wider there.
WIDTHS = {"rare": 0.01}
FAR = 0.5  # below 1e-100
SHAPES = {
    "few": [0.25, 0.5, 0.125, 0.0625],
    "rare": [0.5, 0.49, 1e-3, 1e-9, 1e-30],
    "top": [0.1, 0.1, 0.1, 0.7],
    "many": [math.exp(-((k - 12) ** 2) / 40) / 12 for k in range(25)],
}


def composition(mass, count, side="upper", infinity_mass=0.0):
    step = _core.explicit_step(
        interval=INTERVAL,
        index=np.arange(-2, len(mass) - 2),
        mass=mass,
        infinity_mass=infinity_mass,
        side=side,
    )
    return _core.ExplicitComposition([(step, count)])


def exactly(mass, count):
    return FinitePld(arb(INTERVAL), -2, tuple(arb(m) for m in mass), arb(0)).composed(count)


def assert_bounds(value, exact, side, tolerance):
    with ctx.workprec(2200):
        low, high = (exact, exact * (1 + tolerance)) if side == "upper" else (0, exact)
        assert low <= arb(value) <= high
        if side == "lower":
            assert exact * (1 - tolerance) <= arb(value)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("count", [1, 3, 12])
@pytest.mark.parametrize("shape", SHAPES)
def test_delta_encloses_relative_to_itself(shape, count, side):
    mass = SHAPES[shape]
    composed, exact = composition(mass, count, side), exactly(mass, count)
    top = count * (len(mass) - 3) * INTERVAL
    for share in (0.0, 0.3, 0.61, 0.9):
        epsilon = share * top
        value = composed.delta(np.array([epsilon]), MEMORY)[0]
        truth = exact.delta(epsilon)
        if not truth > arb(1e-100):
            continue
        assert_bounds(value, truth, side, WIDTHS.get(shape, 1e-8))


@pytest.mark.parametrize("side", SIDES)
def test_deltas_below_any_transform_error(side):
    mass, count = SHAPES["rare"], 12
    composed, exact = composition(mass, count, side), exactly(mass, count)
    epsilon = 17.3 * INTERVAL
    assert arb(1e-290) < exact.delta(epsilon) < arb(1e-150)
    value = composed.delta(np.array([epsilon]), MEMORY)[0]
    assert_bounds(value, exact.delta(epsilon), side, FAR)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-12, 1e-60])
def test_epsilon_inverts(delta, side):
    mass, count = SHAPES["rare"], 12
    epsilon = composition(mass, count, side).epsilon(np.array([delta]), MEMORY)[0]
    exact = exactly(mass, count)
    inside, outside = epsilon * (1 + 1e-7) + 1e-9, epsilon * (1 - 1e-7) - 1e-9
    upper = side == "upper"
    assert exact.delta(epsilon if upper else inside) <= arb(delta)
    assert outside <= 0 or exact.delta(outside if upper else epsilon * (1 - 1e-12)) >= arb(delta)


def test_many_at_once_are_as_good_as_one_by_one():
    composed, exact = composition(SHAPES["rare"], 12), exactly(SHAPES["rare"], 12)
    epsilons = np.linspace(0, 0.5, 12)
    for epsilon, value in zip(epsilons, composed.delta(epsilons, MEMORY), strict=True):
        assert_bounds(value, exact.delta(epsilon), "upper", WIDTHS["rare"])
    deltas = np.logspace(-40, -1, 40)
    back = composed.delta(composed.epsilon(deltas, MEMORY), MEMORY)
    assert np.all(back <= deltas * (1 + WIDTHS["rare"]))


def test_beyond_the_largest_loss():
    composed = composition(SHAPES["top"], 7)
    top = 7 * 1 * INTERVAL
    assert 0 <= composed.delta(np.array([top]), MEMORY)[0] < 1e-14
    assert composed.delta(np.array([5.0]), MEMORY)[0] == 0
    composed = composition(SHAPES["few"], 7, infinity_mass=1e-9)
    lost = -math.expm1(7 * math.log1p(-1e-9))
    assert composed.delta(np.array([5.0]), MEMORY)[0] == pytest.approx(lost, rel=1e-12)
    assert composed.epsilon(np.array([1e-9]), MEMORY)[0] == math.inf


def test_rounding_of_the_largest_loss_is_counted():
    """Asked at the next doubles below it, where some loss is left."""
    for interval in np.linspace(0.05, 0.2, 30):
        step = _core.explicit_step(
            interval=interval, index=np.array([3]), mass=[1.0], infinity_mass=0.0, side="upper"
        )
        for count in (7, 11):
            with ctx.workprec(200):
                top = 3 * count * arb(float(interval))
                epsilon = float(top.mid())
                for _ in range(4):
                    epsilon = math.nextafter(epsilon, 0.0)
                    composed = _core.ExplicitComposition([(step, count)])
                    value = composed.delta(np.array([epsilon]), MEMORY)[0]
                    assert -(arb(epsilon) - top).expm1() <= arb(value) <= 1e-13


@pytest.mark.parametrize("side", SIDES)
def test_the_distribution_is_the_direct_one(side):
    mass, count = SHAPES["few"], 5
    pmf = composition(mass, count, side).distribution(1e-300, MEMORY)
    exact = exactly(mass, count)
    assert pmf.first == exact.first
    assert pmf.mass.size == len(exact.masses)
    for value, truth in zip(pmf.mass, exact.masses, strict=True):
        assert abs(arb(value) - truth) < 1e-14


@pytest.mark.parametrize("side", SIDES)
def test_what_wraps_around_is_counted(side):
    """Rare large negative losses, two of which the window leaves out: they come back at its top."""
    count, rare, drop = 100, 0.003, -40
    step = _core.explicit_step(
        interval=1.0, index=np.array([drop, 0]), mass=[rare, 1 - rare], infinity_mass=0.0, side=side
    )
    pmf = _core.ExplicitComposition([(step, count)]).distribution(0.5, MEMORY)
    assert 2 * drop < pmf.first < drop
    with ctx.workprec(300):
        for epsilon in np.arange(pmf.first, 0.0):
            truth = arb(0)
            for k in range(count + 1):
                mass = math.comb(count, k) * arb(rare) ** k * arb(1 - rare) ** (count - k)
                truth += mass * max(-(arb(epsilon) - drop * k).expm1(), arb(0))
            value = arb(pmf.delta(np.array([epsilon]))[0])
            assert value >= truth if side == "upper" else value <= truth


def test_several_steps():
    few, top = SHAPES["few"], SHAPES["top"]
    steps = [
        _core.explicit_step(
            interval=INTERVAL,
            index=np.arange(-2, len(m) - 2),
            mass=m,
            infinity_mass=0.0,
            side="upper",
        )
        for m in (few, top)
    ]
    composed = _core.ExplicitComposition([(steps[0], 2), (steps[1], 1)])
    with ctx.workprec(2200):
        a, b = exactly(few, 2), exactly(top, 1)
        masses = [arb(0)] * (len(a.masses) + len(b.masses) - 1)
        for i, x in enumerate(a.masses):
            for j, y in enumerate(b.masses):
                masses[i + j] += x * y
        exact = FinitePld(arb(INTERVAL), a.first + b.first, tuple(masses), arb(0))
    value = composed.delta(np.array([0.01]), MEMORY)[0]
    assert_bounds(value, exact.delta(0.01), "upper", 1e-9)


def test_refusals():
    with pytest.raises(ValueError, match="must not be empty"):
        _core.ExplicitComposition([])
    lower, upper = (composition_step(side) for side in ("lower", "upper"))
    with pytest.raises(ValueError, match="one interval and one side"):
        _core.ExplicitComposition([(lower, 1), (upper, 1)])
    with pytest.raises(ValueError, match="memory_limit must be at least"):
        composition(SHAPES["many"], 10_000).distribution(1e-300, 1000)


def composition_step(side):
    return _core.explicit_step(
        interval=INTERVAL, index=np.array([0, 1]), mass=[0.5, 0.5], infinity_mass=0.0, side=side
    )
