# SPDX-License-Identifier: Apache-2.0
"""A sum over the batches of a shuffled epoch: below the mixtures, and how closely."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import hockeystick as hs
from hockeystick import _core


@pytest.mark.parametrize(
    ("noise", "batches", "least"),
    [(2.0, 1000, 0.120), (2.0, 10**4, 0.028), (4.0, 100, 0.107), (4.0, 1000, 0.030)],
)
def test_more_is_attained_than_by_the_largest_batch_or_an_allocation(noise, batches, least):
    """Which attain 0.110, 0.017, 0.092 and 0.027."""
    for left_out in (0, 1):
        epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=left_out)
        assert epoch.epsilon_bounds(1e-6, adjacency="replace-special").lower >= 0.98 * least


@pytest.mark.parametrize(("batches", "times"), [(200, 33.25), (4000, 4.69)])
def test_errors_of_sums_lower_the_curve_by_what_the_page_says(batches, times):
    """Beside the law by plain transforms: 2 normal_error of P and of Q for each batch.

    What transforms may lose makes that `times` as large.
    """
    noise = 3.0
    period = _core.numeric.good_size(int(96 * math.sqrt(batches)))
    shift = 1 / noise * (1 - 2.0**-51)
    edges = np.arange(int((16 + 2 * shift) * 32)) / 32 - 8
    f = np.exp(2 * shift * (edges + 1 / 64) - 2 * shift**2) - np.exp(
        shift * (edges + 1 / 64) - shift**2 / 2
    )

    def masses(mean):
        return np.diff([0, *ndtr(edges[1:] - mean), 1])

    f *= 4 / math.sqrt(masses(0) @ np.minimum(1, f**2))

    def law(mean):
        place = np.clip(f, -period / 4, period / 2)
        floor = np.floor(place)
        found = np.zeros(period)
        for at, share in ((floor, 1 - place + floor), (floor + 1, place - floor)):
            np.add.at(found, at.astype(int) % period, masses(mean) * share)
        return np.fft.rfft(found)

    with_it, without_it = (
        np.roll(np.fft.irfft(law(m * shift) * law(0) ** (batches - 1), period), period // 4)
        for m in (2, 1)
    )
    stride = max(1, int(4 * math.sqrt(batches) / 16))
    sums = [
        np.add.reduceat(each, np.r_[0, np.arange(1, period, stride)])
        for each in (with_it, without_it)
    ]
    pair = _core.dominating_pair("shuffled_sum_below", [noise, batches, 2.0, 1.0, 1.0])
    atoms = _core.sampling.atoms_of(pair)
    booked = 2 * batches * _core.numeric.normal_error + 2.0**-53 * (period + 8)
    below = math.fsum(m * max(0.0, -math.expm1(-x)) for x, m in atoms)
    more = sums[0] > sums[1]
    plain = math.fsum((sums[0] - sums[1])[more])
    masses_of_more = math.fsum((sums[0] + sums[1])[more])
    assert plain - below == pytest.approx(times * booked * masses_of_more, rel=0.03)
