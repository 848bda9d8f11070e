# SPDX-License-Identifier: Apache-2.0
"""Deltas next to 1: long runs, and little noise, at an epsilon that nearly every loss exceeds."""

import math

import pytest
from flint import arb

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import _core
from hockeystick.adjacency import Adjacency, Direction

pytestmark = pytest.mark.bits(300)

LIMITS = {"tolerance": 1e-3, "memory_limit": 1 << 28}
LONG = [
    10**9 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1),
    10**9 * hs.Laplace(noise_multiplier=1.0),
    10**9 * hs.DiscreteGaussian(sigma=1.0),
    100_000 * hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=10),
    2 * hs.Laplace(noise_multiplier=0.005),
]


def bounded(run, epsilon, tolerance=1e-3):
    """Delta by Chernoff's inequality alone."""
    (terms,) = run._directions(Adjacency.REMOVE_ONE)
    limits = LIMITS | {"tolerance": tolerance}
    return _core.delta_bounds([terms], [epsilon], method="chernoff_bound", **limits)[0]


@pytest.mark.parametrize("run", LONG, ids=str)
def test_long_runs_are_told_apart_nearly_surely(run):
    """They were declined, with lower bounds of 0."""
    assert run.delta_bounds(1.0).lower >= 1 - 1e-3
    assert run.bayes_risk_bounds(0.01).upper <= 1e-8
    assert run.true_positive_rate_bounds(1e-3).lower >= 1 - 1e-9
    assert run.gdp_mu_bounds().lower >= 14


@pytest.mark.parametrize("run", LONG[:3], ids=str)
def test_nearly_all_losses_of_long_runs_exceed_a_small_epsilon(run):
    assert run.probabilistic_delta_bounds(1.0).lower >= 1 - 1e-3


@pytest.mark.parametrize("noise", [1.0, 0.2, 0.03])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.25])
def test_what_is_missed_of_gaussians_is_bounded(noise, share):
    """A mixture of one is a Gaussian that does not merge with others."""
    step = hs.GaussianMixture(standard_deviation=noise, sensitivities=[1.0], probabilities=[1.0])
    count = math.ceil(400 * noise**2) + 1
    mu = math.sqrt(count) / noise
    epsilon = share * mu * mu / 2
    found = bounded(count * step, epsilon)
    exact = arb(count).sqrt() / arb(noise)
    assert found.lower <= gaussian_delta(exact, arb(epsilon))
    assert found.lower >= 1 - 1e-3 or noise == 0.03


