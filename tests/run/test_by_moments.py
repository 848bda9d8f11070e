# SPDX-License-Identifier: Apache-2.0
"""Upper ends by Renyi divergences alone, where doubles do not tell delta: in balls, for any run."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from questions import told

TINY = [1e-301, 1e-305, 1e-308, 1e-310, 1e-320, 5e-324]


@pytest.mark.parametrize("delta", TINY)
@pytest.mark.parametrize("noise", [0.05, 0.4, 1.0, 30.0])
def test_gaussians_at_deltas_that_underflow(noise, delta):
    bounds = told((9 * hs.Gaussian(noise)).epsilon_bounds, delta)
    with ctx.workprec(4000):
        mu = 3 / arb(noise)
        assert gaussian_delta(mu, arb(bounds.upper)) <= arb(delta)
        assert gaussian_delta(mu, arb(bounds.lower)) >= arb(delta)
    assert bounds.upper <= 1.05 * bounds.lower


@pytest.mark.every(2)
@pytest.mark.parametrize("delta", [1e-301, 1e-310, 5e-324])
@pytest.mark.parametrize(
    ("run", "adjacency"),
    [
        (1000 * hs.Gaussian(1).poisson_sampled(0.01), "add-or-remove-one"),
        (hs.DiscreteGaussian(1.0), "add-or-remove-one"),
        (3 * hs.Gaussian(2).random_allocation(steps=100), "add-or-remove-one"),
        (hs.Gaussian(2).shuffled(batches=100, left_out=3), "replace-special"),
        (hs.Gaussian(1).fixed_size_sampled(batch_size=10, dataset_size=1000), "replace-one"),
        (hs.ZCDP(0.1), "add-or-remove-one"),
    ],
    ids=lambda value: getattr(value, "type", None),
)
def test_nothing_is_infinite_and_nothing_falls(run, adjacency, delta):
    """Epsilon does not fall as delta does; what 1e-300 tells bounds it from below."""
    at_floor = run.epsilon_bounds(1e-300, adjacency=adjacency)
    bounds = told(run.epsilon_bounds, delta, adjacency=adjacency)
    assert math.isfinite(bounds.upper)
    assert bounds.lower >= at_floor.lower * (1 - 1e-9)
    assert bounds.upper <= 1.2 * at_floor.upper


def test_a_refused_delta_has_the_bound_of_moments():
    run = 3 * hs.Gaussian(0.9).random_allocation(steps=1000)
    upper = told(run.delta_bounds, 4.0, tolerance=1e-7, memory_limit=2**16).upper
    for order in (2.0, 3.0):
        divergence = run.renyi_divergence_bounds(order, tolerance=0.01).upper
        assert upper <= math.exp(min((order - 1) * (divergence - 4.0), 0)) * 1.05
    assert upper >= run.delta_bounds(4.0).lower > 0
