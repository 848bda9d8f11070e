# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of which only zero-concentrated differential privacy is known."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, Terms
from hockeystick.enclosing import Accuracy
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import large_pair, pair

LEAST_RHO, MOST_RHO = 1e-24, 9e4
_LEAST_TOLD = 1e-40  # delta at the last point of a curve, or less
_OFF = 2.0**-50  # relative, of the root of a quotient


@dataclass(frozen=True, slots=True, repr=False)
class ZCDP(EnclosedMechanism):
    """Any rho-zero-concentrated mechanism, under whichever adjacency is asked.

    Of such a mechanism the Renyi divergences of all orders a > 1 are at most rho a, in both
    directions. The truth that is enclosed is the smallest epsilon, or delta, that all of them have:
    of a run, with any adaptive choice of them. Several make one whose rho is the sum, which bounds
    them from above (Canonne, Kamath & Steinke). From below bound Gaussians with
    sigma^2 = 1 / (2 rho), and in runs of these alone two outcomes each, which at small deltas close
    the gap of one rho, or of a few. Elsewhere bounds are ``limited_by == "theory"``. Renyi
    divergences and zCDP are exact.

    Losses above 600 nats count as infinite.

    Args:
        rho: In nats; 0 or in [1e-24, 9e4].

    Source: Bun & Steinke (2016), Definition 1.1; Canonne, Kamath & Steinke (2020), Corollary 13.
    That two outcomes attain it: cpp/proofs/zero-concentrated-curve.md.

    >>> census = ZCDP(2.56)
    >>> lower, upper = census.epsilon_bounds(delta=1e-10)
    >>> 17.15 < lower < upper < 17.17
    True
    >>> run = 10 * ZCDP(0.25) + ZCDP(0.06)
    >>> round(run.zcdp(), 9), round(run.epsilon(delta=1e-10) / upper, 9)
    (2.56, 1.0)
    """

    closes: ClassVar[bool] = False
    rho: float

    def __post_init__(self) -> None:
        rho = _checks.zero_or_within("rho", self.rho, LEAST_RHO, MOST_RHO)
        object.__setattr__(self, "rho", rho)

    def simplified(self) -> Mechanism | None:
        """None at rho = 0: the output then ignores the data."""
        return None if self.rho == 0 else self

    @classmethod
    def joined(cls, runs: Terms) -> Terms:
        """One mechanism, whose rho is the sum, rounded up."""
        total = Fraction(0)
        for one, count in runs:
            total += count * Fraction(one.arguments["rho"])
        rho = float(total)
        return ((cls(rho if Fraction(rho) >= total else math.nextafter(rho, math.inf)), 1),)

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair whose curve lies above those of all rho-zCDP mechanisms, in both directions."""
        del direction
        tail = min(accuracy.tail, _LEAST_TOLD)
        return large_pair("zero_concentrated_above", self.rho, accuracy.cells, tail)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """The pair of a Gaussian, of which as many make one."""
        del direction, accuracy
        return (_gaussian(self.rho, 1 + _OFF),)

    def renyi_pairs(self) -> tuple[_core.DominatingPair, _core.DominatingPair]:
        """Those of Gaussians, whose divergences are as large as rho allows at each order."""
        return _gaussian(self.rho, 1 + _OFF), _gaussian(self.rho, 1 - _OFF)

    @classmethod
    def bounds_of_run(
        cls,
        runs: Terms,
        question: str,
        points: FloatArray,
        adjacency: Adjacency,
        tolerance: float,
    ) -> tuple[FloatArray, FloatArray] | None:
        """From below what mechanisms with two outcomes attain, chosen for the question."""
        del adjacency
        if question not in _ORDERS:
            return None
        ask, nothing = getattr(_core, question), 1.0 if question == "delta_bounds" else math.inf
        rhos = [(float(one.arguments["rho"]), count) for one, count in runs]
        total = math.fsum(rho * count for rho, count in rhos)
        lower = np.zeros(points.shape)
        for i, point in enumerate(points.tolist()):
            order = _ORDERS[question](total, point)
            pairs = [(_attaining(rho, order), count) for rho, count in rhos]
            at, limits = np.array([point]), {"memory_limit": DEFAULT_MEMORY_LIMIT}
            lower[i] = ask([pairs], at, tolerance=tolerance, **limits).table()[0][0]
        return lower, np.full(points.shape, nothing)


def _attaining(rho: float, order: float) -> _core.DominatingPair:
    """Two outcomes that do their worst at an order, or a Gaussian where none are known."""
    try:
        return _core.dominating_pair("zero_concentrated_below", (rho, order))
    except ValueError:
        return _gaussian(rho, 1 + _OFF)


def _gaussian(rho: float, off: float) -> _core.DominatingPair:
    return pair("gaussian", max(off / math.sqrt(2 * rho), 1e-3))


def _order_of_epsilon(rho: float, delta: float) -> float:
    """Where the bound on epsilon is least: the t of rho t^2 + log(1 + t) = log(1 / delta)."""
    return _root(lambda t: rho * t * t + math.log1p(t) + math.log(delta))


def _order_of_delta(rho: float, epsilon: float) -> float:
    """Where the bound on delta is least: the t of rho (2 t + 1) - log(1 + 1/t) = epsilon."""
    return _root(lambda t: rho * (2 * t + 1) - math.log1p(1 / t) - epsilon)


_ORDERS = {"epsilon_bounds": _order_of_epsilon, "delta_bounds": _order_of_delta}


def _root(rising: Callable[[float], float]) -> float:
    """Where the function is zero, in (1e-13, 1e18), about."""
    low, high = -30.0, 41.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(math.exp(middle)) < 0 else (low, middle)
    return math.exp(high)
