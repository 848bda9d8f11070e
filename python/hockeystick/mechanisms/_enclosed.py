# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known by pairs above and below their hockey-stick curve."""

from abc import abstractmethod
from typing import ClassVar

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, Terms
from hockeystick.enclosing import Accuracy


class EnclosedMechanism(Mechanism):
    """A mechanism with a dominating pair above it and pairs below it.

    ``epsilon`` is that of the pair above. ``epsilon_bounds`` also asks the pairs below, each of
    which some data, or some adversary, attains.
    """

    __slots__ = ()
    is_exact: ClassVar[bool] = False
    closes: ClassVar[bool]
    """Whether the pairs meet as the accuracy grows. If not, bounds are ``limited_by`` theory."""

    @property
    def run_above(self) -> Terms:
        """Mechanisms, and how often each runs, whose composition dominates it: itself, once."""
        return ((self, 1),)

    @classmethod
    def joined(cls, runs: Terms) -> Terms:
        """A run that dominates those of several mechanisms of this kind: all of them."""
        return runs

    @abstractmethod
    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""

    @abstractmethod
    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """Pairs that bound what the mechanism costs from below, each by itself."""

    def renyi_pairs(self) -> tuple[_core.DominatingPair, _core.DominatingPair] | None:
        """Pairs whose Renyi divergences lie below and above, if ``pair_above`` hides them."""
        return None

    @classmethod
    def bounds_of_run(
        cls,
        runs: Terms,
        question: str,
        points: FloatArray,
        adjacency: Adjacency,
        tolerance: float,
    ) -> tuple[FloatArray, FloatArray] | None:
        """As `bounds_of_one`, of runs of this kind alone."""
        (mechanism, count), *others = runs
        if others or count > 1 or not isinstance(mechanism, cls):
            return None
        return mechanism.bounds_of_one(question, points, adjacency, tolerance)

    def bounds_of_one(
        self, question: str, points: FloatArray, adjacency: Adjacency, tolerance: float
    ) -> tuple[FloatArray, FloatArray] | None:
        """The ends of what the core calls `question`, of one release; None if pairs tell more."""
        del question, points, adjacency, tolerance
        return None

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        return self.pair_above(direction, Accuracy())
