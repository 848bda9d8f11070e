# SPDX-License-Identifier: Apache-2.0
"""Intervals that put atoms on a grid are found soon, or given up."""

import pytest

import hockeystick as hs


@pytest.mark.parametrize("epsilon", [29.75169362641035, 20.0])
def test_intervals_far_below_the_spacing_of_atoms_are_planned_soon(epsilon):
    """Two lattices that no grid serves: not every divisor of a spacing is tried."""
    answers = hs.RandomizedResponse(noise_parameter=0.8559623733492494, num_buckets=69)
    pair = hs.DiscretePair(
        p=[0.7067339816192144, 0.025453933628101954, 0.2678120847526836],
        q=[0.7845189170027582, 0.016280461684472117, 0.1992006213127697],
    )
    run = answers + 62 * pair
    bounds = run.delta_bounds(epsilon, adjacency=hs.Adjacency.REPLACE_ONE, memory_limit=1 << 26)
    assert 0 < bounds.lower <= bounds.upper < 1
    assert bounds.gap <= 1e-3 * bounds.upper


def test_losses_that_underflow_are_planned_soon():
    """The deviation of the loss underflows, and with it the interval: no multiple of 0 serves."""
    step = hs.ApproximateDP(epsilon=3.5e-6, delta=3e-7).poisson_sampled(1e-320)
    with pytest.raises(hs.CertificationError) as refused, hs.time_limit(60):
        (1000 * step).gdp_mu(smallest_rate=1e-12, adjacency=hs.Adjacency.REPLACE_SPECIAL)
    assert refused.value.bounds.lower >= 0


@pytest.mark.parametrize("rate", [3e-313, 1e-315, 5e-324])
@pytest.mark.parametrize(
    "mechanism", [hs.DiscretePair((1, 2, 3), (2, 1, 3)), hs.Laplace(3.0), hs.ApproximateDP(1.0, 0)]
)
def test_losses_that_underflow_ask_for_no_grid_of_their_own(mechanism, rate):
    """Of spacings below 1e-312 an interval is more multiples than there are numbers."""
    noise = hs.Gaussian(noise_multiplier=0.2848831284384913)
    truth = noise.delta_bounds(5.27)
    found = (noise + 10_000 * mechanism.poisson_sampled(rate)).delta_bounds(5.27)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
