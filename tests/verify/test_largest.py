# SPDX-License-Identifier: Apache-2.0
"""The largest loss against closed forms, and the fast answer at delta = 0 against it."""

import math

import pytest

import hockeystick as hs

NOISE, PAIR = hs.Gaussian(1.0), hs.DiscretePair(p=(0.5, 0.5), q=(0.25, 0.75))
CURVE = hs.HockeyStickCurve(alpha=[0.5, 1.0, 2.0], lower=[0.5, 0.2, 0.0], upper=[0.6, 0.3, 0.1])


def sampled(rate, most):
    """The largest loss of a sampled pair when the record is removed."""
    return math.log1p(rate * math.expm1(most))


LARGEST = [
    (3 * hs.Laplace(2.0), "add-or-remove-one", 1.5),
    (hs.Laplace(2.0), "replace-one", 1.0),
    (hs.Laplace(0.5) + hs.PermuteAndFlip(0.25), "add-or-remove-one", 2.25),
    (2 * hs.Laplace(0.5).poisson_sampled(0.1), "remove-one", 2 * sampled(0.1, 2.0)),
    (PAIR, "remove-one", math.log(2)),
    (PAIR, "add-one", math.log(1.5)),
    (hs.DiscreteLaplace(parameter=0.5, sensitivity=3), "add-or-remove-one", 1.5),
    (hs.ApproximateDP(0.7, 0.0), "add-or-remove-one", 0.7),
    (hs.ApproximateDP(0.7, 1e-300), "add-or-remove-one", math.inf),
    (NOISE, "add-or-remove-one", math.inf),
    (NOISE.poisson_sampled(0.25), "add-or-remove-one", math.inf),
    (5 * NOISE.poisson_sampled(0.25), "add-one", -5 * math.log(0.75)),
    (hs.DiscreteGaussian(2.0), "add-one", math.inf),
    (hs.DiscreteGaussian(2.0).poisson_sampled(0.5), "remove-one", math.inf),
    (hs.DiscreteGaussian(2.0).poisson_sampled(0.5), "add-one", math.log(2)),
    (hs.DiscreteGaussian(2.0, truncation=5), "remove-one", math.inf),
    (hs.joint(hs.Laplace(1), hs.Laplace(2)).poisson_sampled(0.2), "remove-one", sampled(0.2, 1.5)),
    (hs.any_of(hs.Laplace(1), PAIR) + PAIR, "remove-one", 1 + math.log(2)),
    (hs.parallel(hs.Laplace(1), 3 * hs.Laplace(2)), "add-or-remove-one", 1.5),
    (hs.parallel(hs.Laplace(1), NOISE), "add-or-remove-one", math.inf),
    (NOISE.random_allocation(steps=9), "add-or-remove-one", math.inf),
    (PAIR.random_allocation(steps=2), "remove-one", math.log(2)),
    (NOISE.fixed_size_sampled(batch_size=2, dataset_size=9), "replace-special", math.inf),
    (NOISE.shuffled(batches=4), "replace-one", math.inf),
    (hs.ZCDP(0.1), "add-or-remove-one", math.inf),
]


@pytest.mark.parametrize(("run", "adjacency", "largest"), LARGEST, ids=str)
def test_the_largest_loss(run, adjacency, largest):
    result = hs.verify(run, delta=0.0, adjacency=adjacency)
    assert result.known
    assert float(result.middle) == pytest.approx(largest, rel=1e-13)
    assert result.enclosed


def test_a_curve_given_at_points_has_none_that_is_known():
    result = hs.verify(CURVE, delta=0)
    assert not result.known
    assert "largest loss" in result.reason


def test_a_bound_that_leaves_out_a_little_is_caught():
    low = hs.Bounds(0.0, 1.5 * (1 - 1e-15))
    assert hs.verify(3 * hs.Laplace(2.0), delta=0, fast=low).enclosed is False
