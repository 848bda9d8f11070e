# SPDX-License-Identifier: Apache-2.0
"""Random compositions of all mechanisms."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

import hockeystick as hs
from exact.laws import AtomLaw
from exact.mechanisms import oracles, release
from exact.release import Parameters, power
from hockeystick.adjacency import Direction
from hockeystick.disjoint import AnyRun

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


class Term(NamedTuple):
    """A mechanism by name, its parameters, and how often it runs."""

    name: str
    parameters: Mapping[str, Any]
    count: int


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


def log_normal(x: np.ndarray) -> np.ndarray:
    return -x * x / 2 - math.log(2 * math.pi) / 2


def log_laplace(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - math.log(2)


def laplace_below(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / 2


def _log_logistic(x: np.ndarray) -> np.ndarray:
    return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))


def known_form(run: AnyRun) -> AnyRun:
    """The same law for `hockeystick.verify`, which reads functions of `scipy.stats` by name."""
    if not isinstance(run, hs.Composition):
        return run
    return sum((count * _known(one) for one, count in run.terms), hs.Composition())


def _known(mechanism: hs.Mechanism) -> hs.Mechanism:
    if not isinstance(mechanism, hs.AdditiveNoise):
        return mechanism
    from scipy import stats  # noqa: PLC0415, which processes of little memory do without

    names = {log_normal: stats.norm, log_laplace: stats.laplace, _log_logistic: stats.logistic}
    law = names[mechanism.log_density]
    return hs.AdditiveNoise(
        log_density=law.logpdf, distribution=law.cdf, sensitivity=mechanism.sensitivity
    )


def _noise(log_density: Callable, distribution: Callable) -> Callable[..., hs.Mechanism]:
    return lambda sensitivity: hs.AdditiveNoise(
        log_density=log_density, distribution=distribution, sensitivity=sensitivity
    )


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


def compositions(rng: random.Random) -> tuple[hs.Composition, list[hs.Adjacency]]:
    """A random run, and the adjacencies that it is defined for."""
    terms = _terms(rng)
    run = sum((term.count * mechanism(term) for term in terms), hs.Composition())
    return run, _adjacencies(terms)


def laws_and_run(
    terms: Sequence[Term], direction: str
) -> tuple[list[tuple[AtomLaw, int]], hs.Composition]:
    """Laws of finitely many outcomes and how often each is drawn, and the run of the library."""
    laws = [(release(t.name, t.parameters, direction), t.count) for t in terms]
    return laws, sum((t.count * mechanism(t) for t in terms), hs.Composition())
