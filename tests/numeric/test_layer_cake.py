# SPDX-License-Identifier: Apache-2.0
"""What a density above a histogram loses of its mass at a frequency."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick import _core

bars = st.lists(st.tuples(st.floats(0, 3), st.floats(0.01, 2)), min_size=1, max_size=12)


def modulus(heights, widths, frequency):
    """|integral of e^(i w x)| over the histogram."""
    ends = np.concatenate([[0.0], np.cumsum(widths)])
    turned = np.exp(1j * frequency * ends)
    return abs(np.sum(np.asarray(heights) * np.diff(turned)) / (1j * frequency))


@given(bars, st.floats(0.01, 40.0))
def test_the_histogram_itself_loses_at_least_the_gap(rows, frequency):
    heights, widths = zip(*rows, strict=True)
    mass = float(np.dot(heights, widths))
    gap = _core.contour.modulus_gap(heights, widths, frequency)
    assert 0 <= gap <= mass * (1 + 1e-12)
    assert modulus(heights, widths, frequency) <= mass - gap + 1e-9 * (mass + 1)


@given(bars, st.floats(0.01, 40.0), st.floats(1.0, 5.0))
def test_the_gap_grows_with_frequency_and_with_width(rows, frequency, factor):
    heights, widths = zip(*rows, strict=True)
    gap = _core.contour.modulus_gap(heights, widths, frequency)
    assert _core.contour.modulus_gap(heights, widths, factor * frequency) >= gap * (1 - 1e-12)
    wider = [factor * width for width in widths]
    assert _core.contour.modulus_gap(heights, wider, frequency) >= gap * (1 - 1e-12)


@pytest.mark.parametrize("frequency", [0.3, 2.0, 20.0])
def test_one_bar_is_known(frequency):
    gap = _core.contour.modulus_gap([2.0], [3.0], frequency)
    lost = 6 - modulus([2.0], [3.0], frequency)
    assert 0.7 * lost < gap <= lost


def test_layers_of_a_peak_make_most_of_a_normal_density():
    x = np.linspace(-5, 5, 201)
    heights = np.minimum(np.exp(-(x[1:] ** 2) / 2), np.exp(-(x[:-1] ** 2) / 2))
    gaps = [
        _core.contour.modulus_gap(heights, np.diff(x), w) / np.sqrt(2 * np.pi)
        for w in (0.2, 1.0, 3.0)
    ]
    lost = [1 - np.exp(-(w**2) / 2) for w in (0.2, 1.0, 3.0)]
    assert all(0.6 * most < gap <= most for gap, most in zip(gaps, lost, strict=True))
    assert all(a < b for a, b in pairwise(gaps))
