# SPDX-License-Identifier: Apache-2.0
"""The curve delta(epsilon) of a composition in one direction, by the exact method that serves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb

from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms import Gaussian as GaussianMechanism
from hockeystick.mechanisms import RandomAllocation
from hockeystick.verify import atoms, closed
from hockeystick.verify import groups as _groups  # noqa: F401, which adds its laws
from hockeystick.verify.allocation import Allocated
from hockeystick.verify.balls import ZERO, Curve, between
from hockeystick.verify.contour import Contour
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laplace import laplace_delta
from hockeystick.verify.laws import (
    Atoms,
    Gaussian,
    Laplace,
    Law,
    Pair,
    law,
    supremum,
    sure,
    undefined,
)

MOST_LAPLACES = 200  # residues cost their cube: 1000 took 240 s
MOST_TERMS = 2**18  # of residues, if noises differ: half a second
SMALLEST_NOISE, LARGEST_NOISE = 0.1, 1e4  # of a random allocation
MOST_JOINED = 3000  # evaluations of a curve for each sum of atoms
Releases = Sequence[tuple[Mechanism, int]]
Counted = list[tuple[Law, int]]


@dataclass(frozen=True)
class Composed:
    """A composition in one direction."""

    infinite: arb
    """P(L = inf)."""
    slack: arb
    """An upper bound on the P-mass of sums of outcomes that are not listed."""
    supremum: arb | None
    """The supremum of the finite losses; None if they have none."""
    finite: Curve
    """The curve of the finite losses that are listed."""
    method: str
    contour: Contour | None = None

    @property
    def way(self) -> str:
        """The method, after questions."""
        smooth = self.contour is not None and self.contour.is_smooth
        return "smoothed contour" if smooth else self.method

    def delta(self, epsilon: arb) -> arb:
        """At any real epsilon."""
        if self.supremum is not None and epsilon >= self.supremum and self.slack.is_zero():
            return self.infinite
        value = self.infinite + self.finite(epsilon)
        return value if self.slack.is_zero() else value + between(ZERO, self.slack)


def composed(releases: Releases, direction: Direction, digits: int) -> Composed:
    """The composition, at the working precision in force and for that many digits of delta."""
    ((mechanism, count),) = releases if len(releases) == 1 else ((None, 0),)
    if isinstance(mechanism, RandomAllocation) and count == 1:
        step = mechanism.mechanism
        if isinstance(step, GaussianMechanism):
            curve = allocated(step, mechanism.steps, mechanism.epochs, direction, digits)
            return Composed(ZERO, ZERO, None, curve, "contour")
    return of_laws([(law(mechanism, direction), n) for mechanism, n in releases], digits)


def of_laws(made: Counted, digits: int) -> Composed:
    """The composition of pairs, each drawn this many times."""
    laws = merged(made)
    pairs = [(weight, pair, n) for made, n in laws for weight, pair in made]
    infinite = _some([(pair.infinite, n) for _, pair, n in pairs if isinstance(pair, Atoms)])
    slack = _some([(pair.slack, n) for _, pair, n in pairs if isinstance(pair, Atoms)])
    tops = [(supremum_of(made), n) for made, n in laws]
    top = sum((n * end for end, n in tops if end is not None), ZERO)
    method, finite = _finite(laws, digits)
    return Composed(
        infinite,
        slack,
        None if any(end is None for end, _ in tops) else top,
        finite,
        method,
        finite if isinstance(finite, Contour) else None,
    )


def allocated(
    step: GaussianMechanism, steps: int, epochs: int, direction: Direction, digits: int
) -> Allocated:
    """The curve of one epoch of a Gaussian at random, composed with nothing."""
    if direction.replaces:
        raise undefined(step.random_allocation(steps=steps), direction)
    noise = step.noise_multiplier
    if not SMALLEST_NOISE <= noise / epochs**0.5 <= LARGEST_NOISE:
        raise NotKnownError("a random allocation is known where noise is from 0.1 to 1e4")
    return Allocated(noise, steps, epochs, removes=not direction.backward, digits=digits)


def merged(laws: Counted) -> Counted:
    """The laws with all Gaussians merged, and Laplace mechanisms that are surely equal."""
    made: Counted = []
    squares = []
    for each, n in laws:
        pair = each[0][1]
        if isinstance(pair, Gaussian):
            squares.append(n * pair.square)
            continue
        same = next((k for k, (other, _) in enumerate(made) if _equal(pair, other[0][1])), None)
        if same is None:
            made.append((each, n))
        else:
            made[same] = (each, made[same][1] + n)
    return [*made, (sure(Gaussian(sum(squares, ZERO))), 1)] if squares else made


def _equal(a: Pair, b: Pair) -> bool:
    """Whether both are Laplace mechanisms of one exact noise multiplier."""
    if not (isinstance(a, Laplace) and isinstance(b, Laplace)):
        return False
    return bool(a.m == b.m)  # balls are equal only where both are exact


def _some(masses: list[tuple[arb, int]]) -> arb:
    """The probability of at least one event of those probabilities, tried this many times each."""
    some = [(mass, n) for mass, n in masses if not mass.is_zero()]
    if not some:
        return ZERO
    if len(some) == 1 and some[0][1] == 1:
        return some[0][0]
    return -math.prod(((1 - mass) ** n for mass, n in some), start=arb(1)) + 1


def supremum_of(made: Law) -> arb | None:
    """The supremum of the finite losses of all pairs that may be drawn; None if none exists."""
    ends = [supremum(pair) for _, pair in made]
    largest = ZERO
    for k, end in enumerate(ends):
        if end is None:
            return None
        largest = largest.max(end) if k else end
    return largest


def _finite(laws: Counted, digits: int) -> tuple[str, Curve]:
    """The method, and the curve of the finite losses."""
    finite = [(made[0][1], n) for made, n in laws if isinstance(made[0][1], Atoms)]
    smooth = [(made, n) for made, n in laws if not isinstance(made[0][1], Atoms)]
    sizes = [atoms.number_of_sums(pair, n) for pair, n in finite]
    if not smooth:
        largest = max(range(len(sizes)), key=sizes.__getitem__, default=-1)
        rest = math.prod(size for k, size in enumerate(sizes) if k != largest)
        if rest <= MOST_JOINED and max(sizes, default=0) <= atoms.MOST_SUMS:
            parts = [atoms.listed(pair, n) for pair, n in finite]
            most = parts.pop(largest) if parts else [(ZERO, arb(1))]
            steps = atoms.Steps(most)
            return "all sums", atoms.joined(steps, atoms.product(parts)) if parts else steps
    elif math.prod(sizes) <= MOST_JOINED and (base := _closed(smooth)):
        parts = [atoms.listed(pair, n) for pair, n in finite]
        return base[0], atoms.joined(base[1], atoms.product(parts)) if parts else base[1]
    return "contour", Contour(laws, digits)


def _closed(smooth: Counted) -> tuple[str, Curve] | None:
    """A closed form, if there is one."""
    made, n = smooth[0]
    if len(smooth) == n == 1:
        curve = closed.drawn(made)
        return ("closed form", curve) if curve else None
    parts = [
        (each[0][1].m, count)
        for each, count in smooth
        if len(each) == 1 and isinstance(each[0][1], Laplace)
    ]
    total = sum(count for _, count in parts)
    terms = total * math.prod(count + 1 for _, count in parts)
    if len(parts) < len(smooth) or total > MOST_LAPLACES or terms > MOST_TERMS:
        return None
    return "residues", lambda epsilon: laplace_delta(parts, epsilon)
