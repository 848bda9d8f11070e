# SPDX-License-Identifier: Apache-2.0
"""Privacy losses given by masses on a grid, as pairs of distributions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick import outward

FloatArray = npt.NDArray[np.float64]

_NEARLY_ONE = 5e-10
_MOST_SHOWN = 2**24
_LONGEST_LOSS = 700.0  # e^-loss is a normal number up to here


class Shown(NamedTuple):
    """Probabilities at (first + k) intervals, and the mass at +inf."""

    first: int
    probs: FloatArray
    infinity_mass: float


@dataclass(frozen=True, eq=False)
class Given:
    """A pair of distributions with the losses of given masses, but for logarithms of sums."""

    pair: hs.DiscretePair
    shown: Shown
    largest: float
    """The largest finite loss or more [nats]."""
    log_p: float
    log_q: float
    """The log of the sums of the pair's masses and of the masses against them."""


def given(shown: Shown, interval: float, *, pessimistic: bool) -> Given:
    """The pair with these masses at these multiples of the interval.

    Each operation rounds outward; what masses against these lack of 1 goes where no loss is. Losses
    beyond 700 nats move outward too.

    Raises:
        ValueError: A mass is negative, infinite or no number, none is > 0, or the interval is not.
    """
    masses, infinity_mass = shown.probs, shown.infinity_mass
    if not 0 < interval < math.inf:
        raise ValueError(f"discretization interval must be finite and > 0, got {interval!r}")
    if not (np.all((masses >= 0) & (masses < math.inf)) and 0 <= infinity_mass <= 1):
        raise ValueError(f"each mass must be finite and >= 0, got {masses} and {infinity_mass}")
    kept = masses > 0
    index = shown.first + np.flatnonzero(kept)
    losses = outward.product(index, interval, above=pessimistic)
    p, largest = masses[kept], outward.product(index.max(initial=0), interval, above=True)
    if pessimistic:
        losses = np.maximum(losses, -_LONGEST_LOSS)
    else:
        p, losses = p[losses >= -_LONGEST_LOSS], losses[losses >= -_LONGEST_LOSS]
    factors = outward.exp(-np.minimum(losses, _LONGEST_LOSS), above=not pessimistic)
    q = outward.product(p, factors, above=not pessimistic)
    if pessimistic:
        q[losses > _LONGEST_LOSS] = 0.0
    p, q = np.append(p, infinity_mass), np.append(q, 0.0)
    lacks = outward.difference(1.0, outward.total(q, above=pessimistic), above=not pessimistic)
    if lacks > 0:
        p, q = np.append(p, 0.0), np.append(q, lacks)
    p, log_p = _distribution(p, above=pessimistic)
    q, log_q = _distribution(q, above=not pessimistic)
    return Given(
        hs.DiscretePair(p=tuple(p.tolist()), q=tuple(q.tolist())), shown, largest, log_p, log_q
    )


def convolved(parts: Sequence[tuple[Shown, int]]) -> Shown:
    """The probabilities of a composition for display, in floating point; no bound."""
    size = 1 + sum([n * (part.probs.size - 1) for part, n in parts])
    if size > _MOST_SHOWN:
        raise ValueError(f"at most {_MOST_SHOWN} probabilities can be shown, got {size}")
    period = 1 << (size - 1).bit_length()
    powers = [np.fft.rfft(part.probs, period) ** n for part, n in parts]
    probs = np.fft.irfft(np.prod(powers, axis=0), period)[:size]
    finite = math.prod([(1 - part.infinity_mass) ** n for part, n in parts])
    return Shown(sum([n * part.first for part, n in parts]), np.maximum(probs, 0), 1 - finite)


def mixed(one: Shown, other: Shown, weight: float, *, pessimistic: bool) -> Shown:
    """The one with this probability, else the other; outward by what products are rounded."""
    first = min(one.first, other.first)
    probs = np.zeros(max(each.first + each.probs.size for each in (one, other)) - first)
    infinity_mass, rest = 0.0, outward.difference(1.0, weight, above=pessimistic)
    for each, share in ((one, weight), (other, rest)):
        place = slice(each.first - first, each.first - first + each.probs.size)
        more = outward.product(share, each.probs, above=pessimistic)
        probs[place] = outward.sum_of(probs[place], more, above=pessimistic)
        more = outward.product(share, each.infinity_mass, above=pessimistic)
        infinity_mass = outward.sum_of(infinity_mass, more, above=pessimistic)
    return Shown(first, probs, min(infinity_mass, 1.0))


def cut(shown: Shown, tail_mass: float, *, pessimistic: bool) -> Shown:
    """The distribution without ends of at most half of `tail_mass` each.

    Pessimistic, what is cut moves up, to +inf in the end; else down, and the lowest is left out.
    """
    sums = np.cumsum(shown.probs)
    first = int(np.searchsorted(sums, tail_mass / 2, side="right"))
    back = int(np.searchsorted(np.cumsum(shown.probs[::-1]), tail_mass / 2, side="right"))
    last = sums.size - back
    if tail_mass == 0 or first >= last:
        return shown
    below, beyond = shown.probs[:first], shown.probs[last:]
    kept = shown.probs[first:last].copy()
    place, moved = (0, below) if pessimistic else (-1, beyond)
    kept[place] = outward.total([kept[place], *moved], above=pessimistic)
    infinity_mass = shown.infinity_mass
    if pessimistic:
        infinity_mass = min(outward.total([infinity_mass, *beyond], above=True), 1.0)
    return Shown(shown.first + first, kept, infinity_mass)


def _distribution(masses: FloatArray, *, above: bool) -> tuple[FloatArray, float]:
    """The masses over their sum, and its logarithm, rounded to one side."""
    total = outward.total(masses, above=above)
    if total == 0:
        raise ValueError("masses must not all be 0")
    if abs(total - 1) > _NEARLY_ONE:  # a pair is taken over its exact sums
        masses = outward.quotient(masses, total, above=above)
        total = outward.product(total, outward.total(masses, above=above), above=above)
    return masses, outward.log(total, above=above)
