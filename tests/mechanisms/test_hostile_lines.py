# SPDX-License-Identifier: Apache-2.0
"""Stated errors of moments on a line where they are hardest, against integrals that are proved."""

import math

import pytest
from flint import acb, arb

from hockeystick import _core
from mechanisms.lines import check, line_of, mixture, sampled

DIRECTIONS = ("remove", "add", "replace")
NEXT_TO_1 = 1 - 2**-53

pytestmark = pytest.mark.bits(250)


HARD = [
    (1e3, 1e-9, 2.0),
    (1e3, 0.3, 300.0),
    (100.0, 1e-15, 1000.0),
    (7.0, NEXT_TO_1, 3.0),
    (1.0, 5e-324, 2.0),
    (1.0, 1e-12, 30.0),
    (0.3, 1e-9, 4.0),
    (0.3, 0.9, 0.01),
    (0.15, 1e-20, 1.0),
    (0.2, NEXT_TO_1, 1.0),
]


@pytest.mark.every(5)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate", "tilt"), HARD)
def test_samples_are_enclosed(sigma, rate, tilt, direction):
    """Little noise and much, rates next to 0 and 1, tilts from one mass to the other."""
    pair, truth = sampled(sigma, rate, direction)
    deviation = min(1.0, tilt) / max(rate * sigma, sigma**-1, 1e-3)
    spacing = min(1.0, 0.05 * deviation)
    check(line_of(pair, tilt, 300 * spacing), truth, tilt, spacing, [1, 299])


PARTS = {
    "two": [(0.0, 0.5), (1.0, 0.25), (3.0, 0.25)],
    "far apart": [(0.01, 0.9), (7.0, 1e-7)],
    "none at 0": [(0.3, 0.2), (0.5, 0.3), (2.0, 0.5)],
}


@pytest.mark.every(3)
@pytest.mark.parametrize("rate", [1e-6, 0.2, 1.0])
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("name", PARTS)
def test_samples_of_mixtures_are_enclosed(name, direction, rate):
    pair, truth = mixture(1.3, rate, PARTS[name], direction)
    check(line_of(pair, 1.7, 20.0), truth, 1.7, 0.1, [1, 199])


STRIPS = [(1.0, NEXT_TO_1, 2.0), (1.0, 0.5, 8.0), (0.5, 0.999, 1.0), (3.0, 0.3, 0.2)]


@pytest.mark.every(3)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate", "tilt"), STRIPS)
def test_coarse_rules_are_off_by_no_more_than_strips_allow(sigma, rate, tilt, direction):
    """A rate next to 1 leaves a normal density, turned at one rate: it comes near the bound."""
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, tilt, 2.0 * sigma, 20.0)
    check(line, truth, tilt, 0.25 * sigma, range(1, 33, 4))


def test_the_bound_of_the_strip_is_met_to_a_factor():
    """Else the tests above would hold whatever it were."""
    for direction, least in (("remove", 0.1), ("replace", 0.05)):
        pair, truth = sampled(1.0, NEXT_TO_1, direction)
        line = line_of(pair, 2.0, 2.0, 20.0)
        assert check(line, truth, 2.0, 0.25, range(15, 26)) > least


def test_nodes_left_out_are_met_to_a_factor():
    """A tilt at which the rule's ends, not its step, are what samples lack."""
    pair, truth = sampled(1.0, 0.5, "add")
    line = line_of(pair, 50.0, 2.0, 20.0)
    value, error = line.log_moment()
    off = abs(truth.log_moment(50.0) - arb(value))
    assert 0.6 * arb(error) < off <= arb(error)


