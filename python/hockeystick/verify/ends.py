# SPDX-License-Identifier: Apache-2.0
"""Curves above and below mechanisms whose exact curve nobody knows, or not from what is given.

Above lies what a theorem proves, below what adversaries attain, each in balls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from flint import arb, ctx, fmpq

from hockeystick import mechanisms as known
from hockeystick._search import peak
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.verify import batches, closed, local, shuffles
from hockeystick.verify.allocation import Allocated
from hockeystick.verify.balls import (
    ZERO,
    Curve,
    ball_of,
    between,
    both_ways,
    fraction,
    maximum,
    normal_tail,
    reverse,
)
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Atoms, Shifts, atomic, moved, sure, undefined

OPEN = (known.FixedSizeSampled, known.Shuffled, known.ShuffledLocal, known.HockeyStickCurve)
ENOUGH = 10  # digits of what is attained: what is proved lies further above
MOST_DRAWS = 2000  # how often a record may be in one batch
MOST_POINTS = 300  # of a given curve
CLOSE = 1e-11  # of a hundredth of the line: the best threshold is found to so much


Corner = tuple[fmpq, fmpq]


Kind = TypeVar("Kind")


class Between(NamedTuple, Generic[Kind]):
    """What is known of a mechanism or a run: its curve lies below the first, above all others.

    Curves, laws or compositions.
    """

    proved: Kind
    attained: tuple[Kind, ...]
    """Each by itself, as by an adversary."""


def ends(mechanism: Mechanism, direction: Direction, digits: int) -> Between[Curve]:
    """The curves above and below one release of a mechanism whose kind is in OPEN."""
    match mechanism:
        case known.FixedSizeSampled():
            return _fixed(mechanism, direction)
        case known.Shuffled():
            return _shuffled(mechanism, direction, digits)
        case known.ShuffledLocal():
            return Between(local.proved(mechanism, direction), tuple(local.attained(mechanism)))
        case known.HockeyStickCurve():
            return _given(mechanism, direction)
    raise NotKnownError(f"no curves are known above and below {mechanism!r}")


@dataclass(frozen=True, slots=True)
class _Batch:
    """The curves of a batch of fixed size for alpha >= 1, in units of the noise."""

    mu: arb
    weights: Sequence[arb]
    """How often a record is in the batch."""
    rest: arb
    """An upper bound on the probability of still oftener."""

    def _even(self, j: int, alpha: arb, c: arb, far: int) -> arb:
        """v >= 0 for which E (N(far j mu) - v N(0) - alpha N((far - 1) j mu))_+ begins at c."""
        m = j * self.mu
        other = arb(1) if far == 1 else (m * (c - m / 2)).exp()
        return ((far * m * (c - far * m / 2)).exp() - alpha * other).max(ZERO)

    def _mean(self, values: Sequence[arb]) -> arb:
        return sum((w * x for w, x in zip(self.weights[1:], values, strict=True)), ZERO)

    def _shares(self, alpha: arb, far: int) -> list[arb]:
        """v_j >= 0 whose mean is at most (alpha - 1) P(not drawn), about of one c."""
        most = (alpha - 1) * self.weights[0]
        if len(self.weights) == 2:  # noqa: PLR2004
            return [most / self.weights[1]]

        def at(c: arb) -> list[arb]:
            return [self._even(j, alpha, c, far) for j in range(1, len(self.weights))]

        low, high = ZERO, self.mu
        while self._mean(at(high)) <= most:
            low, high = high, 2 * high
        for _ in range(80):
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if self._mean(at(middle)) <= most else (low, middle)
        found = at(low)
        return found if self._mean(found) <= most else [ZERO for _ in found]

    def equal(self, alpha: arb) -> arb:
        """The mean over j draws of N(j mu) against N(0), in part mixed with N(0)."""
        total = between(ZERO, self.rest)
        for j, v in enumerate(self._shares(alpha, 1), 1):
            total += self.weights[j] * closed.gaussian((j * self.mu) ** 2)((alpha + v).log())
        return total

    def opposite(self, alpha: arb) -> arb:
        """N(2 j mu) against N(j mu), the other draws N(0)."""
        total = between(ZERO, self.rest)
        for j, v in enumerate(self._shares(alpha, 2), 1):
            total += self.weights[j] * _opposite(j * self.mu, alpha, v)
        return total


def _fixed(mechanism: known.FixedSizeSampled, direction: Direction) -> Between[Curve]:
    """Balle, Barthe & Gaboardi (2018), and Slepian's inequality for special records.

    Without replacement what is proved is attained. With the record 1 and the other 0 (or -1), and
    all others c in [-1, 1], P and Q are (1 - g) N(c mu) and g times normals that c does not move.
    At alpha > 1 one of c = 1 and c = -1 attains h, at alpha < 1 the other; at 1 all c do, as their
    common part cancels. There the best event is one half-line for all c, whose probability under Q
    goes continuously from that of c = -1 to that of c = 1. So for a false positive rate between
    these some c attains h(1) + rate, which no test exceeds; beyond them the least value of
    h(alpha) + alpha rate is on one side of 1, where c = -1 or c = 1 attains all of h.
    """
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    distance = 2 if direction.replaces else 1
    noise = arb(mechanism.mechanism.noise_multiplier) / distance
    batch = _Batch(1 / noise, *_drawn(mechanism))
    forth = batch.opposite if direction is Direction.SPECIAL_REMOVE else batch.equal
    back = batch.opposite if direction is Direction.SPECIAL_ADD else batch.equal
    proved = both_ways(lambda x: forth(x.exp()), lambda x: back(x.exp()))
    shifts: Shifts = tuple((w, j * batch.mu) for j, w in enumerate(batch.weights))
    if not mechanism.replacement:
        return Between(proved, (proved,))
    attained = [closed.drawn(sure(moved(shifts, way))) for way in (Direction.REMOVE, Direction.ADD)]
    if not direction.replaces:  # all others opposite to the record
        with_it, without = (_tail([(w, k * s) for w, s in shifts]) for k in (2, 1))
        top = (50 + 2 * shifts[-1][1]).upper()
        attained.append(_thresholds(with_it, without, top, back=direction.backward))
    return Between(proved, tuple(one for one in attained if one))


def _tail(parts: Sequence[tuple[arb, arb]]) -> Curve:
    """The upper tail of a mixture of normals."""
    return lambda c: sum((w * normal_tail(c - s) for w, s in parts), ZERO)


def _drawn(mechanism: known.FixedSizeSampled) -> tuple[list[arb], arb]:
    """How often a record is in the batch, and the probability that it is there still oftener."""
    draws, records = mechanism.batch_size, mechanism.dataset_size
    if not mechanism.replacement:
        gamma = arb(draws) / records
        return [1 - gamma, gamma], ZERO
    weights = [(draws * (-1 / arb(records)).log1p()).exp()]
    while len(weights) <= draws:
        j = len(weights)
        weights.append(weights[-1] * (draws - j + 1) / j / (records - 1))
        ratio = arb(draws - j) / (j + 1) / (records - 1)
        if ratio < arb(0.5) and weights[-1] < arb(2) ** -ctx.prec * weights[0].min(arb(1)):
            return weights, 2 * weights[-1] * ratio
        if j > MOST_DRAWS:
            raise NotKnownError(f"a record may be drawn more than {MOST_DRAWS} times")
    return weights, ZERO


def _opposite(m: arb, alpha: arb, w: arb) -> arb:
    """E (N(2 m) - w N(0) - alpha N(m))_+ for alpha >= 1, from the point where it begins."""
    b = alpha * (m * m / 2).exp()
    z = ((b + (b * b + 4 * w).sqrt()) / 2).log() / m
    return normal_tail(z - m) - alpha * normal_tail(z) - w * normal_tail(z + m)


def _shuffled(mechanism: known.Shuffled, direction: Direction, digits: int) -> Between[Curve]:
    """The theorems or the record's own step, and what its batches, or an allocation, tell."""
    if direction in (Direction.REMOVE, Direction.ADD):
        raise undefined(mechanism, direction)
    noise, epochs = mechanism.mechanism.noise_multiplier, mechanism.epochs
    distance = 2 if direction.replaces else 1
    attained: list[Curve] = [*batches.attained(mechanism, direction)]
    own = closed.gaussian(epochs * (distance / arb(noise)) ** 2)
    proved = shuffles.above(mechanism, own, replaces=direction.replaces, back=direction.backward)
    if noise / distance / epochs**0.5 >= 0.1:  # noqa: PLR2004
        joined = batches.joins(mechanism)
        back = direction.backward and joined == 1
        allocated = Allocated(
            noise / distance,
            mechanism.batches,
            epochs,
            removes=not back,
            digits=min(digits, ENOUGH),
        )
        if joined == 1:
            attained.append(allocated)
        elif proved is not None:
            attained.append(
                shuffles.Joined(ball_of(joined), allocated, proved, back=direction.backward)
            )
    return Between(proved or own, tuple(attained))


