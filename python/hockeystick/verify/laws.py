# SPDX-License-Identifier: Apache-2.0
"""What one release compares, (P, Q), written in balls from the public parameters of a mechanism.

A parameter that is a double counts as exactly that number. Nothing here is taken from the core, nor
from a mechanism's dominating_pair.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch

from flint import arb

from hockeystick import mechanisms as known
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.verify import places
from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.outcomes import (
    Masses,
    discrete_gaussian,
    discrete_laplace,
    given,
    guarantee,
    outcomes,
)

Shifts = tuple[tuple[arb, arb], ...]  # probabilities, and distances in units of the noise


@dataclass(frozen=True, slots=True)
class Gaussian:
    """N(mu) against N(0); `square` is mu^2, which adds up under composition."""

    square: arb


@dataclass(frozen=True, slots=True)
class Laplace:
    """Lap(m) against Lap(0), both of scale 1."""

    m: arb


@dataclass(frozen=True, slots=True)
class Mixed:
    """Mixtures of normals N(s, 1): P has s >= 0, Q has s <= 0, so that the loss grows with x."""

    p: Shifts
    q: Shifts


@dataclass(frozen=True, slots=True)
class MixedLaplace:
    """(1 - rate) Lap(0) + rate Lap(m) against Lap(0), or the reverse."""

    m: arb
    rate: arb
    removes: bool


@dataclass(frozen=True, slots=True)
class Logistic:
    """Noise of density e^-x / (1 + e^-x)^2, moved by m against not moved."""

    m: arb


@dataclass(frozen=True, slots=True)
class Atoms:
    """Outcomes of finite loss: (loss, P-mass), losses ascending, and P's mass at infinite loss.

    Outcomes that are not listed have a P-mass of at most `slack`. On a lattice, if `spacing` is
    given, the k-th loss is the first plus index[k] spacings, exactly.
    """

    outcomes: tuple[tuple[arb, arb], ...]
    infinite: arb
    slack: arb = field(default_factory=arb)  # 0; balls of python-flint before 0.9 have no hash
    missed: arb = field(default_factory=arb)
    """Q's mass where P has none."""
    spacing: arb | None = None
    index: tuple[int, ...] = ()
    unlisted: arb | None = None
    """The supremum of the losses of outcomes that are not listed; None if they have none."""


Pair = Gaussian | Laplace | Mixed | MixedLaplace | Logistic | Atoms
Law = tuple[tuple[arb, Pair], ...]  # a public draw: the probability of each pair


def law(mechanism: Mechanism, direction: Direction) -> Law:
    """The pair, or the drawn pairs, of one release."""
    made = _law(mechanism, direction)
    return made if isinstance(made, tuple) else sure(made)


def sure(pair: Pair) -> Law:
    """A law without a draw."""
    return ((arb(1), pair),)


@singledispatch
def _law(mechanism: Mechanism, _: Direction) -> Pair | Law:
    raise NotKnownError(f"no rigorous law is written for {type(mechanism).__name__}")


laws = _law
"""Where other files of this package add laws, by the kind of a mechanism."""


def undefined(mechanism: Mechanism, direction: Direction) -> ValueError:
    """The error of a direction in which a mechanism has no pair."""
    return ValueError(f"adjacency must be one that {mechanism!r} has, got {direction.value!r}")


def _distance(direction: Direction) -> int:
    """How far a sum of records moves, over the sensitivity."""
    return 2 if direction.replaces else 1


@_law.register
def _(mechanism: known.Gaussian, direction: Direction) -> Pair:
    return Gaussian((_distance(direction) / arb(mechanism.noise_multiplier)) ** 2)


def square_of(joined: known.JointGaussian) -> arb:
    """1 / noise^2 of all together."""
    noises = zip(joined.noise_multipliers, joined.counts or (), strict=True)
    return sum((arb(count) / arb(noise) ** 2 for noise, count in noises), ZERO)


@_law.register
def _(mechanism: known.JointGaussian, direction: Direction) -> Pair:
    return Gaussian(_distance(direction) ** 2 * square_of(mechanism))


@_law.register
def _(mechanism: known.Laplace, direction: Direction) -> Pair:
    return Laplace(_distance(direction) / arb(mechanism.noise_multiplier))


@_law.register
def _(mechanism: known.PermuteAndFlip, direction: Direction) -> Pair:
    if _distance(direction) > 1:
        raise undefined(mechanism, direction)
    return Laplace(arb(mechanism.guaranteed_epsilon))


