# SPDX-License-Identifier: Apache-2.0
"""What is proved above, and attained below, a composition that holds mechanisms with a gap."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from flint import arb

from hockeystick import mechanisms as known
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.verify.balls import ZERO, Curve
from hockeystick.verify.curves import Composed, Counted, of_laws
from hockeystick.verify.ends import OPEN, ends, outcomes_above
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Gaussian, Law, atomic, law, sampled, undefined

GAPS = (*OPEN, known.ZCDP, known.SelectedSteps)
WIDEST = 60.0  # |log t| of the tilts that are tried
Releases = Sequence[tuple[Mechanism, int]]


class Sides(NamedTuple):
    """The composition's curve lies below the first, and above each of the others."""

    proved: Composed
    attained: tuple[Composed, ...]


class _Release(NamedTuple):
    """Laws above and below one release; below by one adversary, or by either of two."""

    above: Law
    below: tuple[Law, ...]


def sides(releases: Releases, direction: Direction, digits: int) -> Sides:
    """Of a composition with mechanisms of the kinds in GAPS."""
    if len(releases) == 1 and releases[0][1] == 1 and isinstance(releases[0][0], OPEN):
        found = ends(releases[0][0], direction, digits)
        return Sides(_alone(found.proved), tuple(map(_alone, found.attained)))
    both = [(_release(mechanism, direction), n) for mechanism, n in releases]
    above = [(one.above, n) for one, n in both]
    belows = [[(one.below[k % len(one.below)], n) for one, n in both] for k in range(2)]
    if any(isinstance(mechanism, known.ZCDP) for mechanism, _ in releases):
        proved = _alone(concentrated(_rho(above)))
    else:
        proved = of_laws(above, digits)
    return Sides(proved, tuple(of_laws(below, digits) for below in belows))


def _alone(curve: Curve) -> Composed:
    return Composed(ZERO, ZERO, None, curve, "")


def _normal(square: arb) -> Law:
    return ((arb(1), Gaussian(square)),)


def _nothing() -> Law:
    """What tells nothing: the loss is 0."""
    return ((arb(1), atomic([(arb(1), arb(1))])),)


def _release(mechanism: Mechanism, direction: Direction) -> _Release:
    match mechanism:
        case known.ZCDP():
            normal = _normal(2 * arb(mechanism.rho))
            return _Release(normal, (normal,))
        case known.SelectedSteps():
            return _selected(mechanism, direction)
        case known.Shuffled():
            return _shuffled(mechanism, direction)
        case known.FixedSizeSampled():
            return _fixed(mechanism, direction)
        case known.HockeyStickCurve():
            return _Release(((arb(1), outcomes_above(mechanism, direction)),), (_nothing(),))
    exact = law(mechanism, direction)
    return _Release(exact, (exact,))


def _selected(mechanism: known.SelectedSteps, direction: Direction) -> _Release:
    """Whoever knows the steps sees as many Gaussians; the sum of all outputs is one Gaussian."""
    if direction.replaces:
        raise undefined(mechanism, direction)
    square = mechanism.epochs / arb(mechanism.mechanism.noise_multiplier) ** 2
    joined = mechanism.selected
    return _Release(_normal(joined * square), (_normal(joined**2 * square / mechanism.steps),))


def _shuffled(mechanism: known.Shuffled, direction: Direction) -> _Release:
    """Whoever knows the batch sees one Gaussian; the sum of all batches is another."""
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    distance = 2 if direction.replaces else 1
    square = mechanism.epochs * (distance / arb(mechanism.mechanism.noise_multiplier)) ** 2
    # The sum does not always move where records are left out.
    below = _nothing() if mechanism.left_out else _normal(square / mechanism.batches)
    return _Release(_normal(square), (below,))


def _fixed(mechanism: known.FixedSizeSampled, direction: Direction) -> _Release:
    """Whoever knows the batch sees a Gaussian, or nothing; others may be all alike, in two ways."""
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    if mechanism.replacement:
        raise NotKnownError("batches with replacement are known by themselves and once")
    noise = arb(mechanism.mechanism.noise_multiplier) / (2 if direction.replaces else 1)
    rate = arb(mechanism.batch_size) / mechanism.dataset_size
    ways = [sampled(noise, rate, way) for way in (Direction.REMOVE, Direction.ADD)]
    return _Release(_normal(1 / noise**2), tuple(((arb(1), pair),) for pair in ways))


def _rho(laws: Counted) -> arb:
    """Of Gaussians, whose mu^2 is 2 rho."""
    pairs = [(made[0][1], n) for made, n in laws]
    if not all(isinstance(pair, Gaussian) for pair, _ in pairs):
        raise NotKnownError("zero-concentrated mechanisms are known composed with Gaussians alone")
    return sum((n * pair.square / 2 for pair, n in pairs if isinstance(pair, Gaussian)), ZERO)


def concentrated(rho: arb) -> Curve:
    """No rho-concentrated mechanism is above this (Canonne, Kamath & Steinke 2020, Corollary 13).

    It is Chernoff's bound at the order t + 1, for a good t > 0: any t gives a bound.
    """

    def log_bound(t: float, epsilon: float) -> float:
        curved = t * math.log(t) - (t + 1) * math.log1p(t)
        return t * ((t + 1) * float(rho) - epsilon) + curved

    def curve(epsilon: arb) -> arb:
        low, high, at = -WIDEST, WIDEST, float(epsilon)
        for _ in range(100):
            third = (high - low) / 3
            left, right = low + third, high - third
            if log_bound(math.exp(left), at) < log_bound(math.exp(right), at):
                high = right
            else:
                low = left
        t = arb(math.exp((low + high) / 2))
        curved = t * t.log() - (t + 1) * t.log1p()
        return (t * ((t + 1) * rho - epsilon) + curved).exp().min(arb(1))

    return curve
