# SPDX-License-Identifier: Apache-2.0
"""Moments of public draws on a line against sums of integrals that are proved."""

import math
from dataclasses import replace
from typing import NamedTuple

import pytest
from flint import acb, arb

from exact.line import SmoothLine
from hockeystick import _core
from mechanisms import lines
from mechanisms.lines import line_of
from mechanisms.test_moment_panels import end_of

UNIT_ROUNDOFF = _core.numeric.unit_roundoff
ENDS = {"special_remove": ("remove", "replace"), "special_add": ("add", "replace")}
RARE = 1e-300

pytestmark = pytest.mark.bits(250)


class Draw(NamedTuple):
    """Truncated Poisson sampling: the noise, both rates, and the probability of the second."""

    sigma: float
    rate: float
    later: float
    none: float

    def pair(self, direction):
        """The pair under test."""
        name = f"truncated_poisson_gaussian_{direction}"
        parameters = [self.sigma, self.rate, self.later, 1 - self.none, self.none]
        return _core.dominating_pair(name, parameters)

    def truth(self, direction, off=(0, 0)):
        """Weights and lines; `off`: roundings of the second's rate and weight."""
        whole, cut = ENDS.get(direction, (direction, direction))
        later, none = (arb(x) * (1 + k * UNIT_ROUNDOFF) for x, k in zip(self[2:], off, strict=True))
        first = SmoothLine(((1 / arb(self.sigma), arb(self.rate)),), whole)
        second = SmoothLine(((2 / arb(self.sigma), later),), cut)
        return Truth(((arb(1 - self.none), first), (none, second)))


class Truth(NamedTuple):
    """The weighted sum."""

    parts: tuple[tuple[arb, SmoothLine], ...]

    def log_moment(self, tilt):
        """log M at a real tilt."""
        logs = [weight.log() + line.log_moment(tilt) for weight, line in self.parts]
        top = arb(max(float(log.mid()) for log in logs))
        return top + sum(((log - top).exp() for log in logs), arb(0)).log()

    def samples(self, tilt, frequencies):
        """M(tilt + i frequency) / M(tilt)."""
        frequencies, total = list(frequencies), self.log_moment(tilt)
        sums = [acb(0)] * len(frequencies)
        for weight, line in self.parts:
            share = (weight.log() + line.log_moment(tilt) - total).exp()
            ratios = line.samples(tilt, frequencies)
            sums = [at + share * ratio for at, ratio in zip(sums, ratios, strict=True)]
        return sums


def check(*asked):
    """With moduli, whose bounds hold from a frequency on."""
    return lines.check(*asked, moduli=True)


DRAWS = [
    (Draw(1.0, 0.01, 0.006, 0.3), 2.5),
    (Draw(0.6, 1e-3, 1e-3, 1e-9), 1.0),
    (Draw(1.0, 1e-3, 1e-3, 1e-9), 6.0),  # the rare case rules
    (Draw(4.0, 0.3, 0.2, 1 - 1e-6), 7.0),
    (Draw(1.0, 1e-6, 1e-6, 1e-25), 1.5),  # left out
    (Draw(30.0, 1e-4, 1e-4, 0.02), 300.0),
]


@pytest.mark.every(6)
@pytest.mark.parametrize("direction", ["remove", "add", "replace", "special_remove", "special_add"])
@pytest.mark.parametrize(("draw", "tilt"), DRAWS)
def test_moments_are_enclosed(draw, tilt, direction):
    line = line_of(draw.pair(direction), tilt, 20.0)
    check(line, draw.truth(direction), tilt, 1.0, [1, 6, 19])
    value, error = line.log_moment()
    assert error < 1e-12 + 1e-13 * abs(value)


@pytest.mark.parametrize("direction", ["remove", "add", "replace", "special_remove", "special_add"])
def test_moments_left_of_0_are_enclosed(direction):
    draw = Draw(1.0, 0.1, 0.05, 0.25)
    line = _core.contour.moment_line(draw.pair(direction), -1.0, -0.5, 0.0, 20.0, 38.0)
    check(line, draw.truth(direction), -0.5, 1.0, [1, 6, 19])


@pytest.mark.every(6)
@pytest.mark.parametrize("log_accuracy", [12.0, 20.0])
@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize(("draw", "tilt"), DRAWS[:4])
def test_coarse_moments_are_enclosed(draw, tilt, direction, log_accuracy):
    """Few nodes, and frequencies beyond those the lines were made for."""
    line = line_of(draw.pair(direction), tilt, 5.0, log_accuracy)
    check(line, draw.truth(direction), tilt, 1.0, [1, 4, 9, 12])


def test_what_coarse_lines_lack_is_met_to_a_factor():
    """Else the test above would hold whatever it were."""
    draw = Draw(2.0, 1 - 2.0**-30, 1 - 2.0**-20, 0.5)
    line = line_of(draw.pair("remove"), 0.5, 2.0, 20.0)
    assert check(line, draw.truth("remove"), 0.5, 0.25, range(11, 26, 2)) > 0.02