@_law.register
def _(mechanism: known.GaussianMixture, direction: Direction) -> Pair:
    return _mixture(mechanism, direction, arb(1))


@_law.register
def _(mechanism: known.ExponentialMechanism | known.ApproximateDP, _: Direction) -> Pair:
    epsilon = arb(mechanism.guaranteed_epsilon)
    return atomic(guarantee(mechanism), 2 * epsilon, (0, -1), start=epsilon)


@_law.register
def _(mechanism: known.RandomAllocation, direction: Direction) -> Pair:
    if direction.replaces:
        raise undefined(mechanism, direction)
    step = _law(mechanism.mechanism, direction)
    if not isinstance(step, Atoms):
        raise NotKnownError(
            "a random allocation is known of steps with finitely many outcomes, and by itself and "
            "once of Gaussian steps, not composed"
        )
    if not step.slack.is_zero():
        raise NotKnownError("a random allocation of outcomes that are not listed is not known")
    masses = [(p, p * (-loss).exp()) for loss, p in step.outcomes]
    masses += [pair for pair in ((step.infinite, ZERO), (ZERO, step.missed)) if any(pair)]
    return atomic(places.epoch(masses, mechanism.steps, back=direction.backward))


@_law.register
def _(mechanism: known.RandomizedResponse, direction: Direction) -> Pair:
    k, noise = arb(mechanism.num_buckets), arb(mechanism.noise_parameter)
    other = noise / k
    own = 1 - noise + other
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    if _distance(direction) > 1:
        third = (k - 2) * other
        return atomic([(own, other), (third, third), (other, own)], (own / other).log(), (1, 0, -1))
    return atomic(_ordered([(own, 1 / k), ((k - 1) * other, (k - 1) / k)], direction))


@_law.register
def _(mechanism: known.DiscreteLaplace, direction: Direction) -> Pair:
    return atomic(*discrete_laplace(mechanism, _distance(direction)))


@_law.register
def _(mechanism: known.DiscreteGaussian, direction: Direction) -> Pair:
    return atomic(*discrete_gaussian(mechanism, _distance(direction)))


@_law.register
def _(mechanism: known.DiscretePair, direction: Direction) -> Pair:
    return atomic(_ordered(given(mechanism), direction))


@_law.register
def _(mechanism: known.TruncatedPoissonGaussian, direction: Direction) -> Law:
    size, batch = mechanism.dataset_size, mechanism.truncated_batch_size
    q, noise = arb(mechanism.sampling_probability), mechanism.noise_multiplier
    cut = _at_least(size - 1, q, batch)
    rate = arb(batch) / size * _at_least(size, q, batch + 1) / cut
    special = direction in (Direction.SPECIAL_REMOVE, Direction.SPECIAL_ADD)
    whole = sampled(arb(noise), q, direction)
    halved = sampled(arb(noise) / 2, rate, Direction.REPLACE if special else direction)
    return ((1 - cut, whole), (cut, halved)) if q < 1 else sure(halved)


@_law.register
def _(mechanism: known.AdditiveNoise, direction: Direction) -> Pair:
    stats = sys.modules.get("scipy.stats")  # loaded by whoever has functions of it
    m = _distance(direction) * arb(mechanism.sensitivity)
    for name, make in NAMED.items():
        noise = getattr(stats, name, None)
        if noise and (mechanism.log_density, mechanism.distribution) == (noise.logpdf, noise.cdf):
            return make(m)
    raise NotKnownError(
        "AdditiveNoise is known through functions in doubles; rigorous are only logpdf and cdf of "
        + ", ".join(f"scipy.stats.{name}" for name in NAMED)
    )


NAMED: dict[str, Callable[[arb], Pair]] = {
    "norm": lambda m: Gaussian(m * m),
    "laplace": Laplace,
    "logistic": Logistic,
}


