# SPDX-License-Identifier: Apache-2.0
"""Mechanisms whose datasets are compared in directions of their own."""

from dataclasses import dataclass
from typing import Any

import hockeystick as hs
from hockeystick.adjacency import Adjacency, Direction

# Their two directions have one pair, up to the names of outcomes.
_SYMMETRIC = hs.Gaussian, hs.Laplace, hs.DiscreteLaplace, hs.DiscreteGaussian, hs.ApproximateDP


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Compared(hs.Mechanism):
    """A mechanism whose datasets are compared in these directions, whatever the adjacency."""

    mechanism: hs.Mechanism
    forward: Direction
    backward: Direction

    def dominating_pair(self, direction: Direction) -> Any:  # noqa: ANN401
        """The pair of the first direction, or of the second if `direction` is a backward one."""
        return self.mechanism.dominating_pair(self.backward if direction.backward else self.forward)


def under(mechanism: hs.Mechanism, adjacency: Adjacency) -> hs.Mechanism:
    """The mechanism under this adjacency, in runs that are asked about adding or removing one."""
    if adjacency is Adjacency.ADD_OR_REMOVE_ONE:
        return mechanism
    forward, backward = adjacency.directions
    return Compared(mechanism=mechanism, forward=forward, backward=backward)


def turned(mechanism: hs.Mechanism) -> hs.Mechanism:
    """The mechanism with the two directions exchanged."""
    if isinstance(mechanism, _SYMMETRIC):
        return mechanism
    if isinstance(mechanism, hs.DiscretePair):
        return hs.DiscretePair(p=mechanism.q, q=mechanism.p)
    inner, ways = mechanism, (Direction.REMOVE, Direction.ADD)
    if isinstance(mechanism, Compared):
        inner, ways = mechanism.mechanism, (mechanism.forward, mechanism.backward)
    if ways[0] is Direction.REPLACE:
        return mechanism
    return Compared(mechanism=inner, forward=ways[1], backward=ways[0])
