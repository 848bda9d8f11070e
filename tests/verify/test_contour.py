# SPDX-License-Identifier: Apache-2.0
"""Contours of many distinct steps: what bounds their ends, and how few points they take."""

from importlib import import_module

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify import contour, moments
from hockeystick.verify.curves import composed
from hockeystick.verify.laws import law
from hockeystick.verify.moments import Line
from rare_runs import sampled


def distinct(number):
    steps = ((1 + k) * sampled(0.8 + 0.01 * k, 0.01 + 1e-4 * k) for k in range(number))
    return sum(steps, hs.Composition())


@pytest.mark.every(3)
@pytest.mark.parametrize("direction", [Direction.REMOVE, Direction.ADD, Direction.REPLACE])
@pytest.mark.parametrize("noise", [0.7, 3.0])
@pytest.mark.parametrize("steps", [200, 10**4])
def test_low_lines_bound_the_moments(direction, noise, steps):
    """The bound from w on is at least M's modulus at w and beyond, on each line by itself."""
    with ctx.workprec(120):
        line = Line(arb(2), arb(3), arb(600))
        pair = law(sampled(noise, 0.05), direction)
        part = moments.along(pair, line, 40.0, steps)
        values = [v for v, _ in zip(part.values(), range(40), strict=False)]
        for k in range(3, 40, 6):
            most = max((abs(v).lower() for v in values[k:]), key=float)
            bounds = [part.beyond(k * line.h)]
            bounds += [lower.beyond(k * line.h) for lower in part._lower]
            assert all(bound >= most for bound in bounds)
        assert part._lower


def test_many_distinct_steps_take_few_points():
    """The terms of all sums are what a verification costs: 40 more steps, not more for each."""
    counts = []
    for number in (10, 40):
        with ctx.workprec(120):
            curve = composed(distinct(number).terms, Direction.REMOVE, 10)
            value = curve.delta(arb(1.5))
            assert value.rad() < value * arb(10) ** -9
            counts.append(curve.contour._points.number)
    assert counts[1] < counts[0] < contour.MOST_POINTS // 100


@pytest.mark.parametrize(
    ("run", "question", "digits"),
    [
        (1000 * sampled(0.3, 2 / 3000), {"delta": 1e-5}, 2),
        (5 * sampled(1.0, 0.01), {"false_positive_rate": 0.01}, 5),
    ],
    ids=str,
)
def test_what_hardly_falls_is_known_to_few_digits(run, question, digits, monkeypatch):
    """Little noise, and the power of few steps, whose balls are wider than points near it."""
    monkeypatch.setattr(import_module("hockeystick.verify.smoothed"), "MOST_POINTS", 8000)
    result = hs.verify(run, adjacency="remove-one", digits=8, **question)
    assert result.known
    assert result.digits >= digits
    assert result.enclosed is not False


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("count", "noise", "rate", "epsilon"),
    [(504, 1.145291027054148, 2.413942934386617e-05, 2.6956139770850207), (5, 1.0, 1e-4, 1.0)],
)
def test_rare_large_losses_far_below_chernoffs_bound_are_known(count, noise, rate, epsilon):
    """delta is nearly that of one release times their number."""
    step = hs.Gaussian(noise).poisson_sampled(rate)
    result = hs.verify(count * step, epsilon=epsilon, digits=4)
    one = hs.verify(step, epsilon=epsilon, digits=8)
    assert result.known
    assert count * one.lower < result.upper
    assert result.lower < 1.2 * count * one.upper
    assert result.digits > 2
