# SPDX-License-Identifier: Apache-2.0
"""Pairs of many bins, for which nodes of forecasts stand by the dozen or the thousand."""

import numpy as np
import pytest

import hockeystick as hs


@pytest.mark.parametrize("size", [30_000, 100_000])
@pytest.mark.parametrize("count", [2, 10])
def test_histograms_of_many_bins_at_any_tolerance(size, count):
    """Nodes of forecasts stand for many atoms, the largest of which lie above them."""
    p, q = (np.random.default_rng(seed).dirichlet(np.full(size, 20.0)) for seed in (0, 1))
    run = count * hs.DiscretePair(p=p, q=q)
    bounds = [run.epsilon_bounds(1e-5, tolerance=t) for t in (0.5, 1e-2, 1e-3, 1e-4)]
    assert max(b.lower for b in bounds) <= min(b.upper for b in bounds)
    delta = run.delta_bounds(bounds[-1].upper, tolerance=1e-4)
    assert delta.lower <= 1e-5


def test_a_composed_pair_of_two_histograms_is_that_of_all_pairs_of_bins():
    p, q = (np.random.default_rng(seed).dirichlet(np.full(900, 20.0)) for seed in (0, 1))
    joint = hs.DiscretePair(p=np.outer(p, p).ravel(), q=np.outer(q, q).ravel())
    for delta in (1e-1, 1e-4):
        both = (2 * hs.DiscretePair(p=p, q=q)).epsilon_bounds(delta)
        alone = joint.epsilon_bounds(delta, tolerance=1e-6)
        assert max(both.lower, alone.lower) <= min(both.upper, alone.upper) + 1e-12
