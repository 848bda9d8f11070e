# SPDX-License-Identifier: Apache-2.0
"""A composition, and the three numbers of an answer about it."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick import outward
from hockeystick.compat import _arguments
from hockeystick.given_cdf import Enclosed
from hockeystick.limits import DEFAULT_TOLERANCE

Answer = tuple[float, float, float]
FloatArray = npt.NDArray[np.float64]

_COARSE = 1e-2  # where the grid of a mechanism of one's own costs more than that
_FINE = 1e-10


class Composed(NamedTuple):
    """Between what the runs are, and what the bounds have to allow for."""

    more_private: hs.Composition
    less_private: hs.Composition
    shift: float  # of epsilon, for the lower bound
    missed: float  # of delta, by the lower bound
    allowed: float  # of delta, on either side, for what is given by cdf

    @classmethod
    def of(cls, parts: Iterable[tuple[Enclosed, int]], allowed: float = 0.0) -> "Composed":
        """The composition of the given numbers of runs of each part."""
        runs = list(parts)
        return cls(
            sum((n * part.more_private for part, n in runs), hs.Composition()),
            sum((n * part.less_private for part, n in runs), hs.Composition()),
            shift=_weighted((n, part.shift) for part, n in runs),
            missed=_weighted((n, part.missed) for part, n in runs),
            allowed=allowed,
        )

    def epsilon(self, delta: float, widest: float) -> Answer:
        """Bounds on epsilon that are at most `widest` apart, and their middle.

        Raises:
            CertificationError: They are farther apart; carries the best bounds.
        """
        first = _COARSE if self.allowed else DEFAULT_TOLERANCE
        most = widest / 16 if self.allowed else widest  # rounding takes most of it

        def ask(run: hs.Composition, at: float) -> hs.Bounds[float]:
            try:
                bounds = run.epsilon_bounds(at, **_options(first))
                if not bounds.gap > most:  # also where both are infinite
                    return bounds
                return run.epsilon_bounds(at, **_options(most / bounds.upper))
            except hs.CertificationError as error:
                if error.bounds.gap <= most:  # where epsilon is next to 0
                    return error.bounds
                raise

        more = outward.total([delta, self.allowed, self.missed], above=True)
        less = outward.difference(delta, self.allowed, above=False)
        lower = ask(self.more_private, more).lower if more < 1 else 0.0
        upper = ask(self.less_private, less).upper if less > 0 else math.inf
        return _answer(max(0.0, outward.difference(lower, self.shift, above=False)), upper)

    def delta(self, epsilon: float, widest: float) -> Answer:
        """Bounds on delta that are at most `widest` times the upper one apart, and their middle.

        Raises:
            CertificationError: They are farther apart; carries the best bounds.
        """
        first = _COARSE if self.allowed else DEFAULT_TOLERANCE
        options = _options(min(first, widest / 2))

        def ask(run: hs.Composition, at: float) -> hs.Bounds[float]:
            try:
                return run.delta_bounds(at, **options)
            except hs.CertificationError as error:
                if error.bounds.gap <= self.allowed:
                    return error.bounds
                raise

        upper = ask(self.less_private, epsilon).upper
        shifted, lower = outward.sum_of(epsilon, self.shift, above=True), 0.0
        if shifted <= _arguments.MAX_EPSILON:
            lower = ask(self.more_private, shifted).lower
        lower = max(0.0, outward.total([lower, -self.allowed, -self.missed], above=False))
        return _answer(lower, min(1.0, outward.sum_of(upper, self.allowed, above=True)))

    def tradeoff(self, fpr: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bounds on the false negative rates at these rates, and their middle.

        A rate f(x) is the largest of 1 - delta(e) - x exp(e) over all e, so that what the deltas
        allow for comes off one end and is added to the other, and a shift of e scales x.
        """

        def ask(run: hs.Composition, rates: FloatArray) -> hs.Bounds[FloatArray]:
            try:
                return run.tradeoff_bounds(rates, adjacency=hs.Adjacency.REMOVE_ONE)
            except hs.CertificationError as error:
                return error.bounds

        lower = ask(self.less_private, fpr).lower
        at = outward.product(fpr, outward.exp(-self.shift, above=False), above=False)
        more = outward.sum_of(self.allowed, self.missed, above=True)
        upper = outward.sum_of(ask(self.more_private, at).upper, more, above=True)
        lower = np.maximum(outward.difference(lower, self.allowed, above=False), 0.0)
        upper = np.minimum(upper, 1.0)
        return lower, lower + (upper - lower) / 2, upper

    def estimate(self, wanted: str, at: float) -> float:
        """An epsilon or a delta between those of the two runs; an estimate, no bound."""
        ends = []
        for run in (self.more_private, self.less_private):
            try:
                bounds = getattr(run, f"{wanted}_bounds")(at, **_options(_FINE))
            except hs.CertificationError as error:
                bounds = error.bounds
            ends += [bounds.lower, bounds.upper]
        return ends[0] + (ends[-1] - ends[0]) / 2 if ends[0] < math.inf else math.inf


def _options(width: float) -> dict[str, Any]:
    narrowest = _arguments.MIN_TOLERANCE
    return {"adjacency": hs.Adjacency.REMOVE_ONE, "tolerance": max(width, narrowest)}


def _answer(lower: float, upper: float) -> Answer:
    return lower, lower + (upper - lower) / 2 if upper < math.inf else lower, upper


def _weighted(terms: Iterable[tuple[int, float]]) -> float:
    """The sum of these products >= 0, or more."""
    return outward.total([outward.product(n, x, above=True) for n, x in terms], above=True)
