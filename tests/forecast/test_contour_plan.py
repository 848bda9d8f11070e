# SPDX-License-Identifier: Apache-2.0
"""Contours run where few samples do, and are given up where a transform is cheaper."""

import pytest

from forecast.forecasts import GAUSSIAN, LATTICE, terms
from hockeystick import _core


def answer(mechanism, count, tolerance, method=""):
    (found,) = _core.epsilon_bounds(
        [terms(mechanism, count)], [1e-6], tolerance=tolerance, memory_limit=1 << 30, method=method
    )
    return found


@pytest.mark.parametrize("count", [100, 10_000])
def test_contours_take_more_samples_for_smaller_tolerances(count):
    sizes = [answer(GAUSSIAN, count, tolerance).size for tolerance in (1e-2, 1e-4, 1e-6)]
    assert sizes == sorted(sizes)
    assert sizes[-1] < 1000


def test_a_contour_is_taken_where_it_costs_less_than_a_transform():
    contour, transform = (
        answer(GAUSSIAN, 1000, 1e-3),
        answer(GAUSSIAN, 1000, 1e-3, "fft_composition"),
    )
    assert contour.method == "contour_integral"
    assert contour.cost < transform.cost
    assert answer(LATTICE, 5, 1e-3).method != "contour_integral"
