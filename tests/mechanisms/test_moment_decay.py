# SPDX-License-Identifier: Apache-2.0
"""Bounds of moduli off the real axis, by a path above it, against integrals that are proved."""

from dataclasses import replace

import pytest
from flint import arb

from hockeystick import _core
from mechanisms.lines import line_of, mixture, sampled
from mechanisms.mixtures import near
from mechanisms.test_moment_panels import end_of

pytestmark = pytest.mark.bits(250)


def modulus(truth, tilt, frequency):
    (sample,) = truth.samples(tilt, [arb(frequency)])
    return abs(sample)


# Noise, rate, direction, tilt, frequencies, how many times the truth the bound may be.
LINES = [
    (39.4, 2.5e-6, "remove", 1e3, (7.9e7, 1.26e8), 3),
    (39.4, 2.5e-6, "add", 1e5, (6.3e7, 9.5e7), 3),
    (15.75, 2e-3, "add", 4e3, (3.15e4, 6.3e4), 3),
    (2.0, 1e-4, "add", 1e4, (1e5, 1.6e5, 4e5), 1.3),
    pytest.param(1.0, 1e-5, "add", 1e5, (8e5,), 1.3, marks=pytest.mark.deep),
    (2.0, 1e-3, "remove", 3.0, (2e4,), 2),
    (3.0, 0.9, "remove", 0.5, (15.0, 24.0), 1e9),
    (30.0, 0.01, "replace", 200.0, (6e3, 9e3), 2),
    (1.0, 0.5, "replace", 2.0, (12.0, 20.0), 1e9),
]


@pytest.mark.parametrize(("sigma", "rate", "direction", "tilt", "frequencies", "most"), LINES)
def test_moduli_are_below_their_bounds(sigma, rate, direction, tilt, frequencies, most):
    """Of losses that are all but normal the bound falls as their moments do."""
    pair, truth = sampled(sigma, rate, direction)
    for frequency in frequencies:
        bound = line_of(pair, tilt, frequency, 30.0).modulus_bound(frequency)
        exact = modulus(truth, tilt, frequency)
        assert exact <= arb(bound) <= most * exact


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_moduli_of_mixtures_are_below_their_bounds(direction):
    pair, truth = mixture(9.0, 1e-3, [(0.0, 0.4), (0.5, 0.3), (1.0, 0.3)], direction)
    for frequency in (4e4, 7e4):
        bound = line_of(pair, 100.0, frequency, 30.0).modulus_bound(frequency)
        exact = modulus(truth, 100.0, frequency)
        assert exact <= arb(bound) <= 3 * exact


# Noise, rate, tilt, frequencies, what may be cut, how many times the truth the bound may be.
CUT = [
    (10.18, 7e-4, 5847.0, (5.8e4, 1.16e5), 1e-12, 3),
    (300.0, 1e-3, 1e5, (1.2e6, 2.4e6), 1e-14, 3),
    (2.0, 1e-6, 500.0, (8e6, 1.6e7), 1e-14, 2),
    (1.0, 1e-2, 5.0, (5e3, 2e4), 1e-3, 3),
    (10.0, 1e-2, 5.0, (1e5,), 1e-3, 1.1),
]


@pytest.mark.parametrize(("sigma", "rate", "tilt", "frequencies", "cut", "most"), CUT)
def test_moduli_without_the_largest_losses_are_below_their_bounds(
    sigma, rate, tilt, frequencies, cut, most
):
    """What ends at the cut falls slowly: as the reciprocal of the frequency where that decides."""
    pair, truth = sampled(sigma, rate, "remove")
    for frequency in frequencies:
        line = line_of(pair, tilt, frequency, 30.0, cut)
        kept = replace(truth, top=end_of(sigma, rate, line.left_out()))
        exact = modulus(kept, tilt, frequency)
        assert exact <= arb(line.modulus_bound(frequency)) <= most * exact


# Parts of a bound, each with one that is far larger than the others: steepest slope, the negative
# exponent, cells and ends of log mass, slopes and what a negative exponent has, what lies beyond.
NOTHING = (-60.0, 1.0, 0.0, 0.0)
PARTS = [
    (1.3, 0.0, [(0.0, 0.4, 0.0, 0.0), (-1.0, 0.8, 0.3, 0.0)], (NOTHING, NOTHING), 1e-9),
    (1.3, 2.0, [(0.0, 0.5, 0.0, 0.6), (-2.0, 0.9, 0.0, 1.2)], (NOTHING, NOTHING), 1e-9),
    (0.7, 0.0, [(-50.0, 0.4, 0.0, 0.0)], ((0.0, 0.4, 0.0, 0.0), NOTHING), 1e-20),
    (0.7, 3.0, [(-50.0, 0.4, 0.1, 0.3)], (NOTHING, (-1.0, 0.2, 0.4, 0.5)), 1e-20),
    (0.7, 0.0, [(-50.0, 0.4, 0.0, 0.0)], (NOTHING, NOTHING), 0.125),
]


def bound_at(height, frequency, steepest, bends, cells, ends, beyond):
    """The bound of a path of one height."""

    def rise(bent):
        grown = height**2 / 2
        return grown - (bends * (1 - bent * steepest * grown).log() if bends else 0)

    def exponent(cell):
        _, slope, slope_behind, bent = cell
        turned = (arb(slope) + slope_behind) * (steepest * height).sin() / steepest
        return rise(bent) - frequency * turned

    flat = sum(((cell[0] + exponent(cell)).exp() for cell in cells), arb(0))
    sides = [(arb(end[0]).exp(), exponent(end)) for end in ends]

    def mean(most):
        """(e^most - 1) / most; near 0 a thousandth more than 1."""
        return (most.exp() - 1) / most if abs(most) > arb("1e-3") else 1 + arb("1e-3")

    upright = sum((mass * height * mean(most) for mass, most in sides), arb(0))
    return beyond + flat + upright


@pytest.mark.parametrize("frequency", [0.3, 3.0, 20.0])
@pytest.mark.parametrize(("steepest", "bends", "cells", "ends", "beyond"), PARTS)
def test_a_bound_is_the_sum_of_its_parts_on_the_best_path(
    steepest, bends, cells, ends, beyond, frequency
):
    found = _core.lines.decay_bound(steepest, bends, cells, ends, beyond, frequency)
    heights = [arb.pi() / 2 / arb(steepest) * arb("0.8") ** k for k in range(32)]
    given = (arb(frequency), arb(steepest), arb(bends), cells, ends, arb(beyond))
    paths = [bound_at(height, *given) for height in heights]
    formula = min((path for path in paths if path.is_finite()), key=float)
    assert near(found, formula)
