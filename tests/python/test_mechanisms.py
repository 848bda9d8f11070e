# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as values."""

import dataclasses

import pytest

import hockeystick as hs
from hockeystick import Adjacency

STEP = hs.Gaussian(noise_multiplier=1.5)
SAMPLED = STEP.poisson_sampled(0.25)


def test_replace_changes_a_guarantee():
    changed = dataclasses.replace(hs.ApproximateDP(epsilon=0.25, delta=1e-6), epsilon=0.5)
    assert changed == hs.ApproximateDP(epsilon=0.5, delta=1e-6)
    assert dataclasses.replace(changed, guaranteed_delta=0.0) == hs.ApproximateDP(
        epsilon=0.5, delta=0.0
    )
    with pytest.raises(ValueError, match="^epsilon must be "):
        dataclasses.replace(hs.PermuteAndFlip(epsilon=0.5), epsilon=-1.0)


MIXTURE = hs.GaussianMixture(1.0, sensitivities=[0, 1, 2], probabilities=[0.5, 0.3, 0.2])
NO_WORSE = [STEP, MIXTURE, hs.Laplace(2.5)]


@pytest.mark.parametrize("mechanism", [*NO_WORSE, SAMPLED, hs.Laplace(2.5).poisson_sampled(0.25)])
def test_a_special_record_adds_nothing(mechanism):
    special = (10 * mechanism).epsilon_bounds(delta=1e-5, adjacency=Adjacency.REPLACE_SPECIAL)
    assert special == (10 * mechanism).epsilon_bounds(delta=1e-5)


def test_replacing_is_twice_the_distance():
    """N(-1) against N(1), as q -> 1 of the sampled form: half the noise multiplier."""
    half = hs.Gaussian(noise_multiplier=0.75)
    query = {"delta": 1e-5, "tolerance": 1e-6}
    lower, upper = STEP.epsilon_bounds(adjacency=Adjacency.REPLACE_ONE, **query)
    assert half.epsilon_bounds(**query) == (lower, upper)
    nearly = STEP.poisson_sampled(1 - 2**-53)
    limit = nearly.epsilon_bounds(adjacency=Adjacency.REPLACE_ONE, **query)
    assert limit.lower <= upper * (1 + 1e-9)
    assert limit.upper >= lower * (1 - 1e-9)
