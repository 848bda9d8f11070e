# SPDX-License-Identifier: Apache-2.0
"""Lower estimates: one step's curve is nowhere above the exact one."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import exact
import hockeystick as hs
from discretize import curves
from hockeystick import _core
from hockeystick.adjacency import Direction

ALL = [
    *curves.cases(),
    *curves.wide_cases(),
    *curves.bounded_cases(),
    *curves.beyond_cases(),
    *curves.narrow_cases(),
    *curves.rare_cases(),
]


@pytest.mark.every(6)
@pytest.mark.parametrize("estimator", curves.LOWER)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_never_above_the_exact_curve(case, estimator):
    curves.assert_below(case, estimator)


@pytest.mark.parametrize(("step", "direction"), curves.SMOOTH)
def test_algorithm_2_is_the_loosest(step, direction):
    """Measured: 7 to 9 times the others' gaps, which are below that of the upper estimate."""
    case = curves.uniform(step, direction, 300)
    areas = {estimator: curves.area(case, estimator) for estimator in (*curves.LOWER, "upper")}
    assert areas["lower"] < areas["algorithm_2"] / 4
    assert areas["lower"] < areas["upper"]


@pytest.mark.parametrize("case", curves.rare_cases(), ids=str)
def test_rare_steps_keep_their_delta(case):
    """The mass merged above the last point errs by parts of its reach, not of all losses."""
    found = float(case.curve("lower")(arb(0)).mid())
    truth = float(curves.exact_delta(case.step, case.direction, 0.0).mid())
    assert 0.999 * truth < found <= truth


@pytest.mark.parametrize("estimator", curves.LOWER)
def test_nothing_is_known_of_mass_above_the_support(estimator):
    """The last tangent must end at zero: what a short support leaves out is not made up."""
    step = exact.Step(1.0)
    case = curves.Case(step, "remove", 0.1, tuple(range(-30, 0)))
    curves.assert_below(case, estimator)
    assert sum(case.pmf(estimator).mass) <= 1


@given(
    curves.steps,
    st.sampled_from(["remove", "add", "replace"]),
    st.integers(2, 30),
    st.floats(0.2, 20.0),
    st.floats(-1.0, 1.0),
    st.integers(0, 2**32),
)
def test_all_estimates_of_random_supports_are_on_their_side(step, way, points, reach, offset, seed):
    base = curves.uniform(step, way, points, reach)
    case = curves.subset(base, np.random.default_rng(seed), 0.6, offset)
    for estimator in ("upper", "buckets_upper"):
        curves.assert_above(case, estimator)
    for estimator in (*curves.LOWER, "buckets_lower"):
        curves.assert_below(case, estimator)


@pytest.mark.parametrize("estimator", curves.LOWER)
@pytest.mark.parametrize("index", [[-2, -1, 0, 1, 2], [-1, 0, 1], [-3, 0], [0, 1]], ids=str)
def test_a_step_that_the_grid_does_not_see_is_no_loss(estimator, index):
    pair = hs.Gaussian(noise_multiplier=1e7).dominating_pair(Direction.REMOVE)
    step = _core.parts.step_pmf(pair, interval=0.01, offset=0.0, index=index, estimator=estimator)
    assert (list(step.index), list(step.mass), step.infinity_mass) == ([0], [1.0], 0.0)


@pytest.mark.parametrize("offset", [0.0025, -0.0025])
def test_no_loss_lies_at_or_below_zero(offset):
    pair = hs.Gaussian(noise_multiplier=1e7).dominating_pair(Direction.REMOVE)
    step = _core.parts.step_pmf(
        pair, interval=0.01, offset=offset, index=[-2, -1, 0, 1, 2], estimator="lower"
    )
    assert list(step.mass) == [1.0]
    assert list(step.index) == [-1 if offset > 0 else 0]


