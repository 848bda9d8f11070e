# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known by pairs above and below their hockey-stick curve."""

from typing import ClassVar, NamedTuple

from hockeystick import _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._pair import no_pair

Pairs = tuple[_core.DominatingPair, ...]


class Accuracy(NamedTuple):
    """How closely pairs are to follow a curve."""

    cells: int = 40
    """Points of the curve in a standard deviation of the privacy loss."""
    tail: float = 1e-12
    """Probability that may be left out at each end."""


class EnclosedMechanism(Mechanism):
    """A mechanism with a dominating pair above it and pairs below it, which the core's table knows.

    ``epsilon`` is that of the pair above. ``epsilon_bounds`` also asks the pairs below, each of
    which some data, or some adversary, attains.
    """

    __slots__ = ()
    is_exact: ClassVar[bool] = False

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        return self._enclosing(direction, accuracy, above=True)[0]

    def pairs_below(self, direction: Direction, accuracy: Accuracy) -> Pairs:
        """Pairs that bound what the mechanism costs from below, each by itself."""
        return self._enclosing(direction, accuracy, above=False)

    def _enclosing(self, direction: Direction, accuracy: Accuracy, *, above: bool) -> Pairs:
        return tuple(_core.enclosing_pairs(self, direction.index, *accuracy, above=above))

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """A pair that dominates all neighbours in `direction`."""
        try:
            return self.pair_above(direction, Accuracy())
        except _core.NoPairError as error:
            raise no_pair(self, direction, str(error)) from None
