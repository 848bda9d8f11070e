# SPDX-License-Identifier: Apache-2.0
"""Neighbouring relations by dp_accounting's names, and mechanisms that bring their own."""

from dataclasses import dataclass
from enum import Enum

import hockeystick as hs

# Their two directions have one pair, up to the names of outcomes.
_SYMMETRIC = hs.Gaussian, hs.Laplace, hs.DiscreteLaplace, hs.DiscreteGaussian, hs.ApproximateDP


class NeighboringRelation(Enum):
    """The relation of neighbouring datasets; dp_accounting's own is accepted as well."""

    ADD_OR_REMOVE_ONE = 1
    REPLACE_ONE = 2
    REPLACE_SPECIAL = 3


def adjacency_of(relation: Enum) -> hs.Adjacency:
    """The relation in this library's words.

    Raises:
        ValueError: It has none.
    """
    try:
        return hs.Adjacency[relation.name]
    except (AttributeError, KeyError):
        raise ValueError(f"Unsupported neighboring relation: {relation}") from None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Compared(hs.Mechanism):
    """A mechanism whose datasets are compared in these directions, whatever the adjacency."""

    mechanism: hs.Mechanism
    forward: hs.Direction
    backward: hs.Direction

    def dominating_pair(self, direction: hs.Direction) -> hs.DominatingPair:
        """The pair of the first direction, or of the second if `direction` is a backward one."""
        return self.mechanism.dominating_pair(self.backward if direction.backward else self.forward)


def under(mechanism: hs.Mechanism, adjacency: hs.Adjacency) -> hs.Mechanism:
    """The mechanism under this adjacency, in runs that are asked about adding or removing one."""
    if adjacency is hs.Adjacency.ADD_OR_REMOVE_ONE:
        return mechanism
    forward, backward = adjacency.directions
    return Compared(mechanism=mechanism, forward=forward, backward=backward)


def turned(mechanism: hs.Mechanism) -> hs.Mechanism:
    """The mechanism with the two directions exchanged."""
    if isinstance(mechanism, _SYMMETRIC):
        return mechanism
    if isinstance(mechanism, hs.DiscretePair):
        return hs.DiscretePair(p=mechanism.q, q=mechanism.p)
    inner, directions = mechanism, (hs.Direction.REMOVE, hs.Direction.ADD)
    if isinstance(mechanism, Compared):
        inner, directions = mechanism.mechanism, (mechanism.forward, mechanism.backward)
    if directions[0] is hs.Direction.REPLACE:
        return mechanism
    return Compared(mechanism=inner, forward=directions[1], backward=directions[0])
