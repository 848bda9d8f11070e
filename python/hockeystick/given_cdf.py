# SPDX-License-Identifier: Apache-2.0
"""Losses that are known by their distribution function alone, rounded up and down.

Let the loss L > -inf have the distribution function F, and t_0 < ... < t_N. What L says of delta,
also in company, is E[(1 - e^(epsilon - L - R))_+] with the other losses R: it rises with L, by at
most 1. So it rises if L is rounded up, to the t_i next above and to +inf beyond t_N: that is the
loss of the pair with the masses p_i = F(t_i) - F(t_i-1) against p_i e^-t_i. It falls if L is
rounded down, to t_i-1 and to t_N beyond. Then the p_i e^-t_i-1 may sum to S > 1, and are no
distribution; over S they are one, of a pair with losses higher by log S, which the epsilon asked
for takes back (`Enclosed.shift`). What is at or below t_0 cannot be rounded down: it goes up to
t_0 and is `missed`.

F is rounded down to multiples of 2^-53, which moves mass up: the p_i are then exact and sum to 1.
What a lower bound misses by that is at most 2^-53 (`missed` too). Each operation on the masses
against which losses are taken rounds outward, and so does their sum. Where rounding lets the
p_i e^-t_i sum to more than 1, dividing them makes losses higher still, as an upper bound may.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from hockeystick import outward
from hockeystick._checks import FloatArray
from hockeystick.composition import Composition, Mechanism
from hockeystick.mechanisms import DiscretePair

_NEAREST, _FARTHEST = 1e-12, 500.0  # the range of losses that are examined [nats]
_PER_OCTAVE = 8
_MOST_CELLS, _LEAST_CELLS = 2**18, 2**10
_UNIT = 2.0**-53
_MOST_EXCESS = (
    1 + 1e-6
)  # largest E[exp(-loss)] that is accepted, as distribution functions are rounded
_SUM_NOISE = 1e-9  # within which a pair is taken over its exact sums
_LARGEST = 700.0  # exponentials of more are not finite, of less not normal
_NOISE = 1e-12  # how far rounding may take a distribution function from being one


class Enclosed(NamedTuple):
    """Two mechanisms with what is meant between them; one and the same where it is representable.

    In full: with k runs in company of any others, delta(epsilon) is at most that of k runs of
    `less_private`, and at least that of k runs of `more_private` at epsilon + k `shift`, less
    k `missed`.
    """

    more_private: Mechanism | Composition
    """A run that costs at most as much, but for `shift` and `missed`."""
    less_private: Mechanism | Composition
    """A run that costs at least as much."""
    shift: float = 0.0
    """An upper bound of the losses' excess in the more private run [nats]."""
    missed: float = 0.0
    """An upper bound of the excess of its delta."""


class Allowance(NamedTuple):
    """The allowed distance of the two runs, for one run, where that is a choice."""

    width: float
    """The allowed distance of the losses, on average [nats]."""
    tail: float
    """The mass that either end may lose."""


def enclosed(cdf: Callable[[Any], Any], allowance: Allowance) -> Enclosed:
    """Pairs around the loss whose distribution function is `cdf`, taken as exact.

    Raises:
        ValueError: `cdf` is none of a privacy loss, or it takes too many cells.
        TypeError: It does not give numbers for numbers.

    Randomized response that tells the truth with probability e / (1 + e):

    >>> def cdf(loss):
    ...     return np.where(loss >= 1, 1.0, np.where(loss >= -1, 1 / (1 + math.e), 0.0))
    >>> pairs = enclosed(cdf, Allowance(width=1e-3, tail=1e-12))
    >>> upper = (10 * pairs.less_private).delta(5.0)
    >>> lower = (10 * pairs.more_private).delta_bounds(5.0 + 10 * pairs.shift).lower
    >>> bool(0.363 < lower - 10 * pairs.missed < 0.36359118 < upper < 0.367)
    True
    """
    points = _points(cdf, allowance)
    units = np.floor(_values(cdf, points) / _UNIT)
    masses = np.append(np.diff(units), 1 / _UNIT - units[-1]) * _UNIT  # the last is beyond
    below = units[0].item() * _UNIT
    masses[0] += below
    beyond, inner = masses[-1].item(), masses[:-1]
    against = outward.product(inner, outward.exp(-points[1:], above=False), above=False)
    up, excess = _distribution(against, above=False)
    if excess > _MOST_EXCESS:
        raise ValueError(
            f"cdf must be that of a privacy loss, for which E[exp(-loss)] <= 1, got {excess!r}"
        )
    against = outward.product(masses, outward.exp(-points, above=True), above=True)
    down, total = _distribution(against, above=True)
    return Enclosed(
        less_private=_pair([*inner, beyond, 0.0], [*up[:-1], 0.0, up[-1]]),
        more_private=_pair([*masses, 0.0], down),
        shift=outward.log(total, above=True),
        missed=below + 2 * _UNIT,
    )


