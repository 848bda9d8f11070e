# SPDX-License-Identifier: Apache-2.0
"""A sum over the batches of a shuffled epoch: below the mixtures, and how closely."""

import pytest

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


@pytest.mark.parametrize("batches", [2, 1000, 10**5])
def test_stated_errors_of_a_sum_are_those_of_the_page(batches):
    """1e-7 of each mass, and normal_error twice for each batch; twice as much of the losses."""
    pair = _core.dominating_pair("shuffled_sum_below", [3.0, batches, 2.0, 1.0, 1.0])
    masses, losses = pair.law_errors()
    booked = 1.01e-7 + 2 * batches * _core.numeric.normal_error
    assert masses == pytest.approx(booked, rel=1e-6)
    assert losses == pytest.approx(2.1 * booked, rel=1e-6)
