# SPDX-License-Identifier: Apache-2.0
"""What prv_accountant's mechanisms say of their loss: its distribution, mean and divergences."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import hockeystick as hs
from hockeystick.compat import prv_accountant as prv
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    PrivacyRandomVariableTruncated,
)
from hockeystick.compat.prv_accountant.privacy_random_variables.poisson_subsampled_gaussian_mechanism import (  # noqa: E501
    log,
)

SAMPLED = prv.PoissonSubsampledGaussianMechanism(0.2, 0.7)
KNOWN = {
    "gaussian": (prv.GaussianMechanism(1.5, 3.0), hs.Gaussian(noise_multiplier=0.5)),
    "sampled": (SAMPLED, hs.Gaussian(noise_multiplier=0.7).poisson_sampled(0.2)),
    "always": (prv.PoissonSubsampledGaussianMechanism(1.0, 2.0), hs.Gaussian(noise_multiplier=2.0)),
    "never": (prv.PoissonSubsampledGaussianMechanism(0.0, 1.0), hs.Composition()),
    "laplace": (prv.LaplaceMechanism(2.0), hs.Laplace(noise_multiplier=0.5)),
    "guarantee": (prv.ApproximateDPMechanism(0.5, 0.0), hs.ApproximateDP(epsilon=0.5, delta=0.0)),
    "pure": (prv.PureDPMechanism(1.25), hs.ApproximateDP(epsilon=1.25, delta=0.0)),
}
REMOVE = {"adjacency": hs.Adjacency.REMOVE_ONE}


@pytest.mark.parametrize("name", KNOWN)
def test_the_cdf_is_that_of_the_loss(name):
    """P(L > t) is certified for t >= 0, and by E[exp(-L)] = 1 its mirror for t < 0."""
    known, mechanism = KNOWN[name]
    at = np.array([0.01, 0.4999, 0.5, 0.77, 1.2499, 1.9, 2.1, 7.0])
    bounds = mechanism.probabilistic_delta_bounds(at, **REMOVE)
    beyond = 1 - known.cdf(at)
    assert np.all(bounds.lower - 1e-9 <= beyond)
    assert np.all(beyond <= bounds.upper + 1e-9)
    wide = np.linspace(-12, 60, 7201)
    values = known.cdf(wide)
    assert np.all(np.diff(values) >= 0)
    assert values[-1] == pytest.approx(1, abs=1e-12)
    middles = (wide[1:] + wide[:-1]) / 2
    assert np.diff(values) @ np.exp(-middles) == pytest.approx(1, abs=2e-2)
    assert known.probability(0.1, 0.6) == pytest.approx(known.cdf(0.6) - known.cdf(0.1))


@pytest.mark.parametrize("name", ["gaussian", "sampled", "always"])
def test_the_pdf_is_its_derivative(name):
    known, _ = KNOWN[name]
    at = np.array([-3.0, -0.21, -0.1, 0.0, 0.3, 1.7, 9.0])
    slope = (known.cdf(at + 1e-5) - known.cdf(at - 1e-5)) / 2e-5
    assert known.pdf(at) == pytest.approx(slope, rel=1e-5, abs=1e-9)
    assert known.pdf(800.0) == 0


@pytest.mark.parametrize("name", sorted(KNOWN.keys() - {"never"}))
def test_mean_and_divergences_are_certified(name):
    known, mechanism = KNOWN[name]
    assert known.mean() == mechanism.loss_mean(**REMOVE)
    assert known.rdp(3.5) == mechanism.renyi_divergence(3.5, **REMOVE)


def test_what_is_finite_of_a_guarantee():
    leaky = prv.ApproximateDPMechanism(0.5, 1e-3)
    assert leaky.pm_inf == 1e-3
    assert leaky.rdp(2.0) == prv.PureDPMechanism(0.5).rdp(2.0) < math.inf
    assert leaky.mean() == pytest.approx(0.5 * math.tanh(0.25), rel=1e-3)


def test_a_subclass_needs_a_cdf_alone():
    class Own(prv.PrivacyRandomVariable):
        def cdf(self, t):
            return SAMPLED.cdf(t)

    own = Own()
    assert own.probability(0.0, 1.0) == SAMPLED.probability(0.0, 1.0)
    for ask in (own.mean, lambda: own.rdp(2.0), lambda: own.pdf(0.0)):
        with pytest.raises(NotImplementedError, match="Own"):
            ask()


@pytest.mark.parametrize(("low", "high"), [(-1.0, 0.5), (-30.0, 1e2), (0.5, 2.0), (-3.0, -1.0)])
def test_cut_at_both_ends(low, high):
    """The loss of Gaussian noise is N(mu^2 / 2, mu^2)."""
    mu = 2.0
    cut = PrivacyRandomVariableTruncated(prv.GaussianMechanism(1.0, mu), low, high)
    ends = [(end - mu**2 / 2) / mu for end in (low, high)]
    truth = stats.truncnorm(*ends, loc=mu**2 / 2, scale=mu)
    at = np.linspace(low - 1, high + 1, 31)
    assert cut.cdf(at) == pytest.approx(truth.cdf(at), abs=1e-12)
    assert cut.pdf(at[1:-1]) == pytest.approx(truth.pdf(at[1:-1]), abs=1e-9)
    assert cut.mean() == pytest.approx(truth.mean(), rel=1e-7)
    assert cut.pm_inf == 0
    mass, _ = integrate.quad(cut.pdf, low, high)
    assert mass == pytest.approx(1, abs=1e-6)


def test_small_means_are_found_far_within():
    step = prv.PoissonSubsampledGaussianMechanism(1.2e-4, 0.2)
    assert PrivacyRandomVariableTruncated(step, -134.0, 134.0).mean() == pytest.approx(
        step.mean(), rel=1e-3
    )
    laplace = prv.LaplaceMechanism(1.0)
    assert PrivacyRandomVariableTruncated(laplace, -50.0, 50.0).mean() == pytest.approx(
        laplace.mean(), rel=2e-2
    )


def test_logarithms_without_warnings():
    assert log(1) == 0
    assert log(0) == -math.inf
    assert np.isnan(log(-1.0))
