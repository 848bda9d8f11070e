# SPDX-License-Identifier: Apache-2.0
"""Random compositions of all mechanisms, for the oracles and for the library."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

import hockeystick as hs
import questions
from exact.composed import Composition, Term

Parameters = dict[str, Any]
SMOOTH = {"Gaussian", "GaussianMixture", "TruncatedPoissonGaussian", "normal noise"}
ALL = tuple(hs.Adjacency)
NO_REPLACEMENT = tuple(a for a in ALL if a is not hs.Adjacency.REPLACE_ONE)
REPLACEMENT = (hs.Adjacency.REPLACE_ONE, hs.Adjacency.REPLACE_SPECIAL)
DIRECTIONS = {
    hs.Adjacency.ADD_OR_REMOVE_ONE: ("remove", "add"),
    hs.Adjacency.REMOVE_ONE: ("remove",),
    hs.Adjacency.ADD_ONE: ("add",),
    hs.Adjacency.REPLACE_ONE: ("replace", "replace_back"),
    hs.Adjacency.REPLACE_SPECIAL: ("special_remove", "special_add"),
}
MEMORY = 1 << 26  # bytes: hard questions are declined soon, with bounds that must enclose as well
DIGITS = 12
LARGEST_EPSILON = 9e3


@dataclass(frozen=True, slots=True)
class Question:
    """A composition, and what is asked of it."""

    terms: tuple[Term, ...]
    adjacency: hs.Adjacency
    query: questions.Query
    at: float

    def __str__(self) -> str:
        runs = " + ".join(f"{t.count} {t.name}{dict(t.parameters)}" for t in self.terms)
        return f"{self.query} at {self.at!r}, {self.adjacency.value}: {runs}"

    def compositions(self, digits: int) -> list[Composition]:
        """For the oracles: one in each direction."""
        directions = DIRECTIONS[self.adjacency]
        if all(_is_symmetric(term) for term in self.terms):
            directions = directions[:1]
        return [Composition(self.terms, direction, digits) for direction in directions]

    def answer(self, tolerance: float) -> questions.Answer:
        """The library's answer."""
        run = sum((term.count * mechanism(term) for term in self.terms), hs.Composition())
        return questions.put(run, self.query, self.at, self.adjacency, tolerance, MEMORY)


SYMMETRIC = {
    "normal noise",
    "Laplace noise",
    "logistic noise",
    "PermuteAndFlip",
    "ApproximateDP",
    "ExponentialMechanism",
}
SYMMETRIC_UNSAMPLED = {"Gaussian", "Laplace", "DiscreteLaplace", "DiscreteGaussian"}


def _is_symmetric(term: Term) -> bool:
    return term.name in SYMMETRIC or (
        term.name in SYMMETRIC_UNSAMPLED and "rate" not in term.parameters
    )


def power(rng: random.Random, low: float, high: float) -> float:
    """Of 10, log-uniform."""
    return 10 ** rng.uniform(low, high)


def _rate(rng: random.Random, parameters: Parameters, share: float = 0.6) -> Parameters:
    """With a sampling probability more often than not."""
    if rng.random() < share:
        parameters["rate"] = min(power(rng, -4, 0), 0.999)
    return parameters


def _gaussian(rng: random.Random) -> Parameters:
    extreme = rng.random() < 0.1
    return _rate(rng, {"sigma": power(rng, -2, 5) if extreme else power(rng, -0.4, 2)})


def _mixture(rng: random.Random) -> Parameters:
    number = rng.randint(1, 4)
    weights = [rng.random() + 0.01 for _ in range(number)]
    sensitivities = [rng.uniform(0.2, 3) for _ in range(number)]
    if number > 1 and rng.random() < 0.5:
        sensitivities[0] = 0.0
    parameters = {
        "deviation": power(rng, -0.2, 1.5),
        "sensitivities": tuple(sensitivities),
        "probabilities": tuple(w / math.fsum(weights) for w in weights),
    }
    return _rate(rng, parameters, 0.4)


