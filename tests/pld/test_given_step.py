# SPDX-License-Identifier: Apache-2.0
"""Steps given by losses and masses: answers against exact sums over the same doubles."""

from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from exact.finite import FinitePld
from hockeystick import _core

SIDES = ("upper", "lower")
INTERVAL = 0.125  # a power of two: losses are exact
masses = st.lists(
    st.one_of(st.just(0.0), st.floats(1e-300, 1e-2), st.floats(0.01, 0.2)), min_size=2, max_size=6
).filter(any)
infinity_masses = st.sampled_from([0.0, 1e-300, 1e-9, 0.125])
epsilons = st.one_of(st.floats(-3, 3), st.integers(-8, 8).map(lambda k: k * INTERVAL))


def made(mass, infinity_mass=0.0, side="upper", first=-2, interval=INTERVAL):
    index = np.arange(first, first + len(mass))
    return _core.explicit_step(
        interval=interval, index=index, mass=mass, infinity_mass=infinity_mass, side=side
    )


def truth(mass, infinity_mass=0.0, first=-2):
    return FinitePld(arb(INTERVAL), first, tuple(arb(m) for m in mass), arb(infinity_mass))


def assert_bounds(value, exact, side, tolerance=1e-14):
    with ctx.workprec(2200):
        exact = min(exact, arb(1))
        if side == "upper":
            assert exact <= arb(value)
            assert arb(value) <= exact * (1 + tolerance) + arb(4e-16)
        else:
            assert arb(value) <= exact
            assert exact * (1 - tolerance) - arb(4e-16) <= arb(value)


@given(mass=masses, infinity_mass=infinity_masses, epsilon=epsilons, side=st.sampled_from(SIDES))
def test_delta_encloses_and_is_tight(mass, infinity_mass, epsilon, side):
    """The width is that of moving epsilon by rounding: absolute, but never of a larger loss."""
    value = made(mass, infinity_mass, side).delta(np.array([epsilon]))[0]
    assert_bounds(value, truth(mass, infinity_mass).delta(epsilon), side)


def test_delta_is_relative_to_itself():
    step = made([0.5, 0.25, 1e-290])
    value = step.delta(np.array([-0.0625]))[0]
    exact = truth([0.5, 0.25, 1e-290]).delta(-0.0625)
    assert exact <= arb(value)
    assert arb(value) <= exact * (1 + arb(1e-13))


@pytest.mark.parametrize("side", SIDES)
def test_delta_far_out(side):
    step = made([0.5, 0.25], 0.125, side)
    assert list(step.delta(np.array([-math.inf, math.inf, 9.0]))) == pytest.approx(
        [0.875, 0.125, 0.125], rel=1e-14
    )
    assert step.delta(np.array([math.inf]))[0] == 0.125


@given(
    mass=masses,
    infinity_mass=infinity_masses,
    log_delta=st.floats(-700, -0.1),
    side=st.sampled_from(SIDES),
)
def test_epsilon_inverts_delta(mass, infinity_mass, log_delta, side):
    delta = math.exp(log_delta)
    step = made(mass, infinity_mass, side)
    epsilon = step.epsilon(np.array([delta]))[0]
    assert epsilon >= 0
    if not math.isfinite(epsilon):
        assert infinity_mass > delta
        return
    near, far = epsilon * (1 + 1e-13) + 1e-13, epsilon * (1 - 1e-13) - 1e-13
    if side == "upper":
        assert step.delta(np.array([epsilon]))[0] <= delta
        assert far <= 0 or step.delta(np.array([far]))[0] > delta
    else:
        assert far <= 0 or step.delta(np.array([far]))[0] > delta
        assert step.delta(np.array([near]))[0] <= delta


@pytest.mark.parametrize("side", SIDES)
def test_rounding_of_delta_is_counted(side):
    """Of the loss and epsilon, where they nearly meet; of the sum, where they do not."""
    rng = random.Random(4)
    outward = 1 if side == "upper" else -1
    for _ in range(300):
        index, mass, interval = rng.randrange(1, 10**6), rng.uniform(0.1, 1), rng.uniform(0.05, 0.2)
        step = made([mass], 0.0, side, first=index, interval=interval)
        near, far = interval * index - rng.uniform(1e-9, 1e-8), rng.uniform(-2, 0)
        small = made([mass], 0.0, side, first=1, interval=interval)
        with ctx.workprec(300):
            for got, loss, epsilon in ((step, arb(interval) * index, near), (small, interval, far)):
                truth = -arb(mass) * (arb(epsilon) - loss).expm1()
                assert outward * (arb(got.delta(np.array([epsilon]))[0]) - truth) >= 0


def test_zero_masses_are_left_out():
    step = made([0.0, 0.5, 0.0, 0.25])
    assert step.indices.tolist() == [-1, 1]
    assert step.masses.tolist() == [0.5, 0.25]


def test_pickle_keeps_all():
    step = made([0.5, 0.25], 0.125, "lower")
    again = pickle.loads(pickle.dumps(step))  # noqa: S301
    fields = ("interval", "infinity_mass", "reverse_infinity_mass", "loss_error", "side")
    assert [getattr(again, f) for f in fields] == [getattr(step, f) for f in fields]
    assert again.masses.tolist() == step.masses.tolist()
    assert again.indices.tolist() == step.indices.tolist()


@pytest.mark.parametrize(
    ("index", "mass", "infinity_mass", "message"),
    [
        ([0, 1], [0.5], 0.0, "equally long"),
        ([1, 1], [0.5, 0.5], 0.0, "increase"),
        ([0, 1], [0.5, -0.5], 0.0, ">= 0"),
        ([0, 1], [0.5, math.nan], 0.0, ">= 0"),
        ([0, 1], [0.5, math.inf], 0.0, "finite"),
        ([0, 1], [0.5, 0.5], -0.1, "infinity_mass"),
        ([0, 1], [0.5, 0.5], math.nan, "infinity_mass"),
    ],
)
def test_refusals(index, mass, infinity_mass, message):
    with pytest.raises(ValueError, match=message):
        _core.explicit_step(
            interval=1.0,
            index=np.array(index),
            mass=np.array(mass),
            infinity_mass=infinity_mass,
            side="upper",
        )
