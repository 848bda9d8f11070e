# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as values."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency

STEP = hs.Gaussian(noise_multiplier=1.5)
OUT_OF_RANGE = r"^noise_multiplier must be finite and in \[0.001, 1e\+12\], got "
SAMPLED = STEP.poisson_sampled(0.25)


def test_they_are_immutable_values():
    assert hs.Gaussian(noise_multiplier=1.5) == STEP
    assert hash(hs.Gaussian(noise_multiplier=1.5)) == hash(STEP)
    assert hs.PoissonSampled(mechanism=STEP, sampling_probability=0.25) == SAMPLED
    assert len({STEP, SAMPLED, hs.Gaussian(noise_multiplier=1.5)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        STEP.noise_multiplier = 2.0


@pytest.mark.parametrize("mechanism", [STEP, SAMPLED], ids=repr)
def test_they_pickle_and_their_repr_is_code(mechanism):
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism  # noqa: S301
    assert eval(repr(mechanism), vars(hs)) == mechanism  # noqa: S307


def test_replace_changes_a_guarantee():
    changed = dataclasses.replace(hs.ApproximateDP(epsilon=0.25, delta=1e-6), epsilon=0.5)
    assert changed == hs.ApproximateDP(epsilon=0.5, delta=1e-6)
    assert dataclasses.replace(changed, guaranteed_delta=0.0) == hs.ApproximateDP(
        epsilon=0.5, delta=0.0
    )
    with pytest.raises(ValueError, match="^epsilon must be "):
        dataclasses.replace(hs.PermuteAndFlip(epsilon=0.5), epsilon=-1.0)


def test_fields_become_floats():
    assert type(hs.Gaussian(noise_multiplier=2).noise_multiplier) is float
    assert type(STEP.poisson_sampled(np.float32(0.25)).sampling_probability) is float


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, -math.inf, 10**400])
def test_noise_multiplier_out_of_range(value):
    with pytest.raises(ValueError, match=OUT_OF_RANGE):
        hs.Gaussian(noise_multiplier=value)


@pytest.mark.parametrize("value", [0, 0.0, -0.0])
def test_no_noise_is_refused_with_the_reason(value):
    with pytest.raises(ValueError, match="^noise_multiplier must be .*epsilon is infinite.*, got "):
        hs.Gaussian(noise_multiplier=value)


@pytest.mark.parametrize("value", ["1", True, 1j, [1.0], np.array([1.0])])
def test_noise_multiplier_of_a_wrong_type(value):
    with pytest.raises(TypeError, match=OUT_OF_RANGE.replace("be", "be a real number that is", 1)):
        hs.Gaussian(noise_multiplier=value)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_sampling_probability_out_of_range(value):
    with pytest.raises(ValueError, match=r"^sampling_probability must be in \[0, 1\], got "):
        STEP.poisson_sampled(value)


@pytest.mark.parametrize("value", ["0.1", None, True, 1j])
def test_sampling_probability_of_a_wrong_type(value):
    message = r"^sampling_probability must be a real number that is in \[0, 1\], got "
    with pytest.raises(TypeError, match=message):
        STEP.poisson_sampled(value)


@pytest.mark.parametrize("value", [None, "Gaussian", SAMPLED, 2 * STEP])
def test_what_cannot_be_sampled(value):
    with pytest.raises(TypeError, match="^mechanism must be a SamplableMechanism, got "):
        hs.PoissonSampled(mechanism=value, sampling_probability=0.5)


@pytest.mark.parametrize("mechanism", [STEP, SAMPLED], ids=repr)
def test_a_special_record_adds_nothing(mechanism):
    special = (10 * mechanism).epsilon_bounds(delta=1e-5, adjacency=Adjacency.REPLACE_SPECIAL)
    assert special == (10 * mechanism).epsilon_bounds(delta=1e-5)


def test_equal_mechanisms_share_a_pair():
    for direction in Adjacency.ADD_OR_REMOVE_ONE.directions:
        again = hs.Gaussian(noise_multiplier=1.5).poisson_sampled(0.25)
        assert again.dominating_pair(direction) is SAMPLED.dominating_pair(direction)


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


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_extremes_of_sampling(adjacency):
    never = STEP.poisson_sampled(0)
    always = STEP.poisson_sampled(1)
    assert never.epsilon_bounds(delta=1e-5, adjacency=adjacency) == (0.0, 0.0)
    assert never.delta_bounds(epsilon=0.0, adjacency=adjacency) == (0.0, 0.0)
    assert always.terms == STEP.terms
    assert always.epsilon(delta=1e-5, adjacency=adjacency) == STEP.epsilon(
        delta=1e-5, adjacency=adjacency
    )


def test_the_plain_gaussian_is_symmetric():
    queries = [
        STEP.epsilon_bounds(delta=1e-5, adjacency=adjacency)
        for adjacency in (Adjacency.REMOVE_ONE, Adjacency.ADD_ONE, Adjacency.ADD_OR_REMOVE_ONE)
    ]
    assert queries[0] == queries[1] == queries[2]


def test_the_worse_direction_counts():
    run = 100 * SAMPLED
    query = {"delta": 1e-5, "tolerance": 1e-5}
    remove = run.epsilon_bounds(adjacency=Adjacency.REMOVE_ONE, **query)
    add = run.epsilon_bounds(adjacency=Adjacency.ADD_ONE, **query)
    both = run.epsilon_bounds(**query)
    assert both.upper >= max(remove.lower, add.lower)
    assert both.lower <= max(remove.upper, add.upper)
    assert remove.lower > add.upper
