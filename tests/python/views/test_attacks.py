# SPDX-License-Identifier: Apache-2.0
"""Trade-off, advantage and Bayes risk enclose the truth and are tight."""

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.attack import gaussian_power, normal_quantile, one_step_power
from hockeystick import Adjacency
from questions import ADJACENCY, assert_encloses, told
from rare_runs import sampled

DPSGD = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
RUN = 1000 * DPSGD
RATES = np.array([1e-6, 1e-3, 0.05, 0.5, 0.9, 0.999])


@pytest.mark.parametrize("sigma", [0.1, 0.5, 1.0, 30.0])
@pytest.mark.parametrize("fpr", [1e-280, 1e-9, 1e-3, 0.5, 0.75, 1 - 1e-9])
def test_tradeoff_of_gaussians_is_the_closed_form(sigma, fpr):
    run = 4 * hs.Gaussian(noise_multiplier=2 * sigma)
    with ctx.workprec(1200):  # 1 - 1e-280 needs as many
        truth = gaussian_power(1 / arb(sigma), fpr)
        missed = 1 - truth
    power = run.true_positive_rate_bounds(fpr, tolerance=1e-8)
    assert_encloses(power, truth, 1e-8 * float(truth))
    assert_encloses(run.tradeoff_bounds(fpr, tolerance=1e-8), missed, 1e-8)
    assert run.tradeoff(fpr) <= missed


def test_tradeoff_falls_and_is_convex():
    rates = np.linspace(0, 1, 41)
    bounds = RUN.tradeoff_bounds(rates, adjacency=Adjacency.REMOVE_ONE)
    assert np.all(np.diff(bounds.lower) <= 0)
    assert np.all(bounds.lower <= 1 - rates)
    middle = (bounds.lower[:-2] + bounds.lower[2:]) / 2
    assert np.all(bounds.lower[1:-1] <= middle + bounds.gap[1:-1])
    assert (bounds.lower[0], bounds.upper[0]) == (1, 1)
    assert (bounds.lower[-1], bounds.upper[-1]) == (0, 0)


def test_tradeoff_of_nothing():
    bounds = hs.Composition().tradeoff_bounds(RATES)
    assert np.allclose(bounds.lower, 1 - RATES, rtol=0, atol=1e-15)
    assert np.all(bounds.lower <= 1 - RATES)
    assert np.all(bounds.upper >= 1 - RATES)


def test_advantage_is_delta_at_zero():
    assert RUN.advantage() == RUN.delta(0.0)


def test_bayes_risk_is_a_tangent_of_the_tradeoff():
    risk = RUN.bayes_risk_bounds(0.3)
    rates = np.linspace(0.001, 0.999, 31)
    assert np.all(0.3 * RUN.tradeoff_bounds(rates).upper + 0.7 * rates >= risk.lower)
    assert RUN.bayes_risk() == pytest.approx((1 - RUN.advantage()) / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("sigma", "count"), [(1.954, 513), (0.72, 907), (8.414, 586), (4.724, 181)]
)
def test_the_rounding_of_mu_is_counted(sigma, count):
    """Runs whose mu, as computed, is off by more than two roundings, both ways."""
    bounds = (count * hs.Gaussian(noise_multiplier=sigma)).gdp_mu_bounds()
    with ctx.workprec(200):
        assert_encloses(bounds, arb(count).sqrt() / arb(sigma), 1e-12)


def mu_at(direction, step, loss):
    fpr, power = one_step_power(step, direction, loss)
    with ctx.workprec(200):
        return normal_quantile(fpr) - normal_quantile(float(power.mid()))


@pytest.mark.parametrize(("direction", "loss"), [("remove", 1.5), ("replace", 0.1)])
def test_mu_of_one_sampled_step(direction, loss):
    """It is needed at the smallest rate, and no more elsewhere."""
    step = exact.Step(1.0, 0.05)
    rate, _ = one_step_power(step, direction, loss)
    bounds = sampled(step.sigma, step.q).gdp_mu_bounds(
        smallest_rate=rate, adjacency=ADJACENCY[direction], tolerance=1e-4
    )
    assert_encloses(bounds, mu_at(direction, step, loss), 1e-4 * bounds.upper)
    for share in (0.0, 0.3, 0.7, 0.97):
        assert mu_at(direction, step, share * loss) <= bounds.upper


def test_mu_holds_everywhere():
    rate = 1e-6
    mu = arb(RUN.gdp_mu(smallest_rate=rate))
    rates = np.geomspace(rate, 0.5, 9)
    for fpr, power in zip(rates, RUN.true_positive_rate_bounds(rates).lower, strict=True):
        with ctx.workprec(100):
            assert gaussian_power(mu, fpr) >= arb(power)


def test_out_of_reach_carries_enclosing_bounds():
    run = RUN + 100 * hs.Laplace(noise_multiplier=20.0).poisson_sampled(0.3)
    with pytest.raises(hs.CertificationError, match="raise memory_limit") as caught:
        run.tradeoff(0.01, memory_limit=200_000)
    bounds, good = caught.value.bounds, run.tradeoff_bounds(0.01)
    assert caught.value.limited_by == "memory_limit"
    assert bounds.lower <= good.upper
    assert bounds.upper >= good.lower


@pytest.mark.parametrize(("count", "noise", "fpr"), [(100, 0.01, 1e-200), (300, 0.2, 1e-300)])
def test_power_on_a_coarse_lattice(count, noise, fpr):
    """Losses many nats apart: the best kink stands alone among ones that say nothing."""
    run = count * hs.RandomizedResponse(noise_parameter=noise, num_buckets=2)
    bounds = run.true_positive_rate_bounds(fpr, adjacency=Adjacency.REPLACE_ONE)
    assert bounds.gap <= 1e-3 * bounds.upper


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 141.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.999])
def test_hardly_any_memory_ends_with_bounds(epsilon, delta):
    run = 14 * hs.ApproximateDP(epsilon=epsilon, delta=delta)
    bounds = told(run.gdp_mu_bounds, smallest_rate=6e-8, memory_limit=101)
    assert 0 <= bounds.lower <= bounds.upper


@pytest.mark.parametrize("prior", [5e-324, 2 * 5e-324, 4 * 5e-324, 1.515e-312, 1e-308])
def test_bayes_risk_at_subnormal_priors(prior):
    """Without any finite loss but 0 the risk is 0.45 times the prior."""
    bounds = told(hs.ApproximateDP(epsilon=0, delta=0.55).bayes_risk_bounds, prior)
    with ctx.workprec(2000):
        truth = arb(prior) * (1 - arb(0.55))
        assert arb(bounds.lower) <= truth <= arb(bounds.upper)
    assert bounds.upper <= prior


def test_an_error_of_the_bayes_risk_carries_risks():
    run = 1000 * hs.Laplace(noise_multiplier=10.0) + hs.DiscreteGaussian(sigma=3.0)
    priors = np.array([0.5, 0.25, 0.9])
    with pytest.raises(hs.CertificationError, match="<= Bayes risk <= .* at prior = 0.5") as caught:
        run.bayes_risk_bounds(priors, tolerance=1e-9, memory_limit=2**12)
    lower, upper = caught.value.bounds
    assert lower.shape == upper.shape == (3,)
    assert np.all((lower >= 0) & (lower <= upper) & (upper <= np.minimum(priors, 1 - priors)))
