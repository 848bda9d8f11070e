# SPDX-License-Identifier: Apache-2.0
"""Edges for moments increase, and leave no mass that matters outside."""

import numpy as np
import pytest

from hockeystick import _core
from plan.plans import MECHANISMS, terms


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
def test_edges_hold_the_mass(mechanism, count):
    ((pair, _),) = terms(mechanism, count)
    for fineness in (1, 8):
        edges = np.array(_core.plan.moment_edges(pair, fineness))
        assert (np.diff(edges) > 0).all()
        cells = pair.integrate(edges)
        assert cells.lower_tail_q < 1e-30
        assert cells.upper_tail_p < 1e-30
    coarse = len(_core.plan.moment_edges(pair, 1))
    assert len(edges) > 4 * coarse
