# SPDX-License-Identifier: Apache-2.0
"""One rule for the interval: finer for smaller tolerances, and tight where it says."""

import itertools

import pytest

from hockeystick import _core
from plan.plans import GAUSSIAN, LATTICE, MECHANISMS, saddlepoint, terms

WIDTHS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-12])
def test_intervals_grow_with_the_tolerance(mechanism, count, delta):
    forecast = saddlepoint(mechanism, count)
    at = forecast.saddle_for_delta(delta)
    by_delta = [forecast.interval_for_delta(at, width) for width in WIDTHS]
    wider = 8 if mechanism is LATTICE else 1  # where atoms stay where they are
    assert all(0 < b <= wider * a for a, b in itertools.pairwise(by_delta))
    by_variance = [forecast.interval_for_variance(width) for width in WIDTHS]
    assert all(0 < b <= a for a, b in itertools.pairwise(by_variance))


def test_a_variance_allowed_is_that_of_all_steps():
    """After N steps the sides lie N d^2 / 4 apart."""
    for count in (100, 10_000):
        forecast = saddlepoint(GAUSSIAN, count)
        assert forecast.interval_for_variance(1e-6) ** 2 * count / 4 == pytest.approx(1e-6)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_a_transform_on_the_interval_forecast_is_tight_at_once(tolerance):
    (answer,) = _core.delta_bounds(
        [terms(GAUSSIAN, 1000)],
        [1.0],
        tolerance=tolerance,
        memory_limit=1 << 30,
        method="fft_composition",
    )
    assert answer.converged
    assert answer.passes == 1