@_law.register
def _(mechanism: known.PoissonSampled, direction: Direction) -> Pair:
    inner, rate = mechanism.mechanism, arb(mechanism.sampling_probability)
    if isinstance(inner, known.Gaussian):
        return sampled(arb(inner.noise_multiplier), rate, direction)
    if isinstance(inner, known.JointGaussian):
        return sampled(1 / square_of(inner).sqrt(), rate, direction)
    if _distance(direction) > 1:
        raise undefined(mechanism, direction)
    if isinstance(inner, known.GaussianMixture):
        return _mixture(inner, direction, rate)
    if isinstance(inner, known.Laplace):
        return MixedLaplace(1 / arb(inner.noise_multiplier), rate, not direction.backward)
    if isinstance(inner, known.PermuteAndFlip):
        return MixedLaplace(arb(inner.guaranteed_epsilon), rate, not direction.backward)
    pairs, slack = outcomes(inner)
    mixed = [(rate * p + (1 - rate) * q, q) for p, q in pairs]
    made = atomic(_ordered(mixed, direction), slack=slack)
    return replace(made, unlisted=-(-rate).log1p()) if direction.backward and rate < 1 else made


def sampled(sigma: arb, rate: arb, direction: Direction) -> Pair:
    """(1-q) N(0) + q N(1), or N(-1), against N(0), or (1-q) N(0) + q N(1), turned to ascend."""
    up: Shifts = ((1 - rate, ZERO), (rate, 1 / sigma))
    up = tuple(part for part in up if not part[0].is_zero())
    if _distance(direction) > 1:
        return Mixed(up, tuple((p, -s) for p, s in up))
    return moved(up, direction)


def moved(up: Shifts, direction: Direction) -> Mixed:
    """Normal noise moved at random against noise that is not, or the reverse, turned to ascend."""
    still = ((arb(1), ZERO),)
    if direction.backward:
        return Mixed(still, tuple((p, -s) for p, s in up))
    return Mixed(up, still)


def _mixture(mechanism: known.GaussianMixture, direction: Direction, rate: arb) -> Pair:
    if _distance(direction) > 1:
        raise undefined(mechanism, direction)
    deviation = arb(mechanism.standard_deviation)
    total = sum(map(arb, mechanism.probabilities), ZERO)
    masses: dict[float, arb] = {0.0: 1 - rate}
    for s, p in zip(mechanism.sensitivities, mechanism.probabilities, strict=True):
        masses[s] = masses.get(s, ZERO) + rate * arb(p) / total
    up = tuple((p, arb(s) / deviation) for s, p in masses.items() if not p.is_zero())
    return moved(up, direction)


def _ordered(pairs: Masses, direction: Direction) -> Masses:
    return [(q, p) for p, q in pairs] if direction.backward else list(pairs)


def atomic(
    pairs: Sequence[tuple[arb, arb]],
    gap: arb | None = None,
    index: Sequence[int] = (),
    slack: arb = ZERO,
    start: arb = ZERO,
) -> Atoms:
    """Outcomes from their masses; on a lattice by falling loss, `start` + `gap` times `index`."""
    infinite = sum((p for p, q in pairs if q.is_zero()), ZERO)
    missed = sum((q for p, q in pairs if p.is_zero()), ZERO)
    finite = [(k, p, q) for k, (p, q) in enumerate(pairs) if not (p.is_zero() or q.is_zero())]
    if gap is None or not gap > 0 or not finite:
        outcomes = [((p / q).log(), p) for _, p, q in finite]
        outcomes.sort(key=lambda outcome: float(outcome[0].mid()))
        return Atoms(tuple(outcomes), infinite, slack, missed)
    listed = [(start + gap * index[k], p) for k, p, _ in reversed(finite)]
    steps = [index[k] for k, _, _ in reversed(finite)]
    unit = math.gcd(*(i - steps[0] for i in steps)) or 1
    at = tuple((i - steps[0]) // unit for i in steps)
    return Atoms(tuple(listed), infinite, slack, missed, gap * unit, at)


def _at_least(trials: int, q: arb, k: int) -> arb:
    """P(Bin(trials, q) >= k)."""
    if k <= 0:
        return arb(1)
    if k > trials:
        return ZERO
    return q.beta_lower(k, trials - k + 1, regularized=True)


def supremum(pair: Pair) -> arb | None:
    """The supremum of the finite losses; None if they have none."""
    match pair:
        case Laplace(m) | Logistic(m):
            return m
        case MixedLaplace(m, rate, removes):
            return (rate * m.expm1()).log1p() if removes else -(rate * (-m).expm1()).log1p()
        case Atoms(outcomes, slack=slack, unlisted=unlisted):
            if not slack.is_zero():
                return unlisted
            return maximum(*(loss for loss, _ in outcomes)) if outcomes else ZERO
        case Mixed(p, q) if all(s.is_zero() for _, s in p):
            rest = sum((w for w, s in q if s.is_zero()), ZERO)
            return -rest.log() if rest > 0 else None
    return None
