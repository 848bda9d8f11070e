# SPDX-License-Identifier: Apache-2.0
"""Privacy losses given by masses on a grid, as pairs of distributions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick.compat._quotient import rounded

FloatArray = npt.NDArray[np.float64]

_OUTWARD = 2.0**-48  # relative: covers a few roundings, those of exp included
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
    """What the masses of the pair and those against them sum to."""


def given(shown: Shown, interval: float, *, pessimistic: bool) -> Given:
    """The pair with these masses at these multiples of the interval.

    Exponentials are moved outward by what they may be off by; what masses against these lack of 1
    goes where no loss is. Losses beyond 700 nats move outward too.

    Raises:
        ValueError: A mass is negative, infinite or no number, or none is > 0.
    """
    masses, infinity_mass = shown.probs, shown.infinity_mass
    if not (np.all((masses >= 0) & (masses < math.inf)) and 0 <= infinity_mass <= 1):
        raise ValueError(f"each mass must be finite and >= 0, got {masses} and {infinity_mass}")
    kept = masses > 0
    losses = (shown.first + np.flatnonzero(kept)) * np.float64(interval)
    p, largest = masses[kept], float(losses.max(initial=0.0))
    if pessimistic:
        losses = np.maximum(losses, -_LONGEST_LOSS)
    else:
        p, losses = p[losses >= -_LONGEST_LOSS], losses[losses >= -_LONGEST_LOSS]
    away = np.where(losses == 0, 0.0, _OUTWARD + np.abs(losses) * 2.0**-50)
    q = p * np.exp(-np.minimum(losses, _LONGEST_LOSS)) * (1 - away if pessimistic else 1 + away)
    if pessimistic:
        q[losses > _LONGEST_LOSS] = 0.0
    p, q = np.append(p, infinity_mass), np.append(q, 0.0)
    excess = math.fsum((*q, -1.0))
    if excess < 0:
        p, q = np.append(p, 0.0), np.append(q, -excess)
    p, log_p = _distribution(p, 1 if pessimistic else -1)
    q, log_q = _distribution(q, -1 if pessimistic else 1)
    end = math.nextafter(largest, math.inf) if largest > 0 else 0.0
    return Given(
        hs.DiscretePair(p=tuple(p.tolist()), q=tuple(q.tolist())), shown, end, log_p, log_q
    )


def convolved(parts: Sequence[tuple[Shown, int]]) -> Shown:
    """What a composition looks like; in floating point, and no bound."""
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
    infinity_mass = Fraction(0)
    for each, share in ((one, Fraction(weight)), (other, 1 - Fraction(weight))):
        start = each.first - first
        probs[start : start + each.probs.size] += float(share) * each.probs
        infinity_mass += share * Fraction(each.infinity_mass)
    probs *= 1 + (_OUTWARD if pessimistic else -_OUTWARD)
    return Shown(first, probs, rounded(infinity_mass, 1 if pessimistic else -1))


def cut(shown: Shown, tail_mass: float, *, pessimistic: bool) -> Shown:
    """The same without ends of at most half of `tail_mass` each.

    Pessimistic, what is cut moves up, to +inf in the end; else down, and the lowest is left out.
    """
    sums = np.cumsum(shown.probs)
    first = int(np.searchsorted(sums, tail_mass / 2, side="right"))
    back = int(np.searchsorted(np.cumsum(shown.probs[::-1]), tail_mass / 2, side="right"))
    last = sums.size - back
    if tail_mass == 0 or first >= last:
        return shown
    below, above = sums[first] - shown.probs[first], sums[-1] - sums[last - 1]
    kept = shown.probs[first:last].copy()
    kept[0 if pessimistic else -1] += below if pessimistic else above
    infinity_mass = min(shown.infinity_mass + (above if pessimistic else 0.0), 1.0)
    return Shown(shown.first + first, kept, infinity_mass)


def _distribution(masses: FloatArray, sign: int) -> tuple[FloatArray, float]:
    """The masses over their sum, and its logarithm, moved by what division rounds."""
    excess = math.fsum((*masses, -1.0))
    if excess == -1:
        raise ValueError("masses must not all be 0")
    if abs(excess) <= _NEARLY_ONE:  # a pair is taken over its exact sums
        return masses, math.log1p(excess)
    return masses / (1 + excess), math.log1p(excess) + sign * 2.0**-50