def _thresholds(first: Curve, second: Curve, top: arb, *, back: bool) -> Curve:
    """The curve of tests that compare a number, known by its tails, with a threshold.

    Any threshold is a test that the adversary may make, so that each gives a lower bound.
    """

    def curve(epsilon: arb) -> arb:
        odds = epsilon.exp()

        def gain(at: float) -> arb:
            p, q = first(arb(at)), second(arb(at))
            return (1 - q) - odds * (1 - p) if back else p - odds * q

        def about(at: float) -> float:
            return float(gain(at).mid())

        width = (float(top) + 10) / 300
        best = max((width * k - 10 for k in range(1, 300)), key=about)
        at, _ = peak(about, best - width, best + width, CLOSE * width)
        return gain(at).max(ZERO).max(-epsilon.expm1())

    return curve


def outcomes_above(mechanism: known.HockeyStickCurve, direction: Direction) -> Atoms:
    """Outcomes whose curve is the convex hull of the points above, and so above the given one."""
    corners, least = [(fmpq(0), fmpq(1))], fmpq(1)
    for x, v in zip(mechanism.alpha, mechanism.upper, strict=True):
        least = min(least, fraction(v))
        corners.append((fraction(x), least))
    hull = lower_hull(corners)
    slopes = [fmpq(-1), *((w - v) / (b - a) for (a, v), (b, w) in pairwise(hull)), fmpq(0)]
    masses = [
        (ball_of(b - a), ball_of(x * (b - a)))
        for (x, _), (a, b) in zip(hull, pairwise(slopes), strict=True)
    ]
    pairs = [(p, q) for q, p in masses] + [(ball_of(least), ZERO)]
    return atomic([(q, p) for p, q in pairs] if direction.backward else pairs)


