# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known by pairs above and below their hockey-stick curve."""

from typing import ClassVar

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, Terms
from hockeystick.enclosing import Accuracy, Told
from hockeystick.mechanisms._pair import enclosing_pairs, indices, pairs_besides, row


class EnclosedMechanism(Mechanism):
    """A mechanism with a dominating pair above it and pairs below it.

    ``epsilon`` is that of the pair above. ``epsilon_bounds`` also asks the pairs below, each of
    which some data, or some adversary, attains.
    """

    __slots__ = ()
    is_exact: ClassVar[bool] = False
    closes: ClassVar[bool]
    """Whether the pairs meet as the accuracy grows. If not, bounds are ``limited_by`` theory."""
    is_sampled: ClassVar[bool] = False
    """Whether it has steps that would cost as much, or more, if nothing were sampled."""

    @property
    def run_above(self) -> Terms:
        """Mechanisms, and how often each runs, whose composition dominates it: itself, once."""
        return ((self, 1),)

    @classmethod
    def joined(cls, runs: Terms) -> Terms:
        """A run that dominates those of several mechanisms of this kind: all of them."""
        return runs

    @property
    def is_listed(self) -> bool:
        """Whether the core's table tells all of it, also of what it runs."""
        return True

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        return enclosing_pairs(self, direction, accuracy, above=True)[0]

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """Pairs that bound what the mechanism costs from below, each by itself."""
        return enclosing_pairs(self, direction, accuracy, above=False)

    def pairs_besides(
        self, direction: Direction, accuracy: Accuracy, told: Told
    ) -> tuple[_core.DominatingPair, _core.DominatingPair] | None:
        """Pairs below and above of what ``pair_above`` hides; None if it does not.

        Of moments and the mass at +inf, from the curve as well if "far", or of the "largest" loss.
        """
        return pairs_besides(self, direction, accuracy, told) if self.is_listed else None

    @classmethod
    def bounds_of_run(
        cls,
        runs: Terms,
        question: str,
        points: FloatArray,
        adjacency: Adjacency,
        tolerance: float,
    ) -> tuple[FloatArray, FloatArray] | None:
        """The ends of what the core calls `question`, of runs of this kind alone.

        None if pairs tell more.
        """
        if question not in ("epsilon_bounds", "delta_bounds"):
            return None
        if not all(one.is_listed for one, _ in runs if isinstance(one, EnclosedMechanism)):
            return None
        terms = [(*row(one), count) for one, count in runs]
        return _core.known_alone(
            terms, question == "epsilon_bounds", indices(adjacency), points, tolerance
        )

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        return self.pair_above(direction, Accuracy())
