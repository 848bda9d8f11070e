# SPDX-License-Identifier: Apache-2.0
"""The mu of Gaussian differential privacy, where few losses decide it and for Gaussians."""

import itertools

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.attack import needed_mu, normal_quantile
from hockeystick import Adjacency, _core
from hockeystick.adjacency import Direction
from pld import stored
from random_runs import Term, laws_and_run
from rare_runs import sampled

REPLACE = {"adjacency": Adjacency.REPLACE_ONE}
LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}


MU = [
    # terms, direction, how, rate
    ([Term("ApproximateDP", {"epsilon": 0.0, "delta": 1e-9}, 9)], "remove", {}, 1e-12),
    ([Term("ApproximateDP", {"epsilon": 0.0, "delta": 1e-9}, 9)], "remove", {}, 1e-3),
    ([Term("ExponentialMechanism", {"epsilon": 8.0}, 1)], "remove", {}, 1e-12),
    ([Term("ExponentialMechanism", {"epsilon": 8.0}, 1)], "remove", {}, 1e-9),
    (
        [Term("RandomizedResponse", {"noise_parameter": 0.5, "num_buckets": 415842}, 26)],
        "replace",
        REPLACE,
        1e-12,
    ),
    ([Term("DiscretePair", {"p": (50, 72, 82), "q": (8, 22, 82)}, 58)], "remove", {}, 1e-12),
    ([Term("DiscretePair", {"p": (50, 72, 82), "q": (8, 22, 82)}, 3)], "remove", {}, 0.1),
]


@pytest.mark.parametrize(("terms", "direction", "how", "rate"), MU)
def test_mu_of_few_losses(terms, direction, how, rate):
    with ctx.workprec(2000):
        laws, run = laws_and_run(terms, direction)
        truth = needed_mu(laws, rate)
    bounds = run.gdp_mu_bounds(smallest_rate=rate, **how)
    assert bounds.lower <= truth * (1 + 1e-12)
    assert bounds.upper >= truth * (1 - 1e-12)
    assert bounds.gap <= 1e-3 * truth


def directions(mechanism, count):
    return [[(mechanism.dominating_pair(way), count)] for way in (Direction.REMOVE, Direction.ADD)]


def test_the_mu_of_gaussians_is_theirs_at_every_rate():
    asked = [[(hs.Gaussian(noise_multiplier=3.0).dominating_pair(Direction.REMOVE), 7)]]
    with ctx.workprec(200):
        truth = arb(7).sqrt() / 3
        for answer in _core.gdp_bounds(asked, np.array([1e-20, 1e-3, 0.4]), **LIMITS):
            assert answer.lower <= truth <= answer.upper <= truth * (1 + 1e-14)


def test_small_rates_need_no_smaller_mu():
    asked = directions(hs.Gaussian(noise_multiplier=0.8).poisson_sampled(0.05), 40)
    answers = list(_core.gdp_bounds(asked, np.array([0.1, 1e-3, 1e-7, 1e-12]), **LIMITS))
    assert all(answer.converged for answer in answers)
    for common, rare in itertools.pairwise(answers):
        assert common.lower <= rare.upper
    assert answers[0].upper < answers[-1].lower


SAMPLED = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def test_what_one_direction_alone_needs_is_found_without_its_reverse():
    pairs = directions(SAMPLED, 1000)
    rates = np.array([1e-3, 1e-9])
    told = list(_core.gdp_bounds(pairs, rates, **LIMITS, reverses=pairs[::-1]))
    untold = list(_core.gdp_bounds(pairs, rates, **LIMITS))
    for one, other in zip(told, untold, strict=True):
        assert one.converged
        assert other.converged
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)


@pytest.mark.parametrize(
    "run",
    [
        416 * sampled(5.038327452490103, 1.74621615570674e-05),
        5 * sampled(3.929867684007275, 5.8048305696686556e-06),
        10 * sampled(4.671482562509445, 0.00020362698291654752),
        75 * sampled(1.6898236789697865, 0.00011197831217680904),
        1549 * hs.DiscreteGaussian(sigma=1.8546991).poisson_sampled(2.884e-5),
        4 * hs.DiscreteGaussian(sigma=1.5192407200978115).poisson_sampled(3.56e-5),
        22 * sampled(0.6547671715703204, 2.6746519471948534e-06)
        + 5725 * sampled(2.749054231746231, 0.00185941852347032),
        9112 * sampled(0.8968638269350381, 0.00011242409514753711)
        + 5928 * sampled(6.1850158814757785, 0.0002426563452282783),
    ],
)
def test_mu_of_rare_samples(run):
    """Saddle points say little of where such tests decide."""
    mu = run.gdp_mu_bounds(memory_limit=2**26)
    assert 0 < mu.upper - mu.lower <= 1e-3 * mu.upper
    rates = np.array([1e-6, 1e-3, 0.1])
    power = run.true_positive_rate_bounds(rates)
    normal = hs.Gaussian(noise_multiplier=1 / mu.upper).true_positive_rate_bounds(rates)
    assert np.all(power.lower <= normal.upper)


@pytest.mark.parametrize(
    "run",
    [
        503 * hs.Laplace(1.9314856394658515),
        230 * hs.Laplace(1.3532697532052382),
        3836 * hs.Laplace(5.285225196607838),
        231 * hs.Laplace(0.8221361196640989),
        1736 * hs.Laplace(2.5889640530735076),
        41 * hs.DiscreteGaussian(0.5879744748111616),
        188 * hs.DiscreteGaussian(0.8931134297935353),
        2212 * hs.DiscreteGaussian(4.9519928473818124),
        1877 * hs.DiscreteGaussian(3.876586664326044),
        4000 * hs.Gaussian(1.0).poisson_sampled(0.2) + 30 * hs.Laplace(12.0),
    ],
)
def test_mu_of_hardly_private_runs(run):
    """Delta is next to 1 at the losses that decide: what is left of it counts."""
    mu = run.gdp_mu_bounds()
    assert 9 < mu.lower <= mu.upper <= mu.lower * 1.001
    rates = np.array([1e-11, 1e-9, 1e-6])
    normal = hs.Gaussian(noise_multiplier=1 / mu.upper).true_positive_rate_bounds(rates)
    found = run.true_positive_rate_bounds(rates, tolerance=1e-2).lower
    assert np.all(np.minimum(found, 1 - 1e-12) <= normal.upper)  # who misses less is not counted


def test_points_lie_only_where_they_may_matter():
    """The trade-off is nearly Gaussian: every rate needs about as much, and few are left open."""
    run = 3 * hs.Gaussian(noise_multiplier=7.084290125454312).random_allocation(steps=73)
    before = _core.work.taken()
    found = run.gdp_mu_bounds()
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert _core.work.taken() - before < 1e8  # 3.6e8 where all lines had new points each time


@pytest.mark.parametrize("rate", [0.1, 1e-3, 1e-9, 1e-12])
def test_whoever_misses_next_to_nothing_is_given_the_smallest_rate(rate):
    """A loss that all of P has and none of Q: twice the quantile of the rate, by its lower end."""
    certain = stored.step([-1, 1], [0.0, 1.0], interval=600.0, side="lower")
    (found,) = _core.pld_gdp_mu(stored.alone(certain), [rate])
    with ctx.workprec(300):
        truth = normal_quantile(rate) - normal_quantile(float(np.nextafter(1 - rate, 0)))
        assert arb(found) <= truth <= arb(found) * (1 + arb("1e-12")) + arb("1e-13")
