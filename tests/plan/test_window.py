# SPDX-License-Identifier: Apache-2.0
"""Windows hold what they are to hold, by certified quantiles and tails of the loss."""

import itertools
import math

import pytest

import hockeystick as hs
from plan.plans import MECHANISMS, saddlepoint

INTERVAL = 0.01


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("tail_mass", [1e-4, 1e-10])
def test_no_more_than_the_tail_mass_lies_above_a_whole_window(mechanism, count, tail_mass):
    first, size = saddlepoint(mechanism, count).whole_window(INTERVAL, tail_mass)
    top = (first + size - 1) * INTERVAL
    run = count * mechanism
    assert run.probabilistic_delta_bounds(top, adjacency=hs.Adjacency.REMOVE_ONE).upper <= tail_mass
    if tail_mass > 1e-6:
        bounds = run.loss_quantile_bounds(tail_mass, adjacency=hs.Adjacency.REMOVE_ONE)
        assert first * INTERVAL <= bounds.lower


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_a_circle_keeps_all_but_the_cut_away(mechanism, count, delta):
    """What wraps around from above lies a period above the window's first loss."""
    forecast, cut = saddlepoint(mechanism, count), 1e-4
    at = forecast.saddle_for_delta(delta)
    first, size, period = forecast.question_window(at, INTERVAL, cut)
    lowest, highest = first * INTERVAL, (first + size - 1) * INTERVAL
    assert lowest <= at.epsilon <= highest
    assert period >= 0.9 * size or period * INTERVAL >= highest - lowest - at.deviation
    beyond = (first + period) * INTERVAL
    bounds = (count * mechanism).delta_bounds(beyond, adjacency=hs.Adjacency.REMOVE_ONE)
    # In the tilted measure the mass there is heavier by the tilt.
    log_tilted = math.log(bounds.upper) + at.tilt * (beyond - at.epsilon)
    assert log_tilted <= math.log(cut * delta) + 3


@pytest.mark.parametrize(("mechanism", "count"), MECHANISMS)
def test_smaller_cuts_widen_windows(mechanism, count):
    forecast = saddlepoint(mechanism, count)
    at = forecast.saddle_for_delta(1e-6)
    windows = [forecast.question_window(at, INTERVAL, cut) for cut in (1e-2, 1e-5, 1e-8)]
    assert all(a[1] < b[1] and a[2] < b[2] for a, b in itertools.pairwise(windows))
