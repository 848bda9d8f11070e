# SPDX-License-Identifier: Apache-2.0
"""Moments of losses without an upper end: sums and integrals in ball arithmetic."""

import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.model import Step
from exact.renyi import whole_divergence
from hockeystick import Adjacency, _core
from questions import assert_verified
from rare_runs import batches

STEPS = 9

pytestmark = pytest.mark.bits(200)


def assert_encloses(bounds, truth, tolerance=1e-3):
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= tolerance * float(truth)


def discrete_gaussian(sigma, shift, rate=1.0):
    """(P-mass, Q-mass) of the outcomes within 50 sigma, which e^-1250 is left outside of."""
    reach = math.ceil(50 * sigma) + shift
    weight = {x: (-(arb(x) ** 2) / (2 * arb(sigma) ** 2)).exp() for x in range(-reach, reach + 1)}
    total = sum(weight.values(), arb(0))
    for x in range(-reach + shift, reach + 1):
        p, q = weight[x] / total, weight[x - shift] / total
        yield (1 - arb(rate)) * q + arb(rate) * p, q


def log_moment(law, order):
    return sum((p * (p / q) ** (order - 1) for p, q in law), arb(0)).log()


@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (0.4, 1), (30.0, 1)])
@pytest.mark.parametrize("order", [1.5, 2.0, 7.25])
def test_renyi_divergence_of_discrete_gaussians(sigma, shift, order):
    truth = STEPS * log_moment(discrete_gaussian(sigma, shift), arb(order)) / (arb(order) - 1)
    run = STEPS * hs.DiscreteGaussian(sigma=sigma, sensitivity=shift)
    assert_encloses(run.renyi_divergence_bounds(order), truth)


@pytest.mark.parametrize(
    ("sigma", "shift"), [(0.4, 2), (0.02, 1), (0.05, 1), (0.9, 3), (1.0, 7), (30.0, 50)]
)
@pytest.mark.parametrize("order", [7.25, 64.5, 200.0, 1000.3125])
def test_large_orders_of_discrete_gaussians(sigma, shift, order):
    """From the definition, around where (p / q)^a q is largest."""
    a, s, double = arb(order), shift, 2 * arb(sigma) ** 2
    centre, reach = round((1 - order) * shift), math.ceil(50 * sigma) + 2
    terms = (
        ((-a * x * x + (a - 1) * (x - s) ** 2) / double).exp()
        for x in range(centre - reach, centre + reach)
    )
    weights = ((-arb(x * x) / double).exp() for x in range(-reach, reach))
    truth = (sum(terms, arb(0)) / sum(weights, arb(0))).log() / (a - 1)
    for adjacency in (Adjacency.REMOVE_ONE, Adjacency.ADD_ONE):
        run = STEPS * hs.DiscreteGaussian(sigma=sigma, sensitivity=shift)
        bounds = run.renyi_divergence_bounds(order, adjacency=adjacency)
        assert_encloses(bounds, STEPS * truth, 1e-10)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("order", [1.25, 6.0])
def test_renyi_divergence_of_sampled_discrete_gaussians(add, order):
    law = list(discrete_gaussian(1.5, 1, 0.1))
    if add:
        law = [(q, p) for p, q in law]
    truth = STEPS * log_moment(law, arb(order)) / (arb(order) - 1)
    run = STEPS * hs.DiscreteGaussian(sigma=1.5).poisson_sampled(0.1)
    adjacency = Adjacency.ADD_ONE if add else Adjacency.REMOVE_ONE
    assert_encloses(run.renyi_divergence_bounds(order, adjacency=adjacency), truth, 1e-9)


@pytest.mark.parametrize("sigma", [0.5, 3.0])
def test_mean_and_variance_of_discrete_gaussians(sigma):
    law = list(discrete_gaussian(sigma, 1))
    mean = sum((p * (p / q).log() for p, q in law), arb(0))
    variance = sum((p * (p / q).log() ** 2 for p, q in law), arb(0)) - mean * mean
    run = STEPS * hs.DiscreteGaussian(sigma=sigma)
    assert_encloses(run.loss_mean_bounds(), STEPS * mean)
    assert_encloses(run.loss_variance_bounds(), STEPS * variance)


def test_discrete_gaussians_are_concentrated_as_gaussians_are():
    """s^2 / (2 sigma^2), attained at whole orders."""
    run = STEPS * hs.DiscreteGaussian(sigma=2.0, sensitivity=3)
    assert_encloses(run.zcdp_bounds(), arb(STEPS) * 9 / 8, 1e-9)
    truncated = hs.DiscreteGaussian(sigma=2.0, truncation=10)
    assert truncated.zcdp_bounds() == (math.inf, math.inf)


