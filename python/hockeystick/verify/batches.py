# SPDX-License-Identifier: Apache-2.0
"""What is attained in a shuffled epoch: tests of the sums of its batches, laws in balls.

If all other records add the same, the b sums are, up to a shift and in units of the noise, the mean
over i of N(m u_i, I), u_i the i-th unit vector, for an m before and another one after a record is
replaced; where it is left out, N(0, I). Any function of the outputs, and of coins, tells no more.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_mat, ctx, fmpz, fmpz_poly

from hockeystick.adjacency import Direction
from hockeystick.mechanisms import Gaussian, RandomAllocation, Shuffled
from hockeystick.verify.atoms import Steps
from hockeystick.verify.balls import ZERO, ball_of, between, double_below, normal_tail
from hockeystick.verify.work import spend

BITS = 120  # masses of sums are whole multiples of 2^-BITS
KNOWN = 1e6  # a mass is kept if it is that many times what it may be off by
FARTHEST = 8.0  # an output, from where cells of it are rays
CELLS = 40  # of an output, in a unit of the noise
UNITS = 5  # of the sum, in a deviation of one of its terms
PERIOD, ALONE = 24, 160  # of the sum, in its deviations, and in those of one large term
MOST_BATCHES, MOST_MU = 20_000, 1.0  # of sums: with less noise the largest batch tells more
MOST_CHOSEN = 10  # of batches of which the last one is chosen
CHOSEN_CELLS, TURN = 16, 2.0  # of these, in a unit; where the others of the last batch turn
LARGEST_CELLS, MOST_CELLS, FAR = 64, 6000, 40.0  # of the largest: in a unit, in all, and their end


class Means(NamedTuple):
    """The mean of the record's batch before and after, in units of the noise."""

    before: float
    after: float


def attained(mechanism: Shuffled, direction: Direction) -> list[Steps]:
    """In one direction, by adversaries of whom each chooses all other records alike.

    Those add -1 if a special record takes the place of one that adds 1, or what the new one does.
    """
    mu = double_below(arb(mechanism.epochs).sqrt() / arb(mechanism.mechanism.noise_multiplier))
    number, joined, back = mechanism.batches, joins(mechanism), direction.backward
    pairs = (Means(2 * mu, mu), Means(2 * mu, 0.0)) if direction.replaces else (Means(2 * mu, mu),)
    found = [largest(number, means, joined, back=back) for means in pairs]
    if 1 < number <= MOST_BATCHES and mu <= MOST_MU:
        found.append(total(number, pairs[-1], joined, back=back))
    if joined == mechanism.epochs == 1 < number <= MOST_CHOSEN and mu <= MOST_MU:
        last = Fraction(
            mechanism.last_batch or 1, (mechanism.last_batch and mechanism.batch_size) or 1
        )
        found.append(chosen(number, pairs[-1], last / (number - 1 + last), back=back))
    return found


def allocated(mechanism: RandomAllocation, direction: Direction) -> list[Steps]:
    """Tests of one epoch of random allocation, where others add nothing, by a sum of steps."""
    assert isinstance(mechanism.mechanism, Gaussian)  # noqa: S101, as all callers know
    mu = double_below(arb(mechanism.epochs).sqrt() / arb(mechanism.mechanism.noise_multiplier))
    if not (1 < mechanism.steps <= MOST_BATCHES and mu <= MOST_MU):
        return []
    return [total(mechanism.steps, Means(mu, 0.0), Fraction(1), back=direction.backward)]


def joins(mechanism: Shuffled) -> Fraction:
    """At least the probability that a record is in a batch."""
    used = mechanism.batches * (mechanism.batch_size or 1)
    return Fraction(used, used + mechanism.left_out)


def largest(batches: int, means: Means, joined: Fraction, *, back: bool) -> Steps:
    """By the largest of the batches, of which only a cell is seen."""
    often, first = ball_of(joined), -10.0
    number = math.ceil(min(MOST_CELLS, LARGEST_CELLS * (means.before + FAR - first)))
    step = (means.before + FAR - first) / number
    edges = [arb(first) + step * k for k in range(number)]
    tails = [normal_tail(c) for c in edges]
    others = [(batches - 1) * (-tail).log1p() for tail in tails]

    def law(mean: float) -> Sequence[arb]:
        """P(max > edge) at each edge."""
        own = tails if mean == 0 else [normal_tail(c - arb(mean)) for c in edges]
        beyond = [-(rest + (-tail).log1p()).expm1() for rest, tail in zip(others, own, strict=True)]
        return [arb(1), *beyond[1:], ZERO]

    none = law(0.0) if joined < 1 else []
    masses = []
    for mean in means:
        beyond = law(mean)
        if joined < 1:
            beyond = [often * a + (1 - often) * b for a, b in zip(beyond, none, strict=True)]
        masses.append([a - b for a, b in pairwise(beyond)])
    return _steps(*masses, back=back)


