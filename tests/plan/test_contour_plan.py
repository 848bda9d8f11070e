# SPDX-License-Identifier: Apache-2.0
"""Contours run where few samples do, and are given up where a transform is cheaper."""

import pytest

from hockeystick import _core
from plan.plans import GAUSSIAN, LATTICE, terms
from rare_runs import batches, mixture


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


RARE = {
    "huge losses": (95, mixture(1.7576, (0.4027, 2.269e-4), (0.9843, 1.094e-4)), 6.04e-8),
    "cut batches": (20, batches(4.04, 3.2786e-3, 444, 102_667), 7.14e-12),
    "tiny losses": (1_995_826, batches(68.18, 3.43e-5, 1, 1183), 2.72e-4),
    "far from nodes": (60, mixture(27.26, (0.9209, 7.978e-5)), 1e-6),
    "no room for a last panel": (
        237,
        mixture(
            0.53474, (0.1317, 6.97e-6), (0.8825, 4.74e-6), (0.2952, 8.61e-6), (0.4298, 4.75e-7)
        ),
        4.717e-11,
    ),
    "next to 0": (46, batches(2.449, 1.4363e-5, 6, 82_319), 1.65491e-5),
    "a transform is dear": (11_977, batches(1.05185, 4.47465e-5, 48, 477_170), 1.52945e-11),
    "epsilon is 0": (5523, batches(2.195, 7.279e-6, 4, 66_527), 8.39e-4),
}


@pytest.mark.parametrize("name", RARE)
def test_rare_large_losses_do_not_keep_contours_away(name):
    """Of the first two a transform takes as long: there the contour is asked for by name, too."""
    count, step, delta = RARE[name]
    by_name = "contour_integral" if name in {"huge losses", "cut batches"} else ""
    alone = name == "no room for a last panel"
    for method in {"", by_name}:
        (found,) = _core.epsilon_bounds(
            [terms(step, count)], [delta], tolerance=1e-3, memory_limit=1 << 30, method=method
        )
        assert alone or method != by_name or found.method == "contour_integral"
        assert found.upper - found.lower <= 1e-3 * found.upper
