# SPDX-License-Identifier: Apache-2.0
"""Moments on a line against the same moments in ball arithmetic."""

import math
from itertools import pairwise

import pytest
from flint import acb, arb

from hockeystick import _core
from mechanisms.lines import check, line_of, sampled

STEPS = [(1.0, 0.01), (0.6, 1e-3), (5.0, 0.1), (0.3, 0.9), (1.0, 1e-6), (40.0, 0.5), (2.0, 1.0)]
TILTS = [0.05, 2.8, 8.0]
COUNT = 24
DIRECTIONS = ("remove", "add", "replace")
SPACING = 0.9
FREQUENCY = SPACING * COUNT

pytestmark = pytest.mark.bits(250)


@pytest.mark.every(4)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_samples_and_moduli_are_enclosed(sigma, rate, direction, tilt):
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, tilt, FREQUENCY)
    check(line, truth, tilt, SPACING, range(1, COUNT), moduli=True)
    assert all(a >= b for a, b in pairwise(line.modulus_bound(SPACING * k) for k in range(COUNT)))
    for _, _, rounding, truncation in line.samples(SPACING, COUNT):
        assert rounding < 1e-11
        assert truncation < 1e-13


@pytest.mark.every(4)
@pytest.mark.parametrize("log_accuracy", [10.0, 22.0])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_coarse_samples_are_enclosed(sigma, rate, direction, log_accuracy):
    """Few nodes, and frequencies beyond those the line was made for."""
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, 2.0, FREQUENCY / 3, log_accuracy)
    check(line, truth, 2.0, SPACING, range(1, COUNT))
    assert line.samples(SPACING, 2)[1][3] < 10 * math.exp(-log_accuracy)


@pytest.mark.every(2)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_real_moments_are_enclosed(sigma, rate, direction):
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, 3.0, FREQUENCY)
    value, error = line.log_moment()
    assert abs(truth.log_moment(3.0) - arb(value)) <= arb(error)
    assert error <= 1e-13 + 1e-14 * abs(value)
    for tilt in (1.5, 2.0, 3.0, 4.5):
        bound, moment = line.log_moment_above(tilt), truth.log_moment(tilt)
        assert moment <= bound <= moment + arb(1e-13) + arb(1e-14) * abs(moment)


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
    pair, truth = sampled(sigma, rate, direction)
    value, error = line_of(pair, tilt, FREQUENCY).log_moment()
    assert abs(truth.log_moment(tilt) - arb(value)) <= arb(error)


@pytest.mark.parametrize("direction", ["remove", "replace"])
def test_nodes_left_out_are_counted(direction):
    """At tilts that move mass to where the line has no nodes."""
    pair, truth = sampled(1.0, 0.1, direction)
    line = line_of(pair, 1.0, FREQUENCY, 12.0)
    for tilt in range(2, 12):
        assert truth.log_moment(tilt) <= line.log_moment_above(float(tilt))
    assert math.isfinite(line.log_moment_above(2.0))


def test_a_line_of_too_many_nodes_is_refused():
    with pytest.raises(ValueError, match="no such moment line"):
        line_of(sampled(1e-3, 0.5, "remove")[0], 2.0, FREQUENCY)


@pytest.mark.every(4)
@pytest.mark.parametrize("tilt", [-0.875, -0.5, -0.0625])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (5.0, 0.1), (0.3, 0.9), (2.0, 1.0)])
def test_moments_left_of_0_are_enclosed(sigma, rate, direction, tilt):
    """Down to -1, where M is 1 again; so are the moduli."""
    pair, truth = sampled(sigma, rate, direction)
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
    pair, _ = sampled(1.0, 0.01, "remove")
    with pytest.raises(ValueError, match="no such moment line"):
        _core.contour.moment_line(pair, -0.5, -(2.0**-60), 0.0, 9.0, 38.0)
    line = _core.contour.moment_line(pair, -0.5, -0.25, 0.0, 9.0, 38.0)
    assert line.log_moment_above(-(2.0**-60)) == math.inf