def enclosed_masses(losses: FloatArray, masses: FloatArray) -> Enclosed:
    """Pairs around the loss that is each of these numbers with the mass beside it, over their sum.

    Nothing is rounded but what the masses are taken against: it is moved outward, also by what
    numbers too small to be normal may be off by.

    Raises:
        ValueError: The masses are none of a privacy loss.
    """
    total = math.fsum(masses)
    if not (np.all(masses >= 0) and abs(total - 1) <= _SUM_NOISE):
        raise ValueError(
            f"pmf must be >= 0 and sum to 1, got sum {total!r}, least {masses.min()!r}"
        )
    kept = masses > 0
    losses, masses = losses[kept], masses[kept]
    if not losses.min() >= -_LARGEST:
        raise ValueError(f"losses must be at least {-_LARGEST:g}, got {losses.min()!r}")
    factor = np.minimum(losses, _LARGEST)
    least, most = (
        outward.quotient(
            outward.product(masses, outward.exp(-factor, above=above), above=above),
            outward.total(masses, above=not above),
            above=above,
        )
        for above in (False, True)
    )
    up, excess = _distribution(np.where(losses <= _LARGEST, least, 0.0), above=False)
    if excess > _MOST_EXCESS:
        raise ValueError(
            f"pmf must be that of a privacy loss, for which E[exp(-loss)] <= 1, got {excess!r}"
        )
    down, scale = _distribution(most, above=True)
    known = [*masses.tolist(), 0.0]
    return Enclosed(
        less_private=_pair(known, up),
        more_private=_pair(known, down),
        shift=outward.log(scale, above=True),
    )


def _distribution(masses: FloatArray, *, above: bool) -> tuple[list[float], float]:
    """The masses over their sum if that exceeds 1, and what is left; then by what was divided.

    A pair is taken over its exact sum: below, that is at least 1, and no mass grows; above, it is
    part of what was divided by.
    """
    total = max(1.0, outward.total(masses, above=True))
    scaled = outward.quotient(masses, total, above=above)
    left = outward.difference(1.0, outward.total(scaled, above=above), above=not above)
    known = [*scaled.tolist(), max(left, 0.0)]
    if above:
        whole = max(1.0, outward.total(known, above=True))
        total = outward.product(total, whole, above=True)
    return known, total


class _Overview(NamedTuple):
    """The range of the loss."""

    low: float
    high: float
    median: float  # of its size, or more
    spread: float  # of E[sqrt(L^2 + median^2)], or more


def _points(cdf: Callable[[Any], Any], allowance: Allowance) -> FloatArray:
    """The ends of the cells, as wide as asked for on average, and wider the larger the loss."""
    seen = _overview(cdf, allowance.tail)
    first, last = (math.asinh(end / seen.median) for end in (seen.low, seen.high))
    step = min(allowance.width / seen.spread, (last - first) / _LEAST_CELLS)
    cells = (last - first) / step
    if not cells <= _MOST_CELLS:
        raise ValueError(
            f"eps_error must be {cells / _MOST_CELLS:.3g} times as large or more: the loss of this "
            f"cdf would be cut into {cells:.3g} cells, of at most {_MOST_CELLS:.3g}"
        )
    index = np.arange(math.floor(first / step), math.ceil(last / step) + 1)
    points: FloatArray = seen.median * np.sinh(step * index)
    return points


def _overview(cdf: Callable[[Any], Any], tail: float) -> _Overview:
    octaves = math.ceil(math.log2(_FARTHEST / _NEAREST) * _PER_OCTAVE)
    sizes = _FARTHEST * 2.0 ** (np.arange(-octaves, 1) / _PER_OCTAVE)
    at = np.concatenate([-sizes[::-1], sizes])
    values = _values(cdf, at)
    low, high = np.flatnonzero(values <= tail), np.flatnonzero(1 - values <= tail)
    if not low.size or not high.size:
        _refuse(f"hold all but {tail:.3g} at each end in [-500, 500]", values[[0, -1]])
    within = values[sizes.size :] - values[: sizes.size][::-1]
    median = sizes[min(int(np.searchsorted(within, 0.5)), sizes.size - 1)].item()
    wide = np.hypot(np.maximum(np.abs(at[1:]), np.abs(at[:-1])), median)
    spread = (np.diff(values) @ wide).item()
    return _Overview(at[low[-1]].item(), at[high[0]].item(), median, spread)


def _values(cdf: Callable[[Any], Any], at: FloatArray) -> FloatArray:
    """The distribution function at increasing points; what rounding did to its order is mended."""
    given = np.asarray(cdf(at))
    if given.dtype.kind not in "fiu" or given.shape != at.shape:
        raise TypeError(
            f"cdf must give an array of numbers for one, of the same shape, got {given!r}"
        )
    values = given.astype(np.float64)
    if not np.all((values >= -_NOISE) & (values <= 1 + _NOISE)):
        _refuse("be in [0, 1]", values)
    ordered = np.maximum.accumulate(np.clip(values, 0.0, 1.0))
    if np.any(ordered - values > _NOISE):
        _refuse("not fall", values)
    return ordered


def _refuse(expected: str, values: FloatArray) -> NoReturn:
    raise ValueError(f"cdf must {expected}, got values from {values.min():g} to {values.max():g}")


def _pair(p: list[float], q: list[float]) -> DiscretePair:
    kept = [(a, b) for a, b in zip(p, q, strict=True) if a or b]
    return DiscretePair(p=tuple(a for a, _ in kept), q=tuple(b for _, b in kept))
