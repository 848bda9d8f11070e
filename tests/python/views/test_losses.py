# SPDX-License-Identifier: Apache-2.0
"""Tails, quantiles and moments of the privacy loss enclose the truth and are tight."""

import math

import numpy as np
import pytest
from flint import acb, arb

import exact
import hockeystick as hs
from exact.balls import normal_tail
from exact.pair import Pair
from exact.renyi import whole_divergence
from hockeystick import Adjacency
from questions import ADJACENCY, assert_encloses, assert_verified
from rare_runs import batches, sampled

pytestmark = pytest.mark.bits(200)

RUN = 50 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.05)


def gaussian_tail(mu, epsilon):
    return normal_tail(arb(epsilon) / mu - mu / 2)


@pytest.mark.parametrize("sigma", [0.2, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 5.0])
def test_tail_of_gaussians(sigma, epsilon):
    truth = gaussian_tail(2 / arb(sigma), epsilon)
    run = 4 * hs.Gaussian(noise_multiplier=sigma)
    bounds = run.probabilistic_delta_bounds(epsilon, tolerance=1e-9)
    assert_encloses(bounds, truth, 1e-9 * float(truth) + 1e-306)


def nearly_gaussian(count, sigma):
    """Within 1e-12 of `count` Gaussians, but composed on a grid."""
    return count * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(1 - 1e-15)


@pytest.mark.parametrize("epsilon", [0.2, 2.0, 9.0])
def test_tail_of_a_composition(epsilon):
    truth = gaussian_tail(arb(5).sqrt() / 2, epsilon)
    run = nearly_gaussian(5, 2.0)
    bounds = run.probabilistic_delta_bounds(epsilon, adjacency=Adjacency.REMOVE_ONE)
    assert bounds.lower <= truth * (1 + 1e-9)
    assert bounds.upper >= truth * (1 - 1e-9)
    assert 0 < bounds.gap <= 1e-2 * float(truth)


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize("epsilon", [0.0, 0.04])
def test_tail_of_one_sampled_step(direction, epsilon):
    step = exact.Step(1.0, 0.1)
    truth = Pair(step, direction).p_above(arb(epsilon))
    bounds = sampled(step.sigma, step.q).probabilistic_delta_bounds(
        epsilon, adjacency=ADJACENCY[direction]
    )
    assert_encloses(bounds, truth, 1.01e-2 * float(truth))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.99])
def test_quantile_of_one_sampled_step(direction, level):
    step = exact.Step(1.0, 0.1)
    pair = Pair(step, direction)
    bounds = sampled(step.sigma, step.q).loss_quantile_bounds(level, adjacency=ADJACENCY[direction])
    assert pair.p_above(arb(bounds.lower)) >= 1 - arb(level)
    assert pair.p_above(arb(bounds.upper)) <= 1 - arb(level)
    assert bounds.gap <= 2e-3


def variance_of(step, direction):
    """Of log dP/dQ."""

    def integrand(x, power):
        if direction == "add":
            x = -x
        mu, q = 1 / arb(step.sigma), arb(step.q)
        at_rest = (-x * x / 2).exp()
        shifted = (1 - q) * at_rest + q * (-((x - mu) ** 2) / 2).exp()
        log = (1 - q + q * (mu * x - mu * mu / 2).exp()).log()
        return (at_rest if direction == "add" else shifted) * log**power / (2 * arb.pi()).sqrt()

    mean, square = (
        acb.integral(lambda x, _, k=k: integrand(x, k), -30, 30, rel_tol=arb(2) ** -110).real
        for k in (1, 2)
    )
    return square - mean * mean


STEPS = [
    (exact.Step(1.0, 0.1), "remove"),
    (exact.Step(1.0, 0.1), "add"),
    (exact.Step(0.7, 1e-4), "remove"),
]


@pytest.mark.parametrize(
    ("step", "direction", "tolerance"),
    [*((*step, 1e-5) for step in STEPS), (exact.Step(0.05, 0.01), "add", 1e-3)],
)
def test_the_variance_of_sampled_steps(step, direction, tolerance):
    """With little noise nearly all added records lose next to as much as they can."""
    truth = 7 * variance_of(step, direction)
    bounds = (7 * sampled(step.sigma, step.q)).loss_variance_bounds(
        adjacency=ADJACENCY[direction], tolerance=tolerance
    )
    assert_encloses(bounds, truth, tolerance * float(truth))


@pytest.mark.parametrize("sigma", [0.05, 1.0, 30.0])
def test_moments_of_gaussians(sigma):
    run = 9 * hs.Gaussian(noise_multiplier=sigma)
    square = 9 / arb(sigma) ** 2
    order = 2.5 * square / 2
    half = square / 2
    assert_encloses(run.loss_mean_bounds(), half, 1e-13 * float(half))
    assert_encloses(run.loss_variance_bounds(), square, 1e-13 * float(square))
    assert_encloses(run.renyi_divergence_bounds(2.5), order, 1e-13 * float(order))
    assert_encloses(run.zcdp_bounds(), half, 1e-13 * float(half))


def test_truncated_cdp_is_the_largest_slope():
    bounds = RUN.zcdp_bounds(largest_order=6.0)
    orders = np.linspace(1, 6, 21)
    assert np.all(RUN.renyi_divergence_bounds(orders).lower / orders <= bounds.upper)
    assert bounds.gap <= 1e-3 * bounds.upper
    assert bounds.lower <= np.max(RUN.renyi_divergence(orders) / orders) * (1 + 1e-3)