@pytest.mark.parametrize("index", [[-4, 0, 10], [-40, -10, 0, 10], [-3, 0, 10]])
def test_a_leaking_step_that_the_grid_does_not_see_keeps_what_q_alone_tells(index):
    """Mass 0.7 at the highest support point below log(0.7), -3.57 intervals; else nothing."""
    p, q = (0.3, 0.35, 0.35), (0.0, 0.501, 0.499)
    pair = hs.DiscretePair(p=p, q=q).dominating_pair(Direction.REMOVE)
    step = _core.parts.step_pmf(
        pair, interval=0.1, offset=0.0, index=np.array(index), estimator="lower"
    )
    points = [i for i in index if i <= -4]
    assert sum(step.mass) == pytest.approx(0.7 if points else 0.0, abs=1e-12)
    if points:
        assert list(step.index) == [points[-1]]
    for epsilon in np.linspace(-5, 0.5, 56):
        truth = sum(max(a - np.exp(epsilon) * b, 0.0) for a, b in zip(p, q, strict=True))
        loss = 0.1 * np.array(step.index)
        curve = (
            step.infinity_mass
            + (np.array(step.mass) * np.maximum(-np.expm1(epsilon - loss), 0)).sum()
        )
        assert curve <= truth + 1e-15


def joined(share_error):
    """Half of the mass at the first of three points, and 0.4 at 0.45, joined to what is above."""
    nothing, loss, mass = (0.0, 0.0, 0.0), 0.45, 0.4
    return _core.parts.connect_dots(
        support=(0.25, 0.0, [0, 1, 2]),
        cuts=[0.1, 0.4],
        cells=[
            (0.5, 0.0, 0.5 * math.expm1(0.1)),
            nothing,
            nothing,
            (mass, -mass * math.expm1(0.4 - loss), mass * math.expm1(0.5 - loss)),
        ],
        tails=(0.0, 0.0, 0.0, 0.0),
        errors=(0.0, share_error, 0.0, 0.0, 0.0),
        estimator="lower",
    )


def test_a_cell_that_joins_the_top_brings_its_part_of_the_errors():
    """p (1 - e^-d) of its mass p, over the growth to the point below."""
    error = 1e-3
    exact, rough = joined(0.0), joined(error)
    assert list(exact.index) == list(rough.index) == [0, 1]
    top = 0.4 * -math.expm1(-0.25) / math.expm1(0.25)
    first = 0.5 * -math.expm1(-0.1) / -math.expm1(-0.25)
    assert exact.mass[1] - rough.mass[1] == pytest.approx(error * (top + first), rel=1e-9)


def test_mass_at_no_loss_is_rounded_down():
    """By 4 u, of which its roundings take one or two: on average over many."""
    rng, off = random.Random(7), []
    for _ in range(60):
        leak = rng.uniform(0.28, 0.32)
        pair = hs.DiscretePair(p=(leak, 1 - leak), q=(0.0, 1.0)).dominating_pair(Direction.REMOVE)
        step = _core.parts.step_pmf(
            pair, interval=0.1, offset=0.0, index=np.array([-4, 0, 10]), estimator="lower"
        )
        (mass,), (_, infinite) = step.mass, pair.infinity_mass
        with ctx.workprec(120):
            off.append(float((1 - arb(mass) / (1 - arb(infinite))) / 2.0**-53))
    assert min(off) > 0
    assert 3.5 < sum(off) / len(off) < 4.5


@pytest.mark.parametrize(("units", "is_raised"), [(6, False), (11, True)])
def test_the_loss_of_what_does_not_leak_is_rounded_down(units, is_raised):
    """By 8 u: a nearer point is not taken to lie below it, and has less mass by its tangents."""
    for leak in (0.29, 0.3, 0.31):
        pair = hs.DiscretePair(p=(leak, 1 - leak), q=(0.0, 1.0)).dominating_pair(Direction.REMOVE)
        with ctx.workprec(120):
            _, infinite = pair.infinity_mass
            loss = float((1 - arb(infinite)).log() * (1 + units * arb(2) ** -53))
        step = _core.parts.step_pmf(
            pair, interval=0.5, offset=loss, index=np.array([0, 2]), estimator="lower"
        )
        assert (step.mass[0] > (1 - infinite) * (1 - 10 * 2.0**-53)) == is_raised
