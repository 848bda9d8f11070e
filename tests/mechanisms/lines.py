# SPDX-License-Identifier: Apache-2.0
"""Moments on a line of the core, and what they are held to: integrals that are proved."""

import math

from flint import acb, arb

import exact
from exact.line import SmoothLine
from hockeystick import _core
from mechanisms.cells import core_pair


def sampled(sigma, rate, direction):
    """The pair under test, plain at rate 1 with shift 1 / sigma in every direction; its truth."""
    pair = core_pair(exact.Step(sigma, rate), direction)
    return pair, SmoothLine(((1 / arb(sigma), arb(rate)),), "remove" if rate == 1 else direction)


def mixture(deviation, rate, parts, direction):
    sensitivities, weights = zip(*parts, strict=True)
    pair = _core.dominating_pair(
        f"gaussian_mixture_{direction}", [deviation, rate, *sensitivities, *weights]
    )
    total = sum((arb(w) for w in weights), arb(0))
    moved = tuple((arb(s) / deviation, arb(rate) * arb(w) / total) for s, w in parts if s > 0)
    return pair, SmoothLine(moved, direction)


def line_of(pair, tilt, frequency, log_accuracy=38.0, cut=0.0):
    return _core.contour.moment_line(pair, tilt / 2, tilt, 1.5 * tilt, frequency, log_accuracy, cut)


def check(line, truth, tilt, spacing, turns, *, moduli=False):
    """Samples and real moments; how much of what is stated for samples is met, at most."""
    value, error = line.log_moment()
    assert abs(truth.log_moment(tilt) - arb(value)) <= arb(error)
    for other in (tilt / 2, tilt, 1.5 * tilt):
        assert truth.log_moment(other) <= arb(line.log_moment_above(other))
    samples, met = line.samples(spacing, max(turns) + 1), 0.0
    assert samples[0] == (0.0, 0.0, 0.0, 0.0)
    exact = truth.samples(tilt, [arb(spacing) * k for k in turns])
    for k, moment in zip(turns, exact, strict=True):
        re, im, rounding, truncation = samples[k]
        off = abs(moment - 1 - acb(re, im))
        if math.isfinite(truncation):
            assert off <= arb(rounding) + arb(truncation), k
            met = max(met, float((off / (rounding + truncation)).mid()))
        below = range(k + 1 if moduli else 0)
        assert all(abs(moment) <= arb(line.modulus_bound(spacing * j)) for j in below)
    return met