@pytest.mark.every(3)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    ("sigma", "rate"), [(1.0, NEXT_TO_1), (1.0, 0.9), (0.4, 0.999), (2.0, 0.1)]
)
def test_no_modulus_is_above_its_bound(sigma, rate, direction):
    """Nodes so dense that bars are all but the density: at low frequencies little is left over."""
    pair, truth = sampled(sigma, rate, direction)
    tilt, line = 1.0, line_of(pair, 1.0, 400.0 * sigma, 60.0)
    spread = 1e-3 * sigma
    (near,) = truth.samples(tilt, [arb(spread)])
    deviation = math.sqrt(-2 * math.log(float(abs(near).mid()))) / spread
    frequencies = [w / deviation for w in (0.02, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0)]
    moduli = [abs(moment) for moment in truth.samples(tilt, map(arb, frequencies))]
    bounds = [line.modulus_bound(w) for w in frequencies]
    for k, bound in enumerate(bounds):
        assert all(modulus <= arb(bound) for modulus in moduli[k:])
    if rate > 0.9 and direction != "add":
        assert 1 - bounds[1] > 0.9 * float(1 - moduli[1])


SIGMAS = [1e-3, 0.03, 0.7, 3.0, 1 / 3, 59.47, 1e3]


@pytest.mark.parametrize("tilt", [1e-9, 0.3, 7.0, 1e4])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_plain_gaussians_are_enclosed(sigma, tilt):
    """M(z) = e^(z (z + 1) / (2 sigma^2)): angles of thousands of turns, and what is left of |M|."""
    line = line_of(_core.dominating_pair("gaussian", [sigma]), tilt, 1.0)
    square, t = 1 / arb(sigma) ** 2, arb(tilt)
    value, error = line.log_moment()
    assert abs(square * t * (t + 1) / 2 - arb(value)) <= arb(error)
    for other in (tilt / 2, tilt, 1.5 * tilt):
        assert square * arb(other) * (arb(other) + 1) / 2 <= arb(line.log_moment_above(other))
    for spacing in (0.013 * sigma, 0.1 * sigma, sigma):
        samples = line.samples(spacing, 60)
        for k in range(1, 60):
            w = arb(spacing) * k
            truth = (square * acb(-w * w, w * (2 * t + 1)) / 2).exp()
            re, im, rounding, truncation = samples[k]
            assert abs(truth - 1 - acb(re, im)) <= arb(rounding)
            assert truncation == 0
            assert abs(truth) <= arb(line.modulus_bound(spacing * k))


TURNING = [
    ("remove", 2.2, 3.7e-4, 47.0, 1056.0, 30.0),
    ("remove", 12.7, 7.1e-3, 2.36, 69_600.0, 14.0),
    ("remove", 15.4, 0.0173, 0.69, 28_500.0, 8.0),
    ("remove", 1.6, 7e-6, 24.0, 30_000.0, 22.0),  # heights far below the step
    ("add", 1.0, 3e-7, 575.0, 851.0, 22.0),
    ("add", 2.2, 3.7e-4, 459.0, 1056.0, 38.0),
    ("add", 5.53, 0.0197, 5.16, 5110.0, 14.0),
    ("add", 12.2, 8.2e-3, 30.0, 66_400.0, 14.0),
    ("add", 29.8, 7.5e-3, 1.84, 183_900.0, 14.0),
    ("replace", 2.2, 3.7e-4, 47.0, 1056.0, 30.0),
    ("replace", 1.0, 3e-7, 0.7, 9000.0, 22.0),
    ("replace", 12.7, 7.1e-3, 2.36, 39_600.0, 14.0),
    ("replace", 29.8, 7.5e-3, 200.0, 103_900.0, 8.0),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("direction", "sigma", "rate", "tilt", "frequency", "log_accuracy"), TURNING
)
def test_paths_of_many_heights_bound_the_rule(
    direction, sigma, rate, tilt, frequency, log_accuracy
):
    """Where one strip would need hundreds or thousands of nodes; so few that the rule is coarse."""
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, tilt, frequency, log_accuracy)
    assert line.size() < 400
    check(line, truth, tilt, frequency / 12, [1, 5, 11, 12])