def chosen(batches: int, means: Means, share: Fraction, *, back: bool) -> Steps:
    """By who chooses what the others add to the last batch, which holds that share of the records.

    Above -1 it is as much as the record adds where the largest output before is 2 at least, else
    nothing. Cells of both outputs are put together by their ratio.
    """
    number = math.ceil(CHOSEN_CELLS * (2 * FARTHEST + means.before + 4))
    edges = [arb(k) / CHOSEN_CELLS - FARTHEST - 1 for k in range(number)]
    turn = 1 + sum(bool(edge < TURN) for edge in edges)

    def cells(mean: float, others: int) -> list[arb]:
        """Cells of the largest of an output of that mean and of others of mean 0."""
        tails = [(normal_tail(c - arb(mean)), normal_tail(c)) for c in edges]
        beyond = (-(others * (-b).log1p() + (-a).log1p()).expm1() for a, b in tails)
        return [a - b for a, b in pairwise([arb(1), *beyond, ZERO])]

    here, scale = ball_of(share), 4 * CHOSEN_CELLS / means.before
    own, none = [cells(mean, 0) for mean in means], cells(0.0, batches - 2)
    first = [cells(mean, batches - 2) for mean in means]
    bins: dict[int, tuple[arb, arb]] = {}
    for rows, moved in (slice(turn), cells(0.0, 0)), (slice(turn, None), cells(means.before, 0)):
        before, after = (
            arb_mat(
                [[(1 - here) * a, here * b] for a, b in zip(one[rows], none[rows], strict=True)]
            )
            * arb_mat([moved, last])
            for one, last in zip(first, own, strict=True)
        )
        for p, q in zip(before.entries(), after.entries(), strict=True):
            a, b = float(p.mid()), float(q.mid())
            if min(a, b) > 0:
                at = math.floor((math.log(a) - math.log(b)) * scale)
                held = bins.get(at, (ZERO, ZERO))
                bins[at] = held[0] + p, held[1] + q
    return _steps(*zip(*bins.values(), strict=True), back=back)


def _steps(before: Sequence[arb], after: Sequence[arb], *, back: bool) -> Steps:
    """The curve of outcomes with these masses, without those whose masses are hardly known."""
    p, q = (after, before) if back else (before, after)
    both = [
        (a, b) for a, b in zip(p, q, strict=True) if a > a.rad() * KNOWN and b > b.rad() * KNOWN
    ]
    return Steps([((a / b).log(), a) for a, b in both])


def total(batches: int, means: Means, joined: Fraction, *, back: bool) -> Steps:
    """By the sum over all batches of f, the difference of the likelihood ratios of a batch.

    The value of f at the middle of a cell is rounded up or down to a whole number at random, and
    sums are taken modulo a period, so that their law does not depend on the record's batch: it is
    a product of polynomials modulo x^period - 1.
    """
    laws = [_sums(batches, means, mean, joined).balls() for mean in means]
    return _steps(*laws, back=back)


class _Law(NamedTuple):
    """Whole numbers, at most the masses times 2^BITS."""

    masses: Sequence[int]

    def balls(self) -> Sequence[arb]:
        """The masses, for all add up to 1."""
        short, scale = (1 << BITS) - sum(self.masses), arb(2) ** -BITS
        return [between(arb(m), arb(m + short)) * scale for m in self.masses]


@lru_cache(maxsize=8)
def _sums(batches: int, means: Means, mean: float, joined: Fraction) -> _Law:
    """The law of the sum in an epoch where the record's batch has that mean."""
    period = _period(batches)
    others = _others(batches, means)
    own = _term(means, mean, period)
    if joined < 1:
        left_out = _term(means, 0.0, period)
        a, n = joined.numerator, joined.denominator
        own = _Law([(a * m + (n - a) * k) // n for m, k in zip(*own, *left_out, strict=True)])
    return _cyclic(others, own)


def _period(batches: int) -> int:
    return math.ceil(UNITS * (PERIOD * math.sqrt(batches) + ALONE))


@lru_cache(maxsize=4)
def _others(batches: int, means: Means) -> _Law:
    period = _period(batches)
    one = made = _term(means, 0.0, period)
    for bit in bin(batches - 1)[3:]:
        made = _cyclic(made, made)
        if bit == "1":
            made = _cyclic(made, one)
    return made


def _cyclic(a: _Law, b: _Law) -> _Law:
    period = len(a.masses)
    spend(6.0 * period)
    made = fmpz_poly(list(a.masses)) * fmpz_poly(list(b.masses))
    masses = made.coeffs() + [fmpz(0)] * (2 * period - len(made))
    both = zip(masses[:period], masses[period:], strict=True)
    return _Law([int(m + k) >> BITS for m, k in both])


def _f(means: Means) -> Sequence[float]:
    """f in the middles of the cells, in units: doubles, as any function will do."""
    a, b = means
    number = math.ceil((2 * FARTHEST + a) * CELLS)
    middles = [(k + 0.5) / CELLS - FARTHEST for k in range(number)]
    f = [math.exp(a * x - a * a / 2) - math.exp(b * x - b * b / 2) for x in middles]
    weights = [math.exp(-x * x / 2) / CELLS / math.sqrt(2 * math.pi) for x in middles]
    square = sum(w * min(1.0, y * y) for w, y in zip(weights, f, strict=True))
    return [y * UNITS / math.sqrt(square) for y in f]


def _term(means: Means, mean: float, period: int) -> _Law:
    """The law of f of one batch, whose output is N(mean, 1)."""
    f, masses = _f(means), [0] * period
    with ctx.workprec(2 * BITS):
        edges = [arb(k) / CELLS - FARTHEST - arb(mean) for k in range(1, len(f))]
        beyond = [arb(1), *map(normal_tail, edges), ZERO]
        for k, value in enumerate(f):
            place = min(max(value, -period / 4), period / 2)
            low = math.floor(place)
            mass = (beyond[k] - beyond[k + 1]) * arb(2) ** BITS
            share = arb(place) - low
            for at, part in ((low, mass * (1 - share)), (low + 1, mass * share)):
                masses[at % period] += max(int(part.lower().floor().fmpz()), 0)
    return _Law(masses)