def test_samples_lack_what_those_of_the_parts_do():
    """By their shares, which are the parts' moments."""
    draw, needs = Draw(2.0, 1 - 2.0**-30, 1 - 2.0**-20, 0.5), (0.25, 0.5, 0.75, 2.0, 20.0)
    line = _core.contour.moment_line(draw.pair("remove"), *needs)
    parts = [
        _core.contour.moment_line(_core.dominating_pair("poisson_gaussian_remove", [*one]), *needs)
        for one in ((draw.sigma, draw.rate), (draw.sigma / 2, draw.later))
    ]
    logs = [part.log_moment()[0] for part in parts]
    shares = [math.exp(log - max(logs)) for log in logs]
    samples = zip(line.samples(0.25, 26), *(part.samples(0.25, 26) for part in parts), strict=True)
    for whole, *own in list(samples)[1:]:
        lacks = sum(share * sample[3] for share, sample in zip(shares, own, strict=True))
        assert whole[3] == pytest.approx(1.01 * lacks / sum(shares), rel=1e-3, abs=0)


@pytest.mark.every(2)
@pytest.mark.parametrize("rounded", [-1, 1])
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_rate_off_by_its_rounding_is_held(direction, rounded):
    """Next to 1 it moves the loss by a million times as much, where little noise shows it."""
    draw = Draw(0.4, 0.5, 1 - 2.0**-20, 0.75)
    line = line_of(draw.pair(direction), 0.5, 20.0)
    check(line, draw.truth(direction, (rounded, 2 * rounded)), 0.5, 1.0, [1, 7, 19])


def test_what_is_too_rare_for_binary64_is_within_what_is_left_out():
    """At most 1e-300 of it, at a tilt where that is as much as e^-24 of the moment."""
    draw, tilt = Draw(0.3, 1e-30, 0.999, 1e-305), 5.0
    line = _core.contour.moment_line(draw.pair("remove"), 0.1, tilt, tilt, 5.0, 38.0)
    truth = draw._replace(none=RARE).truth("remove")
    value, error = line.log_moment()
    off = abs(truth.log_moment(tilt) - arb(value))
    assert 0.9 * error < off <= arb(error)
    assert truth.log_moment(tilt) <= arb(line.log_moment_above(tilt))
    opposite = 0.01285  # half a turn of what is left out
    re, im, rounding, truncation = line.samples(opposite, 2)[1]
    (moment,) = truth.samples(tilt, [arb(opposite)])
    off = abs(moment - 1 - acb(re, im))
    assert 0.9 * truncation < off <= arb(rounding) + arb(truncation)
    assert line.truncation(opposite) == pytest.approx(truncation, rel=1e-6, abs=0)


@pytest.mark.parametrize(("sigma", "tilt"), [(0.3, 6.0), (1.0, 20.0)])
def test_what_is_too_rare_rules_moments_of_large_losses(sigma, tilt):
    """Where the others are next to nothing: 1e-300 of a Gaussian of half the noise."""
    draw = Draw(sigma, 1e-30, 0.999, 1e-305)
    _, upper = draw.pair("remove").log_moment_bounds(tilt)
    truth = draw._replace(none=RARE).truth("remove").log_moment(tilt)
    assert truth < arb(upper)
    alone = arb(RARE).log() + tilt * (tilt + 1) * (2 / arb(sigma)) ** 2 / 2
    assert abs(arb(upper) - alone) < 1e-5


def test_what_lines_cut_counts_by_the_weights():
    """Of both cases the largest losses, at a tilt that they would rule."""
    draw = Draw(21.0, 1.41e-6, 1.4e-6, 0.25)
    cut, needs = 1e-20, (14_000.0, 28_000.0, 42_000.0, 62_000.0, 43.0)
    line = _core.contour.moment_line(draw.pair("remove"), *needs, cut)
    parts = [
        _core.contour.moment_line(
            _core.dominating_pair("poisson_gaussian_remove", [sigma, rate]), *needs, cut / weight
        )
        for sigma, rate, weight in (
            (draw.sigma, draw.rate, 0.75),
            (draw.sigma / 2, draw.later, 0.25),
        )
    ]
    counted = 0.75 * arb(parts[0].left_out()) + 0.25 * arb(parts[1].left_out())
    assert counted > 0
    assert counted <= arb(line.left_out()) <= 1.01 * counted


def test_a_part_of_bounded_losses_needs_no_cut():
    """The special record added: the losses of batches with room are at most -log(1 - rate)."""
    draw, cut, needs = Draw(4.0, 1e-3, 1e-3, 0.02), 1e-12, (150.0, 300.0, 450.0, 9e3, 25.0)
    line = _core.contour.moment_line(draw.pair("special_add"), *needs, cut)
    second = _core.dominating_pair("poisson_gaussian_replace", [draw.sigma / 2, draw.later])
    left_out = _core.contour.moment_line(second, *needs, cut / draw.none).left_out()
    assert line.left_out() == pytest.approx(draw.none * left_out, rel=1e-5)
    assert 0 < line.left_out() <= cut * (1 + 1e-5)
    (weight, first), (other, rest) = draw.truth("special_add").parts
    end = end_of(draw.sigma / 2, draw.later, left_out)
    truth = Truth(((weight, first), (other, replace(rest, top=end))))
    lines.check(line, truth, needs[1], needs[3] / 12, [1, 5, 11, 12])
