# SPDX-License-Identifier: Apache-2.0
"""Pairs of described mechanisms: one object for equal ones, and the last few are held."""

import hockeystick as hs
from hockeystick import Direction, _core

REMOVE = Direction.REMOVE
HELD = _core.parts.held_pairs
MOST, MOST_BYTES = 1024, 2**26


def test_equal_mechanisms_share_their_pair():
    pair = hs.Gaussian(1.5).poisson_sampled(0.1).dominating_pair(REMOVE)
    assert hs.Gaussian(1.5).poisson_sampled(0.1).dominating_pair(REMOVE) is pair
    assert hs.Gaussian(1.5).poisson_sampled(0.2).dominating_pair(REMOVE) is not pair


def test_a_pair_that_was_asked_for_lately_is_found_again():
    """Looking for it again holds no further one."""
    hs.Gaussian(1.125).dominating_pair(REMOVE)
    number, _ = HELD()
    hs.Gaussian(1.125).dominating_pair(REMOVE)
    assert HELD()[0] == number


def test_no_more_than_a_thousand_are_held():
    for k in range(MOST + 100):
        hs.Gaussian(2 + k / 1000).dominating_pair(REMOVE)
    assert HELD()[0] == MOST


def test_large_tables_push_out_others():
    sizes = []
    for k in range(12):
        hs.DiscreteGaussian(sigma=8000.0 + k).dominating_pair(REMOVE)
        sizes.append(HELD())
    assert all(size <= MOST_BYTES for _, size in sizes)
    assert sizes[-1][1] > MOST_BYTES / 2
    assert sizes[-1][0] < 12 + MOST