def _given(mechanism: known.HockeyStickCurve, direction: Direction) -> Between[Curve]:
    """All curves between the points: the convex hull above, chords continued below, exactly."""
    alpha, lower, upper = (
        [fraction(x) for x in values]
        for values in (mechanism.alpha, mechanism.lower, mechanism.upper)
    )
    if len(alpha) > MOST_POINTS:
        raise NotKnownError(f"a curve is given at more than {MOST_POINTS} points")
    corners = [(fmpq(0), fmpq(1)), *zip(alpha, upper, strict=True)]
    hull = lower_hull(corners)
    level, (last, _) = ball_of(min(v for _, v in hull)), hull[-1]
    points = list(zip(alpha, lower, strict=True))
    onward, backward = [], []  # the steepest from an upper point through a lower one, and beyond
    for x, v in points:
        slopes = [((v - top) / (x - at), at < x) for at, top in corners if at != x]
        onward.append((ball_of(x), ball_of(v), ball_of(max(s for s, is_left in slopes if is_left))))
        if rights := [s for s, is_left in slopes if not is_left]:
            backward.append((ball_of(x), ball_of(v), ball_of(min(rights))))
    chords = [
        (ball_of(a), ball_of(v), ball_of((w - v) / (b - a))) for (a, v), (b, w) in pairwise(hull)
    ]

    def above(x: arb) -> arb:
        if x >= ball_of(last):
            return level
        return maximum(level, *(v + slope * (x - a) for a, v, slope in chords))

    def below(x: arb) -> arb:
        found = [v + slope * (x - a) for a, v, slope in onward if x >= a]
        found += [v + slope * (x - a) for a, v, slope in backward if x <= a]
        return maximum(ZERO, 1 - x, *found)

    curves: list[Curve] = [lambda x: above(x.exp()), lambda x: below(x.exp())]
    if direction.backward:
        curves = [reverse(one) for one in curves]
    return Between(curves[0], (curves[1],))


def lower_hull(corners: Sequence[Corner]) -> list[Corner]:
    """The lower convex hull."""
    hull: list[Corner] = []
    for point in corners:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: Corner, b: Corner, c: Corner) -> fmpq:
    """Positive where b is below the chord from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