@pytest.mark.parametrize("t", [0.01, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("loss", [1e-9, 0.1, 3.0, 79.9, 80.001, 90.0, 100.01, 300.0])
def test_moments_of_atoms_are_bounded(loss, t):
    """Losses within the reach, at its end and beyond, where only the masses of the tails count."""
    rare = math.exp(-loss)
    for odds, others in (
        ((1.0, 0.0), (rare, 1.0)),
        ((1.0, rare), (rare, 1.0)),
        ((3.0, 1.0), (rare, 1.0)),
    ):
        p, q = ([x / sum(each) for x in each] for each in (odds, others))
        pair = hs.DiscretePair(p=p, q=q).dominating_pair(Direction.REMOVE)
        bound = _core.contour.negative_moment_above(pair, t)
        power = arb(t)
        p_masses, q_masses = ([arb(x) / sum(map(arb, each)) for x in each] for each in (p, q))
        both = zip(p_masses, q_masses, strict=True)
        truth = sum((x ** (1 - power) * y**power for x, y in both if x > 0), arb(0))
        assert bound >= truth
        if loss <= 3:
            assert bound <= truth * (1 + 1e-3)


@pytest.mark.parametrize("t", [0.01, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("mu", [1e-6, 0.01, 1.0, 5.0, 12.0, 40.0, 1000.0])
def test_moments_of_gaussians_are_bounded(mu, t):
    pair = hs.Gaussian(noise_multiplier=1 / mu).dominating_pair(Direction.REMOVE)
    bound = _core.contour.negative_moment_above(pair, t)
    truth = (-arb(t) * (1 - arb(t)) * arb(mu) ** 2 / 2).exp()
    assert bound >= truth * (1 - arb(2) ** -40)  # 1 / mu is rounded
    if mu <= 5:
        assert bound - 1 <= (truth - 1) * arb("0.97") + arb("1e-13")


@pytest.mark.parametrize("noise", [10.0, 1.0, 0.1, 0.0124, 0.011, 0.001])
def test_moments_of_laplace_are_bounded(noise):
    """E e^(-L / 2) is (1 + m / 2) e^(-m / 2), m = 1 / noise."""
    pair = hs.Laplace(noise_multiplier=noise).dominating_pair(Direction.REMOVE)
    bound = _core.contour.negative_moment_above(pair, 0.5)
    half = 1 / (2 * arb(noise))
    assert bound >= (1 + half) * (-half).exp()


@pytest.mark.parametrize("missed", [1e-3, 1e-12])
def test_infinite_losses_count_as_found(missed):
    pair = hs.ApproximateDP(epsilon=0.5, delta=1 - missed).dominating_pair(Direction.REMOVE)
    bound = _core.contour.negative_moment_above(pair, 0.5)
    shares = 2 * math.exp(0.25) / (1 + math.exp(0.5))  # of two outcomes, e^0.5 times likelier each
    assert (1 - 1e-4) * missed * shares <= bound <= (1 + 1e-3) * missed * shares


@pytest.mark.parametrize(("count", "missed"), [(400, 2.0**-30), (400, 1e-14), (400, 1e-5)])
def test_epsilon_next_to_one_is_bounded_from_below(count, missed):
    """Of one Gaussian, by what 1 - delta is there; a smaller delta has no such bound."""
    step = hs.GaussianMixture(standard_deviation=1.0, sensitivities=[1.0], probabilities=[1.0])
    (terms,) = (count * step)._directions(Adjacency.REMOVE_ONE)
    ask = {"method": "chernoff_bound", **LIMITS}
    near, far = (_core.epsilon_bounds([terms], [d], **ask)[0] for d in (1 - missed, 0.4))
    assert (far.lower, far.upper, near.upper) == (0, math.inf, math.inf)
    assert gaussian_delta(arb(count).sqrt(), arb(near.lower)) >= 1 - missed
    further = arb(near.lower) + 0.8 * math.sqrt(count)  # some nats at the best tilt
    assert gaussian_delta(arb(count).sqrt(), further) < 1 - missed


def test_one_release_of_little_noise_is_found_at_usual_rates():
    """It was declined, with a lower bound of 0.98."""
    bounds = hs.Laplace(noise_multiplier=0.02).true_positive_rate_bounds([1e-3, 0.3])
    assert (bounds.lower >= 1 - 1e-8).all()
    assert hs.Laplace(noise_multiplier=0.005).gdp_mu_bounds().lower >= 14


@pytest.mark.parametrize("fpr", [1e-3, 1e-12, 1e-20, 1e-21])
def test_power_at_a_rate_is_at_least_delta_at_its_loss(fpr):
    """Of one Laplace mechanism 1 - e^-m / (4 x) is found."""
    noise = 0.02
    power = hs.Laplace(noise_multiplier=noise).true_positive_rate_bounds(fpr, tolerance=0.3)
    truth = 1 - (-1 / arb(noise)).exp() / (4 * arb(fpr))
    assert power.lower <= truth <= power.upper


def powers_of(errors=(0.0,) * 5, infinite=(0.0, 0.0)):
    """E e^(-L / 2) of an outcome of a loss of 621 beyond all edges, as stated with errors."""
    pair = hs.DiscretePair(p=(1.0, 0.0), q=(1e-270, 1.0)).dominating_pair(Direction.REMOVE)
    rough = _core.sampling.rough_pair(pair, errors=errors, infinite=infinite)
    return _core.contour.negative_moment_above(rough, 0.5)


def test_losses_beyond_the_last_edge_may_be_lower_by_their_error():
    moved = powers_of(errors=(0.0, 0.0, 0.0, 0.1, 0.0))
    assert moved / powers_of() == pytest.approx(math.exp(0.05), rel=1e-5)


def test_mass_that_may_be_at_infinity_counts_at_no_loss():
    """Where its Q-mass may be 1: its root."""
    assert powers_of(infinite=(0.0, 0.01)) == pytest.approx(0.1, rel=1e-9)


def test_a_delta_next_to_one_needs_no_transform():
    """A contour of 1 - delta answers first; else Chernoff's inequality would."""
    directions = (3_154_536 * hs.Laplace(noise_multiplier=0.598940138582794))._directions(
        hs.Adjacency.ADD_OR_REMOVE_ONE
    )
    (answer,) = _core.delta_bounds(directions, [1e4], tolerance=1e-3, memory_limit=1 << 28)
    assert answer.method in ("contour_integral", "chernoff_bound")
    assert answer.lower > 1 - 1e-3
