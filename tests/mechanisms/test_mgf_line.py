# SPDX-License-Identifier: Apache-2.0
"""Moments on a line against the same moments in ball arithmetic."""

import math
from itertools import pairwise

import pytest
from flint import acb, arb

import exact
from exact.line import SmoothLine
from exact.truth import log_moments
from hockeystick import _core
from mechanisms import cells

STEPS = [(1.0, 0.01), (0.6, 1e-3), (5.0, 0.1), (0.3, 0.9), (1.0, 1e-6), (40.0, 0.5), (2.0, 1.0)]
TILTS = [0.05, 2.8, 8.0]
COUNT = 24
DIRECTIONS = ("remove", "add", "replace")
SPACING = 0.9

pytestmark = pytest.mark.bits(250)


def line_of(sigma, rate, direction, tilt, frequency=SPACING * COUNT, log_accuracy=38.0):
    pair = cells.core_pair(exact.Step(sigma, rate), direction)
    return _core.contour.moment_line(pair, tilt / 2, tilt, 1.5 * tilt, frequency, log_accuracy)


def truths(sigma, rate, direction, tilt, spacing=SPACING, count=COUNT):
    step = exact.Step(sigma, rate)
    if rate == 1:  # the core's plain pair has shift 1 / sigma in every direction
        direction = "remove"
    return log_moments(step, direction, tilt, spacing, count)


@pytest.mark.every(4)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_samples_are_enclosed(sigma, rate, direction, tilt):
    samples = line_of(sigma, rate, direction, tilt).samples(SPACING, COUNT)
    logs = truths(sigma, rate, direction, tilt)
    assert samples[0] == (0.0, 0.0, 0.0, 0.0)
    for (re, im, rounding, truncation), log in zip(samples[1:], logs[1:], strict=True):
        off = abs((log - logs[0]).exp() - 1 - acb(re, im))
        if off.is_finite():  # the oracle loses digits where |M| is tiny
            assert off <= arb(rounding) + arb(truncation)
        assert rounding < 1e-11
        assert truncation < 1e-13


@pytest.mark.every(4)
@pytest.mark.parametrize("log_accuracy", [10.0, 22.0])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_coarse_samples_are_enclosed(sigma, rate, direction, log_accuracy):
    """Few nodes, and frequencies beyond those the line was made for."""
    line = line_of(sigma, rate, direction, 2.0, SPACING * COUNT / 3, log_accuracy)
    logs = truths(sigma, rate, direction, 2.0)
    samples = line.samples(SPACING, COUNT)[1:]
    for (re, im, rounding, truncation), log in zip(samples, logs[1:], strict=True):
        if math.isinf(truncation):
            continue
        off = abs((log - logs[0]).exp() - 1 - acb(re, im))
        assert off <= arb(rounding) + arb(truncation)
    assert samples[0][3] < 10 * math.exp(-log_accuracy)


@pytest.mark.every(2)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_real_moments_are_enclosed(sigma, rate, direction):
    line = line_of(sigma, rate, direction, 3.0)
    value, error = line.log_moment()
    truth = truths(sigma, rate, direction, 3.0, count=1)[0].real
    assert abs(truth - arb(value)) <= arb(error)
    assert error <= 1e-13 + 1e-14 * abs(value)
    for tilt in (1.5, 2.0, 3.0, 4.5):
        bound = line.log_moment_above(tilt)
        truth = truths(sigma, rate, direction, tilt, count=1)[0].real
        assert truth <= bound <= truth + arb(1e-13) + arb(1e-14) * abs(truth)


@pytest.mark.parametrize(
    ("sigma", "rate", "direction", "tilt"),
    [
        (0.077, 3.6e-37, "remove", 1.0),
        (0.134, 2e-24, "remove", 2.0),
        (0.1586, 3.3e-32, "replace", 3.65),
    ],
)
def test_real_moments_of_rare_large_losses_are_enclosed(sigma, rate, direction, tilt):
    """Where masses are made of large terms that cancel, so that their rounding is what counts."""
    value, error = line_of(sigma, rate, direction, tilt).log_moment()
    truth = truths(sigma, rate, direction, tilt, count=1)[0].real
    assert abs(truth - arb(value)) <= arb(error)


@pytest.mark.parametrize("direction", ["remove", "replace"])
def test_nodes_left_out_are_counted(direction):
    """At tilts that move mass to where the line has no nodes."""
    line = line_of(1.0, 0.1, direction, 1.0, log_accuracy=12.0)
    bounds = {tilt: line.log_moment_above(float(tilt)) for tilt in range(2, 12)}
    for tilt, bound in bounds.items():
        truth = truths(1.0, 0.1, direction, float(tilt), count=1)[0].real
        assert truth <= bound
    assert math.isfinite(bounds[2])


@pytest.mark.every(4)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_no_modulus_beyond_a_frequency_exceeds_its_bound(sigma, rate, direction, tilt):
    line = line_of(sigma, rate, direction, tilt)
    frequencies = [SPACING * k for k in range(COUNT)]
    bounds = [line.modulus_bound(w) for w in frequencies]
    assert all(a >= b for a, b in pairwise(bounds))
    logs = truths(sigma, rate, direction, tilt)
    moduli = [(log - logs[0]).real.exp() for log in logs]
    for bound, modulus in zip(bounds, moduli, strict=True):
        if modulus.is_finite():
            assert arb(bound) >= modulus - arb(1e-20)


def test_a_line_of_too_many_nodes_is_refused():
    with pytest.raises(ValueError, match="no such moment line"):
        line_of(1e-3, 0.5, "remove", 2.0)


@pytest.mark.every(4)
@pytest.mark.parametrize("tilt", [-0.875, -0.5, -0.0625])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (5.0, 0.1), (0.3, 0.9), (2.0, 1.0)])
def test_moments_left_of_0_are_enclosed(sigma, rate, direction, tilt):
    """Down to -1, where M is 1 again; so are the moduli."""
    pair = cells.core_pair(exact.Step(sigma, rate), direction)
    truth = SmoothLine(((1 / arb(sigma), arb(rate)),), "remove" if rate == 1 else direction)
    line = _core.contour.moment_line(pair, -1.0, tilt, 0.0, SPACING * 9, 38.0)
    value, error = line.log_moment()
    assert abs(truth.log_moment(tilt) - arb(value)) <= arb(error) < 1e-9
    for other in (-1.0, tilt, 0.0):
        above = line.log_moment_above(other)
        assert truth.log_moment(other) - 1e-20 <= arb(above) <= truth.log_moment(other) + 1e-9
    turns = [1, 4, 8]
    for k, moment in zip(
        turns, truth.samples(tilt, [arb(SPACING) * k for k in turns]), strict=True
    ):
        re, im, rounding, truncation = line.samples(SPACING, 9)[k]
        assert abs(moment - 1 - acb(re, im)) <= arb(rounding) + arb(truncation) < 1e-9
        assert all(abs(moment) <= arb(line.modulus_bound(SPACING * j)) for j in range(k + 1))


def test_a_line_left_of_0_is_asked_where_1_more_is_exact():
    pair = cells.core_pair(exact.Step(1.0, 0.01), "remove")
    with pytest.raises(ValueError, match="no such moment line"):
        _core.contour.moment_line(pair, -0.5, -(2.0**-60), 0.0, 9.0, 38.0)
    line = _core.contour.moment_line(pair, -0.5, -0.25, 0.0, 9.0, 38.0)
    assert line.log_moment_above(-(2.0**-60)) == math.inf
