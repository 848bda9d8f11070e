# SPDX-License-Identifier: Apache-2.0
"""The pairs of all mechanisms, from their definitions: what each release compares, in balls.

A direction is remove, add, replace, replace_back, special_remove or special_add: with a record
against without it, the reverse, with one record against with another, the reverse, with a record
against with one that adds nothing, and the reverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import arb, ctx

from exact.choice import truncated
from exact.laplace import LaplacePair
from exact.laws import AtomLaw, Choice, Laplace, Logistic, Mixture, SampledLaplace
from exact.mixture import MixturePair
from exact.model import Step
from exact.moments import Law, law
from exact.pair import Pair

BITS = 900
FARTHEST = 41  # deviations of discrete noise: beyond lies less than e^-840
Curve = Callable[[arb], arb]


@dataclass(frozen=True, slots=True)
class Release:
    """The law of one release's loss and, where there is a closed form, the curve of one release."""

    law: Law
    curve: Curve | None = None


def removes(direction: str) -> bool:
    """Whether the record, or the one replaced, is in the first dataset."""
    return direction in ("remove", "replace", "special_remove")


def _way(direction: str) -> str:
    return "remove" if removes(direction) else "add"


def _shift(direction: str) -> int:
    """How far a sum of records moves, over the sensitivity."""
    return 2 if direction.startswith("replace") else 1


def _gaussian(direction: str, sigma: float, rate: float = 1.0) -> Release:
    way = "replace" if direction.startswith("replace") else _way(direction)
    step = Step(sigma, rate)
    return Release(law(step, way), Pair(step, way).delta if rate < 1 else None)


def _gaussian_mixture(
    direction: str,
    deviation: float,
    sensitivities: tuple[float, ...],
    probabilities: tuple[float, ...],
    rate: float = 1.0,
) -> Release:
    way, total = _way(direction), sum(map(arb, probabilities), arb(0))
    parts = list(zip(sensitivities, probabilities, strict=True))
    terms = [(arb(s) / arb(deviation), arb(rate) * arb(p) / total) for s, p in parts]
    rest = [(arb(0), 1 - arb(rate))] if rate < 1 else []
    still = sum((p for s, p in [*terms, *rest] if s.is_zero()), arb(0))
    moving = [(s, p) for s, p in terms if not s.is_zero()]
    terms = [*moving, (arb(0), still)] if still > 0 else moving
    one = MixturePair(Step(1.0), way, deviation, tuple(parts), rate)
    bounded = Mixture(terms, way)
    return Release(bounded, lambda e: arb(0) if e >= bounded.supremum else one.delta(e))


def _truncated(direction: str, sigma: float, q: float, batch: int, size: int) -> Release:
    pair = _truncated_pair(direction.removesuffix("_back"), sigma, q, batch, size)
    choices = [(w, law(part.step, part.direction)) for w, part in pair.choices]
    return Release(Choice(choices), pair.delta)


@lru_cache(maxsize=8)
def _truncated_pair(direction: str, sigma: float, q: float, batch: int, size: int) -> Any:
    return truncated(size, q, batch, sigma, direction)[0]


def _laplace(direction: str, noise_multiplier: float, rate: float = 1.0) -> Release:
    if rate == 1:
        return Release(Laplace(_shift(direction) / arb(noise_multiplier)))
    way = _way(direction)
    one = LaplacePair(noise_multiplier, rate, way)
    return Release(SampledLaplace(1 / arb(noise_multiplier), rate, way), one.delta)


def _normal_noise(direction: str, sensitivity: float) -> Release:
    """Unit normal noise: the Gaussian of multiplier 1 / sensitivity, which is no double."""
    scaled = _BallStep(1 / arb(sensitivity))
    return Release(law(scaled, "replace" if direction.startswith("replace") else "remove"))


@dataclass(frozen=True, slots=True)
class _BallStep:
    sigma: arb
    q: float = 1.0


def _laplace_noise(direction: str, sensitivity: float) -> Release:
    return Release(Laplace(_shift(direction) * arb(sensitivity)))


