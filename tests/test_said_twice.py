# SPDX-License-Identifier: Apache-2.0
"""One mechanism said in two ways, one question asked of two methods: the answers must overlap.

Every pair below has one truth, so that bounds that are disjoint are wrong on one side at least.
Parameters are drawn to be bad: little and much noise, rates from the normal range down to 1e-30,
questions from the bulk to far in the tail and next to the largest loss.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special

import hockeystick as hs
from rare_runs import batches

ROUNDED = 1e-9  # where the second way's parameters are rounded: relative, of what is compared
MEMORY = 1 << 26
BOTH = hs.Adjacency.ADD_OR_REMOVE_ONE


@dataclass(frozen=True)
class Twice:
    """Two runs of one law, and by how much the rounding of parameters may set them apart."""

    first: hs.Composition
    second: hs.Composition
    adjacency: hs.Adjacency = BOTH
    apart: float = 0.0
    other_adjacency: hs.Adjacency | None = None


def power(rng, low, high):
    """Of 10, log-uniform."""
    return 10 ** rng.uniform(low, high)


def dyadic(rng, low, high):
    """A power of 2 times an odd number below 16: its sums and products here are exact."""
    return math.ldexp(rng.choice((1, 3, 5, 7, 11)), rng.randint(low, high))


def normal_noise(rng):
    s = power(rng, -3, 1.55)
    noise = hs.AdditiveNoise(
        log_density=lambda x: -x * x / 2 - math.log(2 * math.pi) / 2,
        distribution=special.ndtr,
        sensitivity=s,
    )
    beside = rng.choice((hs.Composition(), 1 * hs.Gaussian(noise_multiplier=100.0)))
    return Twice(noise + beside, hs.Gaussian(noise_multiplier=1 / s) + beside, apart=ROUNDED)


def laplace_noise(rng):
    s = dyadic(rng, -10, 5)
    noise = hs.AdditiveNoise(
        log_density=lambda x: -np.abs(x) - math.log(2),
        distribution=lambda x: np.exp(x) / 2,
        sensitivity=s,
    )
    return Twice(1 * noise, 1 * hs.Laplace(noise_multiplier=1 / s), apart=ROUNDED)


def mixture_of_one(rng):
    sigma = power(rng, -2.5, 3)
    mixture = hs.GaussianMixture(standard_deviation=sigma, sensitivities=[1.0], probabilities=[1.0])
    n = rng.randint(1, 10 ** rng.randint(0, 6))
    return Twice(n * mixture, n * hs.Gaussian(noise_multiplier=sigma))


def sampled_as_a_mixture(rng):
    sigma, q = power(rng, -1.5, 2), dyadic(rng, -40, -5)
    mixture = hs.GaussianMixture(
        standard_deviation=sigma, sensitivities=[0.0, 1.0], probabilities=[1 - q, q]
    )
    n = rng.randint(1, 10 ** rng.randint(0, 5))
    return Twice(n * mixture, n * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q))


def sampled_surely(rng):
    mechanism = rng.choice(
        (
            hs.Laplace(noise_multiplier=power(rng, -2, 2)),
            hs.Gaussian(noise_multiplier=power(rng, -2, 2)),
            hs.DiscreteGaussian(sigma=power(rng, -0.5, 1)),
        )
    )
    n = rng.randint(1, 20)
    almost = math.nextafter(1, 0)
    return Twice(n * mechanism, n * mechanism.poisson_sampled(almost), apart=ROUNDED)


def truncated_at_all(rng):
    """No sample is larger than the dataset."""
    sigma, q, size = power(rng, -1, 2), dyadic(rng, -12, -5), rng.randint(2, 1000)
    step = batches(sigma, q, size, size)
    n = rng.randint(1, 1000)
    return Twice(n * step, n * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q))


def many_gaussians(rng):
    sigma, root = power(rng, 1, 5), 2 ** rng.randint(1, 12)
    return Twice(
        root**2 * hs.Gaussian(noise_multiplier=sigma),
        1 * hs.Gaussian(noise_multiplier=sigma / root),
    )


def responses_as_a_pair(rng):
    """Answers of others than the two values compared say nothing of which is true."""
    r, buckets = 2.0 ** -rng.randint(1, 40), 2 ** rng.randint(1, 6)
    truth, lie = 1 - r + r / buckets, r / buckets
    rest = (buckets - 2) * lie
    p, q = [truth, lie, rest], [lie, truth, rest]
    if not rest:
        p, q = p[:2], q[:2]
    response = hs.RandomizedResponse(noise_parameter=r, num_buckets=buckets)
    n = rng.choice((1, 2, 7, 40, 399))
    return Twice(n * response, n * hs.DiscretePair(p=p, q=q), hs.Adjacency.REPLACE_ONE)


def leaks_as_a_pair(rng):
    """(0, delta)-DP: the record is shown with probability delta."""
    leak = 2.0 ** -rng.randint(1, 52)
    pair = hs.DiscretePair(p=[leak, 1 - leak, 0.0], q=[0.0, 1 - leak, leak])
    n = rng.choice((1, 2, 3, 54, 1000))
    return Twice(n * hs.ApproximateDP(epsilon=0.0, delta=leak), n * pair)


def selection_as_pure_dp(rng):
    """epsilon-DP is as bad as randomized response between two values."""
    bits = rng.randint(1, 30)
    lie = 2.0**-bits
    epsilon = math.log((1 - lie / 2) / (lie / 2))
    n = rng.choice((1, 2, 5, 30))
    response = hs.RandomizedResponse(noise_parameter=lie, num_buckets=2)
    pure = hs.ApproximateDP(epsilon=epsilon, delta=0.0)
    return Twice(n * pure, n * response, hs.Adjacency.REPLACE_ONE, ROUNDED)


def swapped_pair(rng):
    odds = [round(dyadic(rng, 0, 30)) for _ in range(rng.randint(2, 4))]
    others = [round(dyadic(rng, 0, 30)) for _ in odds]
    n = rng.choice((1, 2, 5, 17))
    pair = hs.DiscretePair(p=odds, q=others)
    return Twice(
        n * pair,
        n * hs.DiscretePair(p=others, q=odds),
        hs.Adjacency.REMOVE_ONE,
        other_adjacency=hs.Adjacency.ADD_ONE,
    )


def split_in_two_kinds(rng):
    """Equal laws that do not merge, as their classes differ."""
    sigma, q = power(rng, -0.5, 1.5), dyadic(rng, -20, -5)
    sampled = hs.Gaussian(noise_multiplier=sigma).poisson_sampled(q)
    mixture = hs.GaussianMixture(
        standard_deviation=sigma, sensitivities=[0.0, 1.0], probabilities=[1 - q, q]
    )
    n, m = rng.randint(1, 2000), rng.randint(1, 2000)
    return Twice(n * sampled + m * mixture, (n + m) * sampled)


WAYS = (
    normal_noise,
    laplace_noise,
    mixture_of_one,
    sampled_as_a_mixture,
    sampled_surely,
    truncated_at_all,
    many_gaussians,
    responses_as_a_pair,
    leaks_as_a_pair,
    selection_as_pure_dp,
    swapped_pair,
    split_in_two_kinds,
)


@dataclass(frozen=True)
class Query:
    """A question, and where it is asked."""

    ask: Callable[..., hs.Bounds]
    draw: Callable[[random.Random], float]


def far(rng):
    """A probability, at times tiny."""
    tiny = power(rng, -rng.choice((6, 30, 290)), 0)
    return rng.uniform(0.01, 0.6) if rng.random() < 0.3 else tiny


QUERIES = {
    "epsilon": Query(hs.Composition.epsilon_bounds, lambda rng: min(far(rng), 0.9)),
    "true positive rate": Query(hs.Composition.true_positive_rate_bounds, far),
    "trade-off": Query(hs.Composition.tradeoff_bounds, far),
    "Bayes risk": Query(hs.Composition.bayes_risk_bounds, lambda rng: min(far(rng), 0.99)),
    "Renyi": Query(hs.Composition.renyi_divergence_bounds, lambda rng: 1 + power(rng, -2, 1.5)),
    "tail": Query(hs.Composition.probabilistic_delta_bounds, lambda rng: power(rng, -3, 1.5)),
    "quantile": Query(hs.Composition.loss_quantile_bounds, lambda rng: min(far(rng), 0.9)),
}


def bounds_of(ask, *arguments, **options):
    """Certified, or the best there are; None where the question is refused."""
    try:
        return ask(*arguments, **options)
    except hs.CertificationError as error:
        return error.bounds
    except ValueError:
        return None


def check(first, second, apart, what):
    """Neither is inside out, and both hold one truth."""
    for bounds in (first, second):
        assert bounds.lower <= bounds.upper, what
    for one, other in ((first, second), (second, first)):
        slack = apart * abs(other.upper) if math.isfinite(other.upper) else 0.0
        assert one.lower <= other.upper + slack + 1e-307, (*what, first, second)


def asked_twice(twice, ask, at, what):
    """One question of both runs."""
    other = twice.other_adjacency or twice.adjacency
    limits = {"deviations" if what == "quantile" else "tolerance": 1e-3, "memory_limit": MEMORY}
    first = bounds_of(ask, twice.first, at, adjacency=twice.adjacency, **limits)
    second = bounds_of(ask, twice.second, at, adjacency=other, **limits)
    if first is not None and second is not None:
        check(first, second, twice.apart, (what, at, twice))
    return first


@pytest.mark.parametrize("first", [0, pytest.param(2, marks=pytest.mark.deep)])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_said_in_two_ways(way, first, samples):
    for case in range(first, 2 + 2 * first * samples(1)):
        rng = random.Random(f"{way.__name__} {case}")
        twice = way(rng)
        for name in ("epsilon", *rng.sample(sorted(set(QUERIES) - {"epsilon"}), 2)):
            query = QUERIES[name]
            found = asked_twice(twice, query.ask, query.draw(rng), name)
            if name != "epsilon" or found is None or not math.isfinite(found.upper):
                continue
            for at in (found.upper, found.upper * rng.uniform(0.2, 3)):
                asked_twice(twice, hs.Composition.delta_bounds, min(at, 1e4), "delta")