# Of the masses that rule these, binary64 knows none.
@pytest.mark.parametrize(
    ("step", "order"),
    [
        (exact.Step(1.0, 0.01), 64),
        (exact.Step(1.0, 0.01), 1024),
        (exact.Step(0.3, 0.5), 256),
        (exact.Step(0.1, 1e-6), 40),
        (exact.Step(3.0, 1e-4), 10_000),
        (exact.Step(0.01, 0.1), 64),
        (exact.Step(1.0, 1e-270), 1400),
        (exact.Step(1.0, 1e-300), 1500),
        (exact.Step(0.05, 1e-255), 60),
        (exact.Step(0.05, 0.1), 10_000),
    ],
)
def test_large_orders(step, order):
    truth = 30 * whole_divergence(order, step)
    bounds = (30 * sampled(step.sigma, step.q)).renyi_divergence_bounds(
        float(order), adjacency=Adjacency.REMOVE_ONE
    )
    by_line = order / step.sigma < 4000 and step.sigma >= 0.1
    assert_encloses(bounds, truth, (1e-12 if by_line else 1e-3) * max(1.0, float(truth)))


@pytest.mark.parametrize("adjacency", [Adjacency.REMOVE_ONE, Adjacency.ADD_ONE])
@pytest.mark.parametrize(("sigma", "order"), [(0.5, 30.5), (0.25, 12.25)])
def test_large_broken_orders(sigma, order, adjacency):
    run = 30 * hs.Gaussian(sigma).poisson_sampled(0.125)
    assert_verified(run, order, 1e-9, adjacency)


@pytest.mark.parametrize("order", [2.0, 8.0, 32.0])
@pytest.mark.parametrize("sigma", [0.02, 0.01, 0.003])
def test_masses_of_the_other_distribution_are_not_lost(sigma, order):
    """Where L is -5000 only Q has mass that binary64 holds; all but e^-100 of P is at the top."""
    run = hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.1)
    bounds = run.renyi_divergence_bounds(order, adjacency=Adjacency.ADD_ONE)
    assert_encloses(bounds, -(-arb(0.1)).log1p(), 1e-9)
    mean = run.loss_mean_bounds(adjacency=Adjacency.ADD_ONE)
    assert_encloses(mean, -(-arb(0.1)).log1p(), 1e-9)


def test_large_orders_of_replacement():
    """Between that of removal and that of means 2 / sigma apart."""
    step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.25)
    order = 100.0
    bounds = step.renyi_divergence_bounds(order, adjacency=Adjacency.REPLACE_ONE)
    assert bounds.gap <= 1e-9 * bounds.upper
    assert bounds.upper < 4 * order / 2
    removed = step.renyi_divergence_bounds(order, adjacency=Adjacency.REMOVE_ONE)
    assert removed.upper < bounds.lower


INFINITE = (math.inf, math.inf)
ALL_LEAKS = 18 * hs.ApproximateDP(epsilon=141.0, delta=1.0)
NOTHING_IN_COMMON = hs.DiscretePair(p=[1.0, 0.0], q=[0.0, 1.0])


@pytest.mark.parametrize("adjacency", [hs.Adjacency.REMOVE_ONE, hs.Adjacency.ADD_ONE])
@pytest.mark.parametrize("run", [ALL_LEAKS, NOTHING_IN_COMMON], ids=["leaks", "nothing in common"])
@pytest.mark.parametrize("query", ["loss_mean", "loss_variance", "zcdp"])
def test_without_a_finite_loss_moments_are_infinite(run, adjacency, query):
    """No node and no cell: nothing to integrate over."""
    assert getattr(run, f"{query}_bounds")(adjacency=adjacency)[:] == INFINITE


def test_losses_of_any_size_count_towards_the_memory_limit():
    """Under tilts that fit losses of 1e-92 the exponents of rare large losses pass 1 / u."""
    step = batches(0.745, 6e-93, 177, 100)
    with pytest.raises(hs.CertificationError, match="at level = 1e-300"):
        (5 * step).loss_quantile(1e-300, memory_limit=2**20)


def test_rare_tails_asked_together_are_those_asked_alone():
    epsilons = np.linspace(4.0, 9.0, 11)
    together = RUN.probabilistic_delta_bounds(epsilons)
    assert np.all(together.gap <= 1e-2 * together.upper)
    for k, epsilon in list(enumerate(epsilons.tolist()))[::5]:
        alone = RUN.probabilistic_delta_bounds(epsilon, tolerance=1e-3)
        assert together.lower[k] <= alone.upper
        assert alone.lower <= together.upper[k]


@pytest.mark.parametrize(("noise", "count"), [(3.0, 1), (10.0, 1000)])
def test_zcdp_of_sampled_laplace_noise_is_certified_at_defaults(noise, count):
    run = count * hs.Laplace(noise_multiplier=noise).poisson_sampled(0.01)
    lower, upper = run.zcdp_bounds()
    assert lower <= upper <= lower * (1 + 1.1e-3)
    finite = run.zcdp_bounds(largest_order=5000)  # beyond, bounded losses have no part in it
    assert finite.lower <= upper
    assert lower <= finite.upper