SHIFTS, SIGMA = (0.0, 1.0, 2.5), 1.6
MIXTURE = hs.GaussianMixture(SIGMA, sensitivities=SHIFTS, probabilities=(0.5, 0.375, 0.125))


def test_mixtures_are_concentrated_as_their_largest_shift():
    truth = STEPS * (arb(2.5) / arb(SIGMA)) ** 2 / 2
    assert_encloses((STEPS * MIXTURE).zcdp_bounds(), truth, 1e-9)


@pytest.mark.parametrize(("sigma", "order"), [(2.0, 4), (2.0, 120), (0.5, 64)])
def test_truncated_subsamples_average_moments(sigma, order):
    """Also where the smaller moments are 1e-308 of the largest."""
    run = STEPS * batches(sigma, 0.25, 12, 40)
    assert_verified(run, float(order), 1e-3, Adjacency.REMOVE_ONE)
    # The wider of the two Gaussians rules large orders.
    assert_encloses(run.zcdp_bounds(), arb(STEPS) * 4 / (2 * sigma**2), 1e-9)


@pytest.mark.parametrize(("sigma", "q"), [(0.02, 1e-3), (0.002, 1e-150), (0.002, 1e-30)])
@pytest.mark.parametrize("nats", [700.0, 745.1, 760.0, 2000.0])
def test_lower_ends_far_below_the_upper_ones(sigma, q, nats):
    """The wider of two Gaussians, moved with probability q / 2, has all of the moment."""
    order = max(1.01, nats / -math.log(q / 2))
    run = batches(sigma, q, 1, 2)
    bounds = run.renyi_divergence_bounds(order, adjacency=Adjacency.REMOVE_ONE, tolerance=0.9)
    a, rate = arb(order), arb(q)
    truth = (rate.log() + a * (rate / 2).log()) / (a - 1) + a * 4 / (2 * arb(sigma) ** 2)
    assert bounds.lower <= truth
    assert truth <= bounds.upper


@pytest.mark.parametrize("order", [3.0, 30.0, 1000.0, 9999.0])
@pytest.mark.parametrize("sigma", [0.1, 0.3, 0.07, 0.013, 1 / 3, 0.9, 2.3])
def test_sampling_all_but_all_leaves_the_moved_part(sigma, order):
    """To rounding; M is between q^order and 1 times that without sampling."""
    rate = 1 - 2**-53
    run = hs.Gaussian(noise_multiplier=sigma).poisson_sampled(rate)
    bounds = run.renyi_divergence_bounds(order, adjacency=Adjacency.REMOVE_ONE)
    with ctx.workprec(200):
        unsampled = arb(order) / arb(sigma) ** 2 / 2
        assert arb(bounds.lower) <= unsampled
        assert unsampled + arb(order) / (order - 1) * arb(rate).log() <= arb(bounds.upper)
    assert bounds.upper - bounds.lower <= 2e-14 * bounds.upper


@pytest.mark.parametrize(("sigma", "rate"), [(0.506, 1e-5), (2.0, 0.01), (0.7, 0.3), (8.0, 1e-6)])
@pytest.mark.parametrize("order", [2, 64, 1024, 4097])
def test_moments_of_sampled_gaussians_at_any_order(sigma, rate, order):
    """At large orders the norm of a sum is nearly that of its parts."""
    pair = _core.dominating_pair("poisson_gaussian_remove", [sigma, rate])
    with ctx.workprec(2000):
        truth = (order - 1) * whole_divergence(order, Step(sigma, rate))
        lower, upper = pair.log_moment_bounds(order - 1.0)
        assert arb(lower) <= truth <= arb(upper)
        t = arb(order - 1)
        norm = (1 - arb(rate) + arb(rate) * (t / 2 / arb(sigma) ** 2).exp()).log() * order
        assert upper <= float(norm) * (1 + 1e-13)
        if upper >= float(norm) * (1 - 1e-13):  # no line bounds it more closely
            assert norm < arb(upper)


def test_rho_of_releases_beside_rare_samples():
    """Beyond an order of 4096 the moments of the samples were known too roughly to tell it."""
    run = (
        6 * hs.Gaussian(5.334542813896197)
        + 15 * hs.Laplace(1.031628422999508)
        + 4 * hs.Gaussian(0.5062554172747172).poisson_sampled(1.0231295663940375e-05)
    )
    assert run.zcdp_bounds().gap <= 1e-3 * run.zcdp_bounds().upper
