# SPDX-License-Identifier: Apache-2.0
"""Outcomes of mechanisms that have finitely many: all masses add up to 1."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.outcomes import outcomes

MECHANISMS = [
    hs.ApproximateDP(epsilon=0.7, delta=1e-9),
    hs.ExponentialMechanism(epsilon=2.0),
    hs.DiscretePair(p=(1, 2, 0), q=(0, 3, 7)),
    hs.DiscreteLaplace(parameter=0.3, sensitivity=4),
    hs.DiscreteGaussian(sigma=1.5, sensitivity=2),
    hs.DiscreteGaussian(sigma=5.0, truncation=7),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
def test_masses_add_up_to_1(mechanism):
    with ctx.workprec(200):
        pairs, slack = outcomes(mechanism)
        for masses in zip(*pairs, strict=True):
            missing = 1 - sum(masses, arb(0))
            assert (missing - slack).lower() <= 1e-50
            assert missing.upper() >= -1e-50


@pytest.mark.parametrize(
    "run",
    [
        3 * MECHANISMS[0].poisson_sampled(0.2),
        3 * MECHANISMS[1].poisson_sampled(0.2),
        1 * hs.PermuteAndFlip(epsilon=1.5).poisson_sampled(0.2),
    ],
    ids=str,
)
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
def test_samples_of_guarantees_are_verified(run, adjacency):
    result = hs.verify(run, epsilon=0.1, adjacency=adjacency, digits=6)
    assert result.known
    assert result.enclosed


def test_a_mechanism_with_a_density_has_none():
    with pytest.raises(NotKnownError, match="no rigorous law of samples"):
        outcomes(hs.Gaussian(1.0))
