# SPDX-License-Identifier: Apache-2.0
"""Cells of noise given by functions against the same pairs in ball arithmetic."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import exact
import hockeystick as hs
from exact.pair import Pair, cells_of
from hockeystick import _core
from mechanisms import cells

ACCURACY = 1e-14
LAPLACE = (lambda x: -np.abs(x) - math.log(2), lambda x: np.exp(x) / 2)
NORMAL = (stats.norm.logpdf, stats.norm.cdf)


def core_pair(functions, shift, accuracy=ACCURACY):
    return _core.additive_noise_pair(*functions, accuracy, shift)


@pytest.mark.parametrize("shift", [2.0**-10, 0.125, 1.0, 8.0])
def test_stated_errors_hold_for_normal_noise(shift):
    ends = [shift * (x - shift / 2) for x in (-14.0, -3.0, -0.5, 0.4, 2.0, 14.0)]
    edges = sorted({e for x in ends for e in (x, x + 1e-3 * shift, x + 0.2 * shift)})
    got = cells.check(core_pair(NORMAL, shift), Pair(exact.Step(1 / shift), "remove"), edges)
    assert got.mass_error < 1e-10
    assert max(got.share_error, got.share_error_p) < 3e-9
    assert got.loss_error < 1e-11 * max(1.0, shift)


@pytest.mark.parametrize("shift", [2.0**-10, 0.125, 1.0, 8.0])
def test_stated_errors_hold_for_laplace_noise(shift):
    """The loss takes both ends with positive probability."""
    inner = [-0.99, -0.7, -0.1, 0.0, 0.1, 0.3, 0.97]
    edges = [-3 * shift, *(x * shift for x in inner), 1.5 * shift, 3 * shift]
    got = cells.check(core_pair(LAPLACE, shift), cells_of(hs.Laplace(1 / shift), "remove"), edges)
    assert got.mass_error < 1e-9
    assert got.p[-2] > 0.5
    assert got.p[-1] == 0


@pytest.mark.parametrize("width", [1e-15, 1e-12, 1e-9, 1e-6])
def test_cells_too_narrow_for_differences(width):
    edges = [0.3, 0.3 + width, 0.3 + 2 * width]
    got = core_pair(NORMAL, 1.0).integrate(edges)
    assert got.mass_error < 1e-7 or got.loss_error > width / 100
    density = stats.norm.pdf(0.3 - 0.5)
    assert got.p.sum() == pytest.approx(density * (edges[2] - edges[0]), rel=0.05 + 1e-15 / width)


def test_edges_on_one_point_hold_nothing():
    got = core_pair(NORMAL, 1.0).integrate([0.3, 0.3, 0.5])
    assert (got.p[0], got.above[0], got.below[0]) == (0, 0, 0)


def test_a_stated_accuracy_is_booked():
    edges = [-0.5, 0.0, 0.5]
    errors = [
        (got.mass_error, got.share_error_p, got.loss_error)
        for got in (core_pair(NORMAL, 1.0, a).integrate(edges) for a in (1e-14, 1e-10, 1e-6))
    ]
    for less, more in itertools.pairwise(errors):
        assert all(1e3 * a < b for a, b in zip(less, more, strict=True))


def test_no_bound_of_the_loss_is_claimed():
    """It may have one, but functions at finitely many points do not prove it."""
    laplace = core_pair(LAPLACE, 0.5)
    assert (laplace.loss_infimum, laplace.loss_supremum) == (-math.inf, math.inf)
