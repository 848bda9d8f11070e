# SPDX-License-Identifier: Apache-2.0
"""The nodes that plans rest on carry the law of the loss.

A wrong plan costs width or time, never a bound: no other test sees it.
"""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.adjacency import Direction
from rare_runs import batches

WAYS = (Direction.REMOVE, Direction.ADD)
REPLACE = (Direction.REPLACE,)
LAPLACE = hs.Laplace(noise_multiplier=0.7)
GAUSSIAN = hs.Gaussian(noise_multiplier=0.8)
DISCRETE = hs.DiscreteGaussian(sigma=2.0, sensitivity=1)
CASES = [
    (GAUSSIAN, WAYS),
    (GAUSSIAN.poisson_sampled(0.1), WAYS + REPLACE),
    (LAPLACE, WAYS),
    (LAPLACE.poisson_sampled(0.1), WAYS),
    (hs.PermuteAndFlip(epsilon=2.1), WAYS),
    (hs.DiscreteLaplace(parameter=0.6, sensitivity=2), WAYS),
    (DISCRETE, WAYS),
    (DISCRETE.poisson_sampled(0.1), WAYS),
    (hs.RandomizedResponse(noise_parameter=0.4, num_buckets=5), REPLACE),
    (hs.ExponentialMechanism(epsilon=0.8), WAYS),
    (hs.ApproximateDP(epsilon=0.8, delta=1e-3), WAYS),
    (hs.DiscretePair(p=[0.2, 0.5, 0.3], q=[0.4, 0.1, 0.5]), WAYS),
    (
        hs.GaussianMixture(
            standard_deviation=1.0, sensitivities=[0.0, 1.0, 2.0], probabilities=[0.5, 0.3, 0.2]
        ),
        WAYS,
    ),
    (batches(0.8, 0.1, 5, 40), WAYS + REPLACE),
]


@pytest.mark.parametrize(
    ("mechanism", "way"),
    [(mechanism, way) for mechanism, ways in CASES for way in ways],
    ids=lambda value: value.name if isinstance(value, Direction) else type(value).__name__,
)
def test_nodes_carry_the_law(mechanism, way):
    pair = mechanism.dominating_pair(way)
    loss, log_mass = (np.array(part) for part in pair.nodes())
    mass = np.exp(log_mass)
    assert (np.diff(loss) >= 0).all()
    edges = np.linspace(-6, 6, 25) + 0.01
    cells = pair.integrate(edges)
    truth = np.array([*cells.p, cells.upper_tail_p, cells.lower_tail_p])
    found = np.histogram(loss, [*edges, np.inf, np.inf], weights=mass)[0][:-1]
    below = mass[loss < edges[0]].sum()
    assert mass.sum() == pytest.approx(truth.sum(), abs=2e-3)
    assert np.cumsum([below, *found])[:-1] == pytest.approx(
        np.cumsum([truth[-1], *truth[:-1]])[:-1], abs=0.1
    )