def _truncated(rng: random.Random) -> Parameters:
    size, q = round(power(rng, 0.7, 3.2)), power(rng, -2.5, -0.1)
    batch = round(size * q + rng.uniform(-1, 6) * math.sqrt(size * q * (1 - q)))
    batch = min(max(batch, 1), size - 1)
    return {"sigma": power(rng, -0.2, 1.5), "q": q, "batch": batch, "size": size}


def _approximate_dp(rng: random.Random) -> Parameters:
    delta = 0.0 if rng.random() < 0.3 else power(rng, -180, -4)
    return {"epsilon": power(rng, -3, 1), "delta": delta}


def _randomized_response(rng: random.Random) -> Parameters:
    return {"noise": min(power(rng, -3, 0), 0.99), "buckets": round(power(rng, 0.4, 3))}


def _discrete_laplace(rng: random.Random) -> Parameters:
    parameters = {"parameter": power(rng, -2, 0.5), "sensitivity": rng.randint(1, 6)}
    return _rate(rng, parameters, 0.4)


def _discrete_gaussian(rng: random.Random) -> Parameters:
    sigma = power(rng, -0.4, 0.8)
    truncation = None if rng.random() < 0.5 else math.ceil(sigma * rng.uniform(2, 30))
    sensitivity = rng.randint(1, 3)
    parameters = {"sigma": sigma, "sensitivity": sensitivity, "truncation": truncation}
    return _rate(rng, parameters, 0.4)


def _discrete_pair(rng: random.Random) -> Parameters:
    number = rng.randint(2, 4)
    if rng.random() < 0.5:
        p, q = ([rng.randint(0 if j > 2 else 1, 50) for j in range(number)] for _ in "pq")
    else:
        odds = [power(rng, -4, 0) for _ in range(number)]
        p = [x / math.fsum(odds) for x in odds]
        tilted = [x * math.exp(rng.gauss(0, 0.3)) for x in odds]
        q = [x / math.fsum(tilted) for x in tilted]
    return _rate(rng, {"p": tuple(p), "q": tuple(q)}, 0.3)


@dataclass(frozen=True, slots=True)
class Kind:
    """How a mechanism is drawn, made, and asked."""

    draw: Callable[[random.Random], Parameters]
    make: Callable[..., hs.Mechanism]
    adjacencies: Sequence[hs.Adjacency] = ALL


def _noise(log_density: Callable, distribution: Callable) -> Callable[..., hs.Mechanism]:
    return lambda sensitivity: hs.AdditiveNoise(
        log_density=log_density, distribution=distribution, sensitivity=sensitivity
    )


def _log_normal(x: np.ndarray) -> np.ndarray:
    return -x * x / 2 - math.log(2 * math.pi) / 2