def _logistic_noise(direction: str, sensitivity: float) -> Release:
    logistic = Logistic(_shift(direction) * sensitivity)
    return Release(logistic, logistic.delta)


def _permute_and_flip(direction: str, epsilon: float) -> Release:  # noqa: ARG001
    return Release(Laplace(arb(epsilon)))


def _approximate_dp(direction: str, epsilon: float, delta: float = 0.0) -> Release:  # noqa: ARG001
    likely = arb(epsilon).exp() / (1 + arb(epsilon).exp())
    rest, d = 1 - arb(delta), arb(delta)
    pairs = [(rest * likely, rest * (1 - likely)), (rest * (1 - likely), rest * likely)]
    return Release(AtomLaw([*pairs, (d, arb(0)), (arb(0), d)]))


def _randomized_response(direction: str, noise: float, buckets: int) -> Release:
    k = arb(buckets)
    other = arb(noise) / k
    own = 1 - arb(noise) + other
    if direction.startswith("replace"):
        return Release(AtomLaw([(own, other), (other, own), ((k - 2) * other, (k - 2) * other)]))
    pairs = [(own, 1 / k), ((k - 1) * other, (k - 1) / k)]
    return Release(AtomLaw(pairs, direction=_way(direction)))


def _discrete_laplace(
    direction: str, parameter: float, sensitivity: int, rate: float = 1.0
) -> Release:
    a, s = arb(parameter), sensitivity * _shift(direction)
    scale = (a / 2).tanh()
    end = scale / (1 - (-a).exp())
    pairs = [((-a * s).exp() * end, end), (end, (-a * s).exp() * end)]
    pairs += [(scale * (-a * (s - x)).exp(), scale * (-a * x).exp()) for x in range(1, s)]
    return Release(AtomLaw(pairs, direction=_way(direction), rate=rate))


def _discrete_gaussian(
    direction: str, sigma: float, sensitivity: int, truncation: int | None, rate: float = 1.0
) -> Release:
    s, far = sensitivity * _shift(direction), math.ceil(FARTHEST * sigma) + 2 * sensitivity
    most = far if truncation is None else min(far, truncation)
    weights = {x: (-arb(x * x) / (2 * arb(sigma) ** 2)).exp() for x in range(-most, most + 1)}
    total, cut = sum(weights.values(), arb(0)), truncation is None or most < truncation
    outcomes = range(-most + s, most + 1) if cut else range(-most, most + s + 1)
    zero = arb(0)
    pairs = [(weights.get(x - s, zero) / total, weights.get(x, zero) / total) for x in outcomes]
    return Release(AtomLaw(pairs, direction=_way(direction), rate=rate))


def _discrete_pair(
    direction: str, p: tuple[float, ...], q: tuple[float, ...], rate: float = 1.0
) -> Release:
    sums = [sum(map(arb, masses), arb(0)) for masses in (p, q)]
    pairs = [(arb(x) / sums[0], arb(y) / sums[1]) for x, y in zip(p, q, strict=True)]
    return Release(AtomLaw(pairs, direction=_way(direction), rate=rate))


MAKERS: Mapping[str, Callable[..., Release]] = {
    "Gaussian": _gaussian,
    "GaussianMixture": _gaussian_mixture,
    "TruncatedPoissonGaussian": _truncated,
    "Laplace": _laplace,
    "normal noise": _normal_noise,
    "Laplace noise": _laplace_noise,
    "logistic noise": _logistic_noise,
    "PermuteAndFlip": _permute_and_flip,
    "ApproximateDP": _approximate_dp,
    "ExponentialMechanism": _approximate_dp,
    "RandomizedResponse": _randomized_response,
    "DiscreteLaplace": _discrete_laplace,
    "DiscreteGaussian": _discrete_gaussian,
    "DiscretePair": _discrete_pair,
}


def release(name: str, parameters: Mapping[str, Any], direction: str) -> Release:
    """One release of a mechanism in a direction."""
    with ctx.workprec(BITS):
        return MAKERS[name](direction, **parameters)
