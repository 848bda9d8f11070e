# SPDX-License-Identifier: Apache-2.0
"""Random allocation of any mechanism, as it is asked for."""

import json
import random
from dataclasses import dataclass

import pytest

import hockeystick as hs
from hockeystick._json import mechanism_from_json, mechanism_to_json

LAPLACE = hs.Laplace(noise_multiplier=2.0)
STEPS = [
    LAPLACE,
    hs.DiscreteGaussian(sigma=3.0),
    hs.DiscreteLaplace(parameter=0.5, sensitivity=2),
    hs.DiscretePair(p=[0.2, 0.3, 0.5], q=[0.5, 0.5, 0.0]),
    hs.ApproximateDP(epsilon=1.0, delta=1e-9),
    hs.GaussianMixture(standard_deviation=2.0, sensitivities=[0.0, 1.0], probabilities=[0.5, 0.5]),
    hs.Gaussian(noise_multiplier=0.1),
    hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.2),
    hs.PermuteAndFlip(epsilon=0.5),
]
each_step = pytest.mark.parametrize("step", STEPS, ids=repr)


@each_step
def test_any_mechanism_that_has_a_pair(step):
    """It costs more than nothing, less than one step, and less at more steps."""
    last = step.epsilon_bounds(1e-4).upper
    for steps in (2, 30):
        epoch = hs.RandomAllocation(mechanism=step, steps=steps)
        bounds = epoch.epsilon_bounds(1e-4)
        assert bounds.upper <= 1.001 * bounds.lower or bounds.lower == bounds.upper
        assert bounds.lower <= last
        last = bounds.upper
        text = json.dumps(mechanism_to_json(epoch))
        assert mechanism_from_json(json.loads(text), "$") == epoch
    run = 10 * epoch + 3 * LAPLACE
    assert run.epsilon(1e-4) >= (3 * LAPLACE).epsilon_bounds(1e-4).lower


def test_one_step_and_free_steps_are_simplified():
    assert (2 * LAPLACE.random_allocation(steps=1)).terms == ((LAPLACE, 2),)
    free = hs.ApproximateDP(epsilon=0.0, delta=0.0).random_allocation(steps=5)
    assert hs.Composition([(free, 3)]).epsilon(1e-9) == 0.0
    inner = hs.RandomAllocation(mechanism=LAPLACE.poisson_sampled(1.0), steps=5)
    assert inner.simplified() == LAPLACE.random_allocation(steps=5)


@pytest.mark.parametrize("delta", [1e-3, 1e-12, 1e-40, 1e-80])
def test_small_deltas_are_told_relatively(delta):
    for step in (hs.Laplace(noise_multiplier=0.1), hs.Gaussian(noise_multiplier=0.5)):
        for adjacency in ("remove-one", "add-one"):
            epoch = step.random_allocation(steps=8)
            bounds = epoch.epsilon_bounds(delta, adjacency=adjacency)
            assert 0 < bounds.lower <= bounds.upper <= 1.001 * bounds.lower


@dataclass(frozen=True)
class Opaque(hs.Mechanism):
    """A Gaussian of which nothing but its pair is seen."""

    noise: float

    def dominating_pair(self, direction):
        """That of the Gaussian."""
        return hs.Gaussian(self.noise).dominating_pair(direction)


@pytest.mark.every(4)
@pytest.mark.parametrize("seed", range(24))
def test_series_and_convolution_overlap(seed):
    rng = random.Random(seed)
    noise, steps = 10 ** rng.uniform(-0.1, 1), int(10 ** rng.uniform(2, 6))
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    how = {"delta": 10 ** rng.uniform(-8, -3), "adjacency": rng.choice(["remove-one", "add-one"])}
    series = epoch.epsilon_bounds(**how, tolerance=1e-2)
    other = hs.RandomAllocation(mechanism=Opaque(noise), steps=steps)
    other = other.epsilon_bounds(**how, tolerance=1e-2)
    assert max(series.lower, other.lower) <= min(series.upper, other.upper)
