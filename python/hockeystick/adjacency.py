# SPDX-License-Identifier: Apache-2.0
"""Which pairs of datasets are neighbours, and the directions in which they are compared."""

from enum import Enum


class Direction(Enum):
    """One ordered comparison of neighbours: the first dataset against the second."""

    REMOVE = "remove-one"
    """With the record against without it."""
    ADD = "add-one"
    """Without the record against with it."""
    REPLACE = "replace-one"
    """With one record against with another in its place."""
    REPLACE_BACK = "replace-one (back)"
    """The reverse of REPLACE."""
    SPECIAL_REMOVE = "replace-special"
    """With a record against with a special, empty one in its place."""
    SPECIAL_ADD = "replace-special (back)"
    """The reverse of SPECIAL_REMOVE."""

    __hash__ = object.__hash__  # members are single; Enum's own hashes their names

    @property
    def replaces(self) -> bool:
        """Whether any record may take the place of any other."""
        return self in (Direction.REPLACE, Direction.REPLACE_BACK)

    @property
    def removes(self) -> bool:
        """Whether a record is there first and then not, or no longer one that counts."""
        return self in (Direction.REMOVE, Direction.SPECIAL_REMOVE)

    @property
    def backward(self) -> bool:
        """Whether it is the second of its adjacency: the reverse of another direction."""
        return self in (Direction.ADD, Direction.REPLACE_BACK, Direction.SPECIAL_ADD)


class Adjacency(Enum):
    """Which pairs of datasets are neighbours.

    A guarantee holds for the worst direction of its adjacency. Sensitivities and noise multipliers
    always refer to adding or removing a record. REPLACE_ONE counts a replacement as removing one
    record and adding another, so the means of a Gaussian mechanism then differ by two noise units
    instead of one. Under REPLACE_SPECIAL the special record adds nothing to a sum, so that sums
    change as under ADD_OR_REMOVE_ONE.

    >>> Adjacency("remove-one") is Adjacency.REMOVE_ONE
    True
    """

    ADD_OR_REMOVE_ONE = "add-or-remove-one"
    """The worse of REMOVE_ONE and ADD_ONE."""
    REMOVE_ONE = "remove-one"
    """The dataset against the same with a record removed."""
    ADD_ONE = "add-one"
    """The dataset against the same with a record added."""
    REPLACE_ONE = "replace-one"
    """A record is replaced by any other."""
    REPLACE_SPECIAL = "replace-special"
    """A record is replaced by a special, empty one, or the reverse."""

    __hash__ = object.__hash__  # as in Direction

    @property
    def directions(self) -> tuple[Direction, ...]:
        """The directions of which the worst counts."""
        return _DIRECTIONS[self]


_DIRECTIONS = {
    Adjacency.ADD_OR_REMOVE_ONE: (Direction.REMOVE, Direction.ADD),
    Adjacency.REMOVE_ONE: (Direction.REMOVE,),
    Adjacency.ADD_ONE: (Direction.ADD,),
    Adjacency.REPLACE_ONE: (Direction.REPLACE, Direction.REPLACE_BACK),
    Adjacency.REPLACE_SPECIAL: (Direction.SPECIAL_REMOVE, Direction.SPECIAL_ADD),
}
