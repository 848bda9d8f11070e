# SPDX-License-Identifier: Apache-2.0
"""Laws on lattices above given laws in the increasing convex order, and sums of many of them.

A law X is replaced by one at chosen places: its call prices C(x) = E (X - x)_+ there, joined by
chords, are those of a law above X, but for the last price, which is kept apart as a mean to add.
Sums are powers of polynomials, whose coefficients are whole numbers that are rounded up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx, fmpz_poly
from numpy.typing import NDArray

from hockeystick.verify.balls import ZERO, normal_tail
from hockeystick.verify.work import spend

BITS = 128
ROUNDED = 1 + 1e-9  # over sums of less than a million masses >= 0 in doubles
FARTHEST = 2.0**-45  # by what places are raised, of the sizes that they are made of
Doubles = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Spread:
    """A law at few places that is above another one, but for a mean to add."""

    places: Doubles
    masses: Doubles
    left: arb


@dataclass(frozen=True)
class Lattice:
    """Masses at the places (start + k) step, whole multiples of 2^-bits, and a mean to be added."""

    start: int
    step: float
    masses: Sequence[int]
    bits: int
    left: arb

    @property
    def lowest(self) -> float:
        """The first place."""
        return self.start * self.step


def lattice(start: int, step: float, masses: Doubles, bits: int, left: arb) -> Lattice:
    """A lattice with these doubles as masses, each rounded up."""
    return Lattice(start, step, [int(x) + 1 for x in np.ldexp(masses, bits)], bits, left)


def lognormal(deviation: arb, width: float, tail: float) -> Spread:
    """A log-normal law of mean 1: at x of N(g), C(x) = tail(g - a) - x tail(g)."""
    a = float(deviation)
    deep = math.sqrt(-2 * math.log(tail))
    places = np.exp(a * np.arange(-deep - a, deep + a + width, width) - a * a / 2)
    spend(12.0 * len(places))
    with ctx.workprec(BITS):
        xs = [arb(0), *map(arb, places.tolist())]
        prices = [arb(1)]
        for x in xs[1:]:
            g = x.log() / deviation + deviation / 2
            prices.append(normal_tail(g - deviation) - x * normal_tail(g))
        pairs = zip(xs, xs[1:], prices, prices[1:], strict=False)
        slopes = [arb(-1), *((d - c) / (y - x) for x, y, c, d in pairs), ZERO]
        masses = [double_up(b - a) for a, b in pairwise(slopes)]
    return Spread(np.concatenate([[0.0], places]), np.array(masses), prices[-1].upper())


def double_up(x: arb) -> float:
    """Quickly: not below the ball, nor below 0."""
    return max(float(x.upper()) * (1 + 2.0**-50), 0.0)


def on_lattice(places: Doubles, masses: Doubles, step: float, ends: tuple[int, int]) -> Doubles:
    """Masses between two places, each split between its neighbours; below them they move up."""
    first, last = ends
    z = np.maximum(places / step, float(first))
    below = np.minimum(np.floor(z), last - 1)
    share = np.minimum(z - below, 1.0)  # above the last place the rest is a mean to be added
    index = (below - first).astype(np.int64)
    size = last - first + 1
    made = np.bincount(index, masses * (1 - share), size)
    made += np.bincount(index + 1, masses * share, size)
    return made * ROUNDED


def shuffle_term(
    mu: arb, alpha: float, width: float, tail: float, *, replaces: bool, back: bool
) -> Spread:
    """The law of what a batch tells, whose prices are the largest ones of any adversary.

    With y log-normal and kappa = e^-(mu^2), E (kappa y^2 - alpha y - x)_+ above 0 and
    E (alpha y - 1 + x)_+ below it, of puts, where the record is lost; E (y - alpha - x)_+ and
    E (alpha kappa y^2 - y + x)_+ where it comes back; the simpler ones where it is replaced.
    """
    with ctx.workprec(BITS):
        forth = (1.0, -alpha, 0.0) if not (back or replaces) else (0.0, 1.0, -alpha)
        above, calls = _prices(mu, forth, width, tail)
        back_way = (alpha, -1.0, 0.0) if back and not replaces else (0.0, alpha, -1.0)
        below, puts = _prices(mu, back_way, width, tail)
        rising = [*_slopes(below, puts), ZERO]
        falling = [*_slopes(above, calls), ZERO]
        masses = [b - a for a, b in pairwise(rising)][::-1]
        masses[0] = -rising[-2]  # of all that is below, moved up
        masses += [1 + falling[0] + rising[0], *(b - a for a, b in pairwise(falling))]
    places = np.concatenate([-below[:0:-1], above])
    return Spread(places, np.array([double_up(m) for m in masses]), calls[-1].upper())


def _slopes(places: Doubles, prices: list[arb]) -> list[arb]:
    xs = [arb(x) for x in places.tolist()]
    pairs = zip(xs, xs[1:], prices, prices[1:], strict=False)
    return [(d - c) / (y - x) for x, y, c, d in pairs]


def _prices(
    mu: arb, parts: tuple[float, float, float], width: float, tail: float
) -> tuple[Doubles, list[arb]]:
    """Places x from 0 on, and E (square kappa y^2 + line y + constant - x)_+ at each."""
    square, line, constant = parts
    kappa = (-mu * mu).exp()

    def begins(x: arb) -> arb:
        """The g from which on it is positive."""
        y = (x - constant) / line
        if square:
            y = ((arb(line) ** 2 + 4 * square * kappa * x).sqrt() - line) / (2 * square * kappa)
        return y.log() / mu + mu / 2

    a, first = float(mu), float(begins(ZERO))
    end = max(math.sqrt(-2 * math.log(tail)) + 2 * a, first + 2 * width)
    y = np.exp(a * np.arange(first, end + width, width)[1:] - a * a / 2)
    places = np.concatenate([[0.0], y * (square * math.exp(-a * a) * y + line) + constant])
    spend(18.0 * len(places))
    prices = []
    for x in map(arb, places.tolist()):
        g = begins(x)
        price = line * normal_tail(g - mu) + (constant - x) * normal_tail(g)
        prices.append(price + square * normal_tail(g - 2 * mu) if square else price)
    return places, prices


def coarser(one: Lattice) -> Lattice:
    """On a lattice of twice the step: odd places are split in halves."""
    masses = [0] * (one.start % 2) + list(one.masses)
    masses += [0] * (2 - len(masses) % 2)
    halves = [(m + 1) // 2 for m in masses[1::2]]
    made = [a + b + c for a, b, c in zip(masses[::2], halves, [0, *halves[:-1]], strict=True)]
    return Lattice(one.start // 2, 2 * one.step, made, one.bits, one.left)


def trimmed(one: Lattice, bottom: float, tail: float) -> Lattice:
    """What is below the bottom moves up; what is far above, and adds little, is a mean more."""
    masses = list(one.masses)
    low = min(max(math.ceil(-bottom / one.step) - one.start, 0), len(masses) - 1)
    masses[low] += sum(masses[:low])
    most = int(math.ldexp(tail / one.step, one.bits))
    high, mass, mean = len(masses), 0, 0
    while high > low + 2 and mean + mass + masses[high - 1] < most:
        high -= 1
        mass += masses[high]
        mean += mass
    masses[high - 1] += mass  # each has come down to the last place that is kept
    left = one.left + arb(mean) * arb(one.step) * arb(2) ** -one.bits
    return replace(one, start=one.start + low, masses=masses[low:high], left=left)


def product(a: Lattice, b: Lattice, bottom: float, tail: float) -> Lattice:
    """The law of the sum of two independent numbers, on the coarser of their lattices."""
    while a.step < b.step:
        a = coarser(a)
    while b.step < a.step:
        b = coarser(b)
    spend(0.6 * (len(a.masses) + len(b.masses)) * max(1.0, a.bits / BITS))
    both = fmpz_poly(list(a.masses)) * fmpz_poly(list(b.masses))
    masses = [(int(c) >> a.bits) + 1 for c in both.coeffs()]
    made = Lattice(a.start + b.start, a.step, masses, a.bits, a.left + b.left)
    return trimmed(made, bottom, tail)


def repeated(one: Lattice, count: int, most: int, bottom: float, tail: float) -> Lattice | None:
    """The law of the sum of `count` numbers; no lattice keeps more than `most` places."""
    total, power, times = None, one, 1
    while True:
        if count & times:
            total = power if total is None else product(total, power, bottom, tail)
        times *= 2
        if times > count:
            return total
        power = product(power, power, bottom, tail)
        while len(power.masses) > most:
            power = coarser(power)


def positive_part(one: Lattice, less: float) -> arb:
    """E (S - less)_+ and the means left out."""
    first = max(math.floor(less / one.step) + 1 - one.start, 0)
    above = list(enumerate(one.masses))[first:]
    mass, moment = sum(m for _, m in above), sum((one.start + k) * m for k, m in above)
    return one.left + (arb(one.step) * moment - arb(less) * mass) * arb(2) ** -one.bits
