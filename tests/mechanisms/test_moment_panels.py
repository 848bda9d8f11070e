# SPDX-License-Identifier: Apache-2.0
"""Moments without the largest losses, by panels, against integrals that are proved."""

from dataclasses import replace

import pytest
from flint import arb

from mechanisms.lines import check, line_of, sampled

pytestmark = pytest.mark.bits(250)


# Noise, rate, tilt, frequency, accuracy, what may be cut.
DIRECTIONS = ("remove", "replace")
CUT = [
    (21.08, 1.41e-6, 28_500.0, 62_700.0, 43.5, 1.6e-21),
    (10.18, 7.02e-4, 5847.0, 63_100.0, 31.5, 7.7e-13),
    (2.0, 1e-6, 500.0, 1e5, 25.0, 1e-14),
    (0.7, 1e-9, 40.0, 3e4, 20.0, 1e-11),
    (300.0, 1e-3, 1e5, 1e6, 30.0, 1e-14),
]


def end_of(sigma, rate, left_out):
    """The outcome beyond which the core finds that mass."""

    def mass(x):
        log = (
            1 - arb(rate) + arb(rate) * ((x - 1 / arb(2 * sigma)) / sigma).exp()
        ).log() - x * x / 2
        return log.exp() / (2 * arb.pi()).sqrt() / (x - 1 / arb(sigma)) * (1 + arb("1e-9"))

    low, high = 1 / arb(sigma) + 1, 1 / arb(sigma) + 100
    for _ in range(80):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if mass(middle) > arb(left_out) else (low, middle)
    return float(high)


def tail(sigma, rate, x):
    """P(X > x) of the side that has the record."""
    far = [(arb(at) / arb(2).sqrt()).erfc() / 2 for at in (x, x - 1 / sigma)]
    return (1 - arb(rate)) * far[0] + arb(rate) * far[1]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate", "tilt", "frequency", "log_accuracy", "cut"), CUT)
def test_lines_without_the_largest_losses_are_enclosed(
    sigma, rate, tilt, frequency, log_accuracy, cut, direction
):
    """Tilts at which losses that hardly ever happen would rule the moments."""
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, tilt, frequency, log_accuracy, cut)
    assert 0.5 * cut < line.left_out() <= cut
    end = end_of(sigma, rate, line.left_out())
    assert tail(sigma, rate, end) <= arb(line.left_out()) <= 1.5 * tail(sigma, rate, end)
    check(line, replace(truth, top=end), tilt, frequency / 12, [1, 5, 11, 12])


@pytest.mark.every(4)
@pytest.mark.parametrize("log_accuracy", [8.0, 12.0, 16.0])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate", "tilt", "frequency", "_", "cut"), CUT)
def test_coarse_panels_are_enclosed(sigma, rate, tilt, frequency, _, cut, direction, log_accuracy):
    """At frequencies beyond those that the panels were made for, too."""
    pair, truth = sampled(sigma, rate, direction)
    line = line_of(pair, tilt, frequency / 2, log_accuracy, cut)
    end = end_of(sigma, rate, line.left_out())
    check(line, replace(truth, top=end), tilt, frequency / 12, [1, 3, 6, 7, 8])


def test_what_is_cut_is_no_more_than_stated():
    """At a tilt next to 0 the moment lacks just that."""
    pair, _ = sampled(1.0, 1e-9, "remove")
    line = line_of(pair, 1e-9, 1e6, 18.0, 1e-10)
    value, error = line.log_moment()
    missing = 1 - arb(value).exp()
    assert missing <= arb(line.left_out()) + arb(error)
    assert arb(line.left_out()) <= 2 * missing


def test_losses_may_be_cut_where_they_matter():
    """No valley lies between what matters and what is left out."""
    pair, truth = sampled(0.5, 1e-4, "remove")
    line = line_of(pair, 100.0, 1e3, 30.0, 1e-6)
    check(line, replace(truth, top=end_of(0.5, 1e-4, line.left_out())), 100.0, 100.0, [1, 5, 10])


def test_panels_of_too_many_nodes_are_refused():
    pair, _ = sampled(0.1, 1e-4, "remove")
    with pytest.raises(ValueError, match="no such moment line"):
        line_of(pair, 10.0, 1e6, 30.0, 1e-12)
