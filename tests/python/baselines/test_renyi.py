# SPDX-License-Identifier: Apache-2.0
"""Renyi accounting: sums of curves, bounds that hold, and what is refused."""

import math

import numpy as np
import pytest

import hockeystick as hs
from exact.model import Step
from exact.renyi import whole_divergence
from hockeystick import baselines
from hockeystick.baselines import DEFAULT_ORDERS, rdp, rdp_delta, rdp_epsilon

GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
RUNS = [
    1 * GAUSSIAN,
    hs.Composition([(hs.Gaussian(noise_multiplier=100.0), 3)]),
    10_000 * STEP,
    100 * hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.001),
    1000 * hs.Gaussian(noise_multiplier=0.8).poisson_sampled(0.125),
    500 * STEP + 3 * hs.Gaussian(noise_multiplier=5.0),
]


def closed_form(orders, divergences, delta):
    """Canonne, Kamath & Steinke (2020), Proposition 12."""
    a = np.asarray(orders)
    return max(np.min(divergences + np.log1p(-1 / a) - np.log(a * delta) / (a - 1)), 0)


def test_curves_add_up():
    orders = [1.5, 2, 10.25, 64]
    got = rdp(100 * STEP + 7 * GAUSSIAN, orders=orders)
    sampled = rdp(STEP, orders=orders)
    assert got == pytest.approx(100 * sampled + 7 * np.array(orders) / 8, rel=1e-15)
    assert rdp(STEP, orders=[2]) == pytest.approx(math.log1p(1e-4 * math.expm1(1)), rel=1e-4)
    assert rdp(hs.Composition(), orders=[2, 3]).tolist() == [0, 0]
    assert rdp(GAUSSIAN).shape == (len(DEFAULT_ORDERS),)


@pytest.mark.parametrize(
    ("order", "noise_multiplier", "q"),
    [
        (2, 0.3, 1e-9),
        (7, 1.0, 0.01),
        (40, 5.0, 0.999),
        (10_000, 1e3, 1e-4),
        (10_000, 1e6, 0.5),
        (10_000, 30.0, 0.01),
        (10_000, 100.0, 1e-3),
        (1500, 30.0, 0.17),  # neither e^(2 w) nor e^(a w), but about e^(400 w) decides
    ],
)
def test_sampled_gaussians_are_bounded_closely(order, noise_multiplier, q):
    truth = whole_divergence(order, Step(noise_multiplier, q))
    (got,) = rdp(hs.Gaussian(noise_multiplier).poisson_sampled(q), orders=[order])
    assert truth <= got <= truth * (1 + 1e-4)


@pytest.mark.parametrize("adjacency", list(hs.Adjacency))
def test_curves_bound_what_is_certified(adjacency):
    mechanisms = [
        GAUSSIAN,
        STEP,
        hs.DiscreteLaplace(parameter=0.5),
        hs.ApproximateDP(epsilon=0.3, delta=0),
        hs.ExponentialMechanism(epsilon=0.5),
    ]
    orders = [1.1, 2, 7.5]
    for one in mechanisms:
        lower, upper = one.renyi_divergence_bounds(np.array(orders), adjacency=adjacency)
        got = rdp(3 * one, orders=orders, adjacency=adjacency)
        assert (3 * lower <= got * (1 + 1e-12)).all()
        assert (got <= 3 * upper * (1 + 1e-12)).all()


def test_sampling_never_costs():
    """Also where nothing better can be certified than without it."""
    noise = hs.DiscreteGaussian(sigma=20.0, sensitivity=2)
    assert rdp(noise, orders=[3]) == pytest.approx([3 * 4 / 800])
    assert rdp(noise, orders=[3], adjacency=hs.Adjacency.REPLACE_ONE) == pytest.approx(
        [3 * 16 / 800]
    )
    orders = [2.0, 64.0, 5000.0]
    for one in (noise, hs.DiscreteLaplace(parameter=0.5), hs.Gaussian(noise_multiplier=1.0)):
        assert (rdp(one.poisson_sampled(0.01), orders=orders) <= rdp(one, orders=orders)).all()
    truncated = hs.DiscreteGaussian(sigma=1.0, truncation=10)
    assert rdp_epsilon(truncated, 1e-5) == math.inf


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.DiscreteGaussian(sigma=3.0),
        hs.DiscreteLaplace(parameter=0.5),
        hs.ApproximateDP(epsilon=0.3, delta=0),
        hs.DiscreteLaplace(parameter=0.5).poisson_sampled(0.1),
        hs.Gaussian(noise_multiplier=2.0).poisson_sampled(0.1),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "adjacency", [hs.Adjacency.ADD_ONE, hs.Adjacency.REPLACE_SPECIAL, hs.Adjacency.REPLACE_ONE]
)
def test_bounds_other_mechanisms(mechanism, adjacency):
    if adjacency is hs.Adjacency.REPLACE_ONE and isinstance(mechanism, hs.PoissonSampled):
        return
    run = 20 * mechanism
    epsilon = rdp_epsilon(run, 1e-6, adjacency=adjacency, orders=[1.5, 3, 8, 20, 60])
    lower, upper = run.epsilon_bounds(1e-6, adjacency=adjacency, tolerance=1e-2)
    assert lower <= epsilon <= 3 * upper


@pytest.mark.parametrize("noise_multiplier", [0.01, 0.05, 0.3, 2.0, 30.0, 300.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-10, 1e-100])
def test_default_orders_are_dense_enough(noise_multiplier, delta):
    """Next to the best real order, while that is in range."""
    orders = np.array(DEFAULT_ORDERS)
    rho = 0.5 / noise_multiplier**2
    best = baselines.zcdp_epsilon(rho=rho, delta=delta)
    assert best <= closed_form(orders, orders * rho, delta) * (1 + 1e-12) <= best * 1.0004


@pytest.mark.every(3)
@pytest.mark.parametrize("run", RUNS, ids=repr)
@pytest.mark.parametrize("delta", [1e-2, 1e-8])
def test_bounds_the_truth_and_the_closed_form_bounds_it(run, delta):
    got = rdp_epsilon(run, delta)
    lower = run.epsilon_bounds(delta, tolerance=1e-2).lower
    assert lower <= got
    assert got <= closed_form(DEFAULT_ORDERS, rdp(run), delta) * (1 + 1e-12)
    assert rdp_delta(run, got) == pytest.approx(delta, rel=1e-9) if got > 0 else True


@pytest.mark.parametrize("noise_multiplier", [1e-3, 1e12])
def test_corners(noise_multiplier):
    orders = [1.5, 2, 40.5, 1e4]
    for run in (
        10**9 * hs.Gaussian(noise_multiplier=noise_multiplier),
        10**9 * hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(1e-300),
        1 * hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(1 - 2**-53),
    ):
        assert 0 <= rdp_epsilon(run, 1e-300, orders=orders) < math.inf
        assert 0 <= rdp_epsilon(run, 1 - 2**-53, orders=orders) < math.inf
        assert 0 <= rdp_delta(run, 1e4, orders=orders) <= rdp_delta(run, 0, orders=orders) <= 1
