# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of one's own under prv_accountant's names: their cdf's curve is enclosed."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import hockeystick as hs
from hockeystick import given_cdf
from hockeystick.compat import prv_accountant as prv
from hockeystick.given_cdf import Allowance
from questions import told

MISSING = "the extra prv-accountant is not installed"
ERRORS = {"eps_error": 0.1, "delta_error": 1e-10}


class Normal(prv.PrivacyRandomVariable):
    """The loss of Gaussian noise, N(mu^2 / 2, mu^2)."""

    def __init__(self, sigma):
        self.mu = 1 / sigma

    def cdf(self, t):
        """At numbers of any type: theirs are long doubles."""
        return ndtr(np.double(t / self.mu - self.mu / 2))


class Step(prv.PrivacyRandomVariable):
    """The loss of a step of DP-SGD: log(1 - q + q e^((x - 1/2) / sigma^2)), x ~ the mixture."""

    def __init__(self, sigma, q):
        self.sigma, self.q = sigma, q

    def cdf(self, t):
        """No loss is below log(1 - q)."""
        above = np.maximum(np.expm1(t) + self.q, 0)
        with np.errstate(divide="ignore"):
            x = self.sigma**2 * np.log(above / self.q) + 0.5
        inside = (1 - self.q) * ndtr(x / self.sigma) + self.q * ndtr((x - 1) / self.sigma)
        return np.where(above > 0, inside, 0.0)


class Noise(prv.PrivacyRandomVariable):
    """The loss of Laplace noise, with atoms at both ends."""

    def __init__(self, mu):
        self.mu = mu

    def cdf(self, t):
        """Exponential in between."""
        with np.errstate(over="ignore"):
            inside = np.exp((t - self.mu) / 2) / 2
        return np.where(t >= self.mu, 1.0, np.where(t >= -self.mu, inside, 0.0))


class Leaky(Noise):
    """As Noise, but all comes out once in a while."""

    @property
    def pm_inf(self):
        """How often all comes out."""
        return 1e-8


def gaussian(sigma):
    return hs.Gaussian(noise_multiplier=sigma)


CASES = {
    "laplace": (Noise(0.01), hs.Laplace(noise_multiplier=100.0), 1000),
    "laplace, once": (Noise(0.5), hs.Laplace(noise_multiplier=2.0), 1),
    "gaussian": (Normal(100.0), gaussian(100.0), 10_000),
    "strong gaussian": (Normal(0.7), gaussian(0.7), 3),
    "dp-sgd": (Step(1.0, 0.01), gaussian(1.0).poisson_sampled(0.01), 1000),
    "leaky": (
        Leaky(0.02),
        hs.Laplace(noise_multiplier=50.0) + hs.ApproximateDP(epsilon=0, delta=1e-8),
        20,
    ),
}


@cache
def account(name, **errors):
    own, _, count = CASES[name]
    return prv.PRVAccountant(own, max_self_compositions=count, **(ERRORS | errors))


def truth(name, wanted, at):
    _, known, count = CASES[name]
    ask = getattr(count * known, f"{wanted}_bounds")
    return told(ask, at, adjacency=hs.Adjacency.REMOVE_ONE, tolerance=1e-4)  # next to atoms too


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_enclosed(name, delta):
    count = CASES[name][2]
    lower, estimate, upper = account(name).compute_epsilon(delta, count)
    known = truth(name, "epsilon", delta)
    assert lower <= known.upper
    assert known.lower <= upper
    assert lower <= estimate <= upper
    assert upper - lower <= 0.1
    assert upper - lower > 1e-9  # so that what encloses is rounding outward, not luck


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
@pytest.mark.parametrize("name", CASES)
def test_delta_is_enclosed(name, epsilon):
    count = CASES[name][2]
    lower, _, upper = account(name).compute_delta(epsilon, count)
    known = truth(name, "delta", epsilon)
    assert 0 <= lower <= known.upper
    assert known.lower <= upper
    # Within what epsilon may be off by, eps_error, and delta_error.
    widest = truth(name, "delta", max(0.0, epsilon - 0.1)).upper + (0.1 if epsilon < 0.1 else 0.0)
    assert upper <= 1.01 * widest + 1e-10
    assert lower >= 0.99 * truth(name, "delta", epsilon + 0.1).lower - 2e-10


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 6.0])
def test_ends_that_are_cut_are_in_the_bounds(epsilon):
    """In company that makes all losses matter, also those below the lowest point kept."""
    cut = given_cdf.enclosed(Normal(1.0).cdf, Allowance(width=1e-4, tail=0.01))
    company = hs.ApproximateDP(epsilon=4.0, delta=0)

    def delta(run, at=epsilon):
        return (run + company).delta_bounds(
            at, adjacency=hs.Adjacency.REMOVE_ONE, tolerance=0.05 if epsilon > 1 else 1e-4
        )

    true = delta(gaussian(1.0))
    low, high = delta(cut.more_private, epsilon + cut.shift), delta(cut.less_private)
    assert true.lower <= high.upper <= 1.05 * true.upper + 0.01
    assert true.lower - 0.02 <= low.lower - cut.missed <= true.upper
    if epsilon == 0:
        assert low.lower > true.upper  # what is missed counts
    assert 0.001 < cut.missed <= 0.01


