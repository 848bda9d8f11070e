# SPDX-License-Identifier: Apache-2.0
"""Random compositions of all mechanisms, for the oracles and for the library."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

import hockeystick as hs
import questions
from exact.composed import Composition, Term
from exact.mechanisms import oracles
from exact.release import Parameters, power
from hockeystick.adjacency import Direction

SMOOTH = {"Gaussian", "GaussianMixture", "TruncatedPoissonGaussian", "normal noise"}
ALL = tuple(hs.Adjacency)
NO_REPLACEMENT = tuple(a for a in ALL if a is not hs.Adjacency.REPLACE_ONE)
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
}
SYMMETRIC_UNSAMPLED = {
    *("Gaussian", "Laplace", "DiscreteLaplace", "DiscreteGaussian"),
    *("PermuteAndFlip", "ApproximateDP", "ExponentialMechanism"),
}


def _is_symmetric(term: Term) -> bool:
    return term.name in SYMMETRIC or (
        term.name in SYMMETRIC_UNSAMPLED and "rate" not in term.parameters
    )


@dataclass(frozen=True)
class Kind:
    """How a mechanism is drawn and made."""

    draw: Callable[[random.Random], Parameters]
    make: Callable[..., hs.Mechanism]

    @cached_property
    def adjacencies(self) -> list[hs.Adjacency]:
        """Those that the mechanism is defined for, without sampling."""
        parameters = self.draw(random.Random(1))
        parameters.pop("rate", None)
        made = self.make(**parameters)
        return [a for a in ALL if all(is_defined(made, way) for way in a.directions)]


def is_defined(mechanism: hs.Mechanism, direction: Direction) -> bool:
    """Whether a pair is known in a direction."""
    try:
        mechanism.dominating_pair(direction)
    except ValueError:
        return False
    return True


def _noise(log_density: Callable, distribution: Callable) -> Callable[..., hs.Mechanism]:
    return lambda sensitivity: hs.AdditiveNoise(
        log_density=log_density, distribution=distribution, sensitivity=sensitivity
    )


def log_normal(x: np.ndarray) -> np.ndarray:
    return -x * x / 2 - math.log(2 * math.pi) / 2


def log_laplace(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - math.log(2)


def laplace_below(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / 2


def _log_logistic(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))


NOISES = {
    "normal noise": _noise(log_normal, special.ndtr),
    "Laplace noise": _noise(log_laplace, laplace_below),
    "logistic noise": _noise(_log_logistic, special.expit),
}
KINDS = {
    name: Kind(oracle.draw, make)
    for mechanism, oracle in oracles().items()
    for name, make in (
        NOISES if mechanism == "AdditiveNoise" else {mechanism: getattr(hs, mechanism)}
    ).items()
}
# What random compositions are made of; in this order, so that numbered ones stay what they are.
NAMES = (
    *("Gaussian", "GaussianMixture", "TruncatedPoissonGaussian", "Laplace", *NOISES),
    *("PermuteAndFlip", "ApproximateDP", "ExponentialMechanism", "RandomizedResponse"),
    *("DiscreteLaplace", "DiscreteGaussian", "DiscretePair"),
)


def unsampled() -> dict[str, Term]:
    """A term of every kind, by its name."""
    rng = random.Random(1)
    drawn = {name: dict(kind.draw(rng)) for name, kind in KINDS.items()}
    return {
        name: Term(name, {key: value for key, value in parameters.items() if key != "rate"}, 1)
        for name, parameters in drawn.items()
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
        names = rng.choices(NAMES, [5 if n in SMOOTH else 2 for n in NAMES], k=number)
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
