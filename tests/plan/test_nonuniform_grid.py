# SPDX-License-Identifier: Apache-2.0
"""Grids are fine where a step has its bulk, and hold all but the cut."""

import math

import numpy as np
import pytest

from hockeystick import _core
from plan.plans import GAUSSIAN, LATTICE, MECHANISMS, terms

INTERVAL, WIDEST = 1e-3, 0.25


def grid(mechanism, log_cut, tilt=0.0):
    ((pair, _),) = terms(mechanism, 1)
    needs = {
        "tilt": tilt,
        "log_cut": log_cut,
        "widest": WIDEST,
        "interval": INTERVAL,
    }
    return pair, np.array(_core.plan.nonuniform_grid(pair, **needs))


@pytest.mark.parametrize("mechanism", [mechanism for mechanism, _ in MECHANISMS])
@pytest.mark.parametrize("log_cut", [-20.0, -60.0])
def test_no_more_than_the_cut_lies_above(mechanism, log_cut):
    pair, points = grid(mechanism, log_cut)
    assert (np.diff(points) > 0).all()
    beyond = pair.integrate(points[-1:] * INTERVAL).upper_tail_p
    assert beyond <= 2 * math.exp(log_cut)


def test_gaps_are_one_in_the_bulk_and_wider_outside():
    _, points = grid(GAUSSIAN, -60.0)
    gaps = np.diff(points)
    assert gaps[np.searchsorted(points, 0)] == 1
    assert 1 < gaps.max() <= WIDEST / INTERVAL
    assert set(np.unique(gaps[:-1])) <= {2**k for k in range(40)}


def test_atoms_have_their_neighbours_and_no_others():
    pair, points = grid(LATTICE, -60.0)
    losses, log_masses = pair.nodes()
    kept = np.array(losses)[np.array(log_masses) > -50]
    below = np.floor(kept / INTERVAL + 1e-6)
    assert np.isin(below, points).all()
    assert len(points) < 4 * len(losses) + 60