def test_one_in_company_of_others():
    others = [prv.PoissonSubsampledGaussianMechanism(0.01, 1.0), prv.GaussianMechanism(30.0)]
    mixed = prv.PRVAccountant([Normal(20.0), *others], max_self_compositions=[50] * 3, **ERRORS)
    lower, _, upper = mixed.compute_epsilon(1e-6, [20, 30, 40])
    run = 20 * gaussian(20.0) + 30 * gaussian(1.0).poisson_sampled(0.01) + 40 * gaussian(30.0)
    known = run.epsilon_bounds(1e-6, adjacency=hs.Adjacency.REMOVE_ONE, tolerance=1e-6)
    assert lower <= known.upper
    assert known.lower <= upper
    assert upper - lower <= 0.1
    without = mixed.compute_epsilon(1e-6, [0, 30, 40])
    run = 30 * gaussian(1.0).poisson_sampled(0.01) + 40 * gaussian(30.0)
    assert (without[0], without[2]) == run.epsilon_bounds(1e-6, adjacency=hs.Adjacency.REMOVE_ONE)


def test_delta_error_is_what_the_cdf_may_be_off_by():
    """A cdf that is too small by what is allowed for, and one too large: both enclose the truth."""

    def off(by):
        def cdf(self, t):
            true = Normal.cdf(self, t)
            return true + by * 4 * true * (1 - true)

        return type("Off", (Normal,), {"cdf": cdf})(1.0)

    known = (10 * gaussian(1.0)).epsilon_bounds(1e-6, tolerance=1e-6)
    for by in (1, -1):
        wrong = prv.PRVAccountant(off(by * 4.9e-9), 0.01, 1e-7, max_self_compositions=10)
        lower, _, upper = wrong.compute_epsilon(1e-6, 10)
        assert lower <= known.upper
        assert known.lower <= upper
    careful = prv.PRVAccountant(Normal(1.0), 0.01, 1e-6, max_self_compositions=10)
    assert careful.compute_epsilon(4e-7, 10)[2] == math.inf
    assert careful.compute_delta(40.0, 10)[2] >= 5e-7


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [Noise, Normal], ids=lambda kind: kind.__name__)
def test_the_originals_bounds_hold_ours(make):
    """The same class, on one import line or the other."""
    theirs = pytest.importorskip("prv_accountant", reason=MISSING)
    parameter, orders = (0.05, Noise) if make is Noise else (20.0, Normal)
    rdp = {
        Noise: lambda _, a: (
            math.log(
                a / (2 * a - 1) * math.exp((a - 1) * 0.05)
                + (a - 1) / (2 * a - 1) * math.exp(-a * 0.05)
            )
            / (a - 1)
        ),
        Normal: lambda _, a: a / 800,
    }[orders]
    body = {"__init__": make.__init__, "cdf": make.cdf, "rdp": rdp}
    answers = []
    for package in (theirs, prv):
        own = type("Own", (package.PrivacyRandomVariable,), body)(parameter)
        made = package.PRVAccountant(prvs=own, max_self_compositions=200, **ERRORS)
        answers.append(made.compute_epsilon(delta=1e-6, num_self_compositions=100))
    wide, narrow = answers
    assert wide[0] < narrow[0] <= narrow[2] < wide[2]
    assert narrow[1] == pytest.approx(wide[1], abs=0.05)


def test_a_known_mechanism_with_another_cdf_is_ones_own():
    """Not that of the class which it is derived from, whose noise is larger here."""
    body = {"cdf": lambda _, t: Normal(1.0).cdf(t)}
    own = type("Own", (prv.GaussianMechanism,), body)(noise_multiplier=20.0)
    renamed = type("Renamed", (prv.GaussianMechanism,), {})(noise_multiplier=20.0)
    lower, _, upper = prv.PRVAccountant(own, **ERRORS).compute_epsilon(1e-6, 1)
    assert lower <= hs.Gaussian(1.0).epsilon(1e-6) <= upper <= lower + 0.2
    known = prv.PRVAccountant(renamed, **ERRORS).compute_epsilon(1e-6, 1)
    assert known[2] == hs.Gaussian(20.0).epsilon(1e-6)


def test_trade_off_curves_of_ones_own_enclose_the_truth():
    """Four Gaussians of mu = 1/2 are one of mu 1: its curve is Phi(Phi^-1(1 - x) - 1)."""
    own = prv.PRVAccountant(Normal(2.0), eps_error=0.1, delta_error=1e-6, max_self_compositions=4)
    rates, lower = own.compute_trade_off_curve([4], bound="lower")
    _, upper = own.compute_trade_off_curve([4], bound="upper")
    truth = ndtr(-ndtri(rates) - 1)
    assert np.all(lower <= truth + 1e-12)
    assert np.all(truth - 1e-12 <= upper)
    assert np.all(upper - lower < 0.05)