def _log_laplace(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - math.log(2)


def _laplace_below(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / 2


def _log_logistic(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))


KINDS = {
    "Gaussian": Kind(_gaussian, lambda sigma: hs.Gaussian(noise_multiplier=sigma)),
    "GaussianMixture": Kind(
        _mixture,
        lambda deviation, sensitivities, probabilities: hs.GaussianMixture(
            standard_deviation=deviation, sensitivities=sensitivities, probabilities=probabilities
        ),
        NO_REPLACEMENT,
    ),
    "TruncatedPoissonGaussian": Kind(
        _truncated,
        lambda sigma, q, batch, size: hs.TruncatedPoissonGaussian(
            noise_multiplier=sigma,
            sampling_probability=q,
            truncated_batch_size=batch,
            dataset_size=size,
        ),
    ),
    "Laplace": Kind(
        lambda rng: _rate(rng, {"noise_multiplier": power(rng, -0.6, 2.5)}, 0.5),
        lambda noise_multiplier: hs.Laplace(noise_multiplier=noise_multiplier),
    ),
    "normal noise": Kind(
        lambda rng: {"sensitivity": power(rng, -2, 0.4)},
        _noise(_log_normal, special.ndtr),
    ),
    "Laplace noise": Kind(
        lambda rng: {"sensitivity": power(rng, -2, 0.4)}, _noise(_log_laplace, _laplace_below)
    ),
    "logistic noise": Kind(
        lambda rng: {"sensitivity": power(rng, -2, 0.6)}, _noise(_log_logistic, special.expit)
    ),
    "PermuteAndFlip": Kind(
        lambda rng: {"epsilon": power(rng, -2.5, 0.6)},
        lambda epsilon: hs.PermuteAndFlip(epsilon=epsilon),
        NO_REPLACEMENT[:3],
    ),
    "ApproximateDP": Kind(
        _approximate_dp, lambda epsilon, delta: hs.ApproximateDP(epsilon=epsilon, delta=delta)
    ),
    "ExponentialMechanism": Kind(
        lambda rng: {"epsilon": power(rng, -3, 1)},
        lambda epsilon: hs.ExponentialMechanism(epsilon=epsilon),
    ),
    "RandomizedResponse": Kind(
        _randomized_response,
        lambda noise, buckets: hs.RandomizedResponse(noise_parameter=noise, num_buckets=buckets),
        REPLACEMENT,
    ),
    "DiscreteLaplace": Kind(_discrete_laplace, hs.DiscreteLaplace),
    "DiscreteGaussian": Kind(_discrete_gaussian, hs.DiscreteGaussian),
    "DiscretePair": Kind(_discrete_pair, hs.DiscretePair),
}


def mechanism(term: Term) -> hs.Mechanism:
    """In the library's terms."""
    parameters = dict(term.parameters)
    rate = parameters.pop("rate", None)
    made = KINDS[term.name].make(**parameters)
    return made if rate is None else made.poisson_sampled(rate)


def _adjacencies(terms: Sequence[Term]) -> list[hs.Adjacency]:
    """Those that all terms are defined for."""
    common = [a for a in ALL if all(a in KINDS[term.name].adjacencies for term in terms)]
    only_gaussian = all("rate" not in t.parameters or t.name == "Gaussian" for t in terms)
    return [a for a in common if only_gaussian or a is not hs.Adjacency.REPLACE_ONE]


def _count(rng: random.Random, name: str) -> int:
    """Log-uniform; few runs in ten of atoms and of Laplace noise are very long."""
    long = name in SMOOTH or rng.random() < 0.1
    return round(power(rng, 0, 5 if long else 3))


def _terms(rng: random.Random) -> tuple[Term, ...]:
    """Terms that go together."""
    while True:
        number = rng.choice((1, 1, 1, 1, 2, 2, 3, 4))
        names = rng.choices(list(KINDS), [5 if n in SMOOTH else 2 for n in KINDS], k=number)
        counts = [_count(rng, name) for name in names]
        terms = tuple(Term(n, KINDS[n].draw(rng), c) for n, c in zip(names, counts, strict=True))
        if _adjacencies(terms):
            return terms


def draw(rng: random.Random) -> Question:
    """A random question."""
    terms = _terms(rng)
    adjacency = rng.choice(_adjacencies(terms))
    direction = rng.choice(DIRECTIONS[adjacency])
    delta = rng.uniform(0, 0.5) if rng.random() < 0.1 else power(rng, -200, math.log10(0.5))
    while True:
        run = Composition(terms, direction, DIGITS)
        if not float(run.infinity_mass()) < 1:  # nothing is hidden, for certain
            return draw(rng)
        epsilon = max(run.saddle.epsilon_above(math.log(delta)), 0.0)
        if run.is_affordable() and epsilon < LARGEST_EPSILON:
            break
        terms = tuple(t._replace(count=max(1, t.count // 3)) for t in terms)
        if all(t.count == 1 for t in terms):
            return draw(rng)
    if rng.random() < 0.5:
        infinite = float(run.infinity_mass())
        hidden = infinite >= delta and infinite < 0.5 and rng.random() < 0.95
        log_low = math.log10(infinite) if hidden else -200
        delta = power(rng, log_low, math.log10(0.5)) if hidden else delta
        return Question(terms, adjacency, "epsilon", delta)
    highest = float(run.supremum) * (1 - power(rng, -5, -1))
    return Question(terms, adjacency, "delta", min(epsilon, highest))
