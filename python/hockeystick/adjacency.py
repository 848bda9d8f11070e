# SPDX-License-Identifier: Apache-2.0
"""Which pairs of datasets are neighbours, and the directions in which they are compared."""

from contextlib import suppress
from enum import Enum, EnumMeta
from typing import TYPE_CHECKING, Self

from hockeystick import _checks
from hockeystick._neighbours import likely


class Direction(Enum):
    """One order of two neighbours: the first dataset against the second."""

    REMOVE = "remove-one", "remove"
    """With the record against without it."""
    ADD = "add-one", "add"
    """Without the record against with it."""
    REPLACE = "replace-one", "replace"
    """With one record against with another in its place."""
    REPLACE_BACK = "replace-one (back)", "replace"
    """The reverse of REPLACE."""
    SPECIAL_REMOVE = "replace-special", "remove"
    """With a record against with a special, empty one in its place."""
    SPECIAL_ADD = "replace-special (back)", "add"
    """The reverse of SPECIAL_REMOVE."""

    if not TYPE_CHECKING:
        __hash__ = object.__hash__  # members are single; Enum's own hashes their names
    _value_: str
    index: int
    """Its place in the core's table of directions."""
    form: str
    """ "replace" if any record may take the place of any other. Else "remove" if a record is there
    first and then not, or no longer one that counts, or "add" for the reverse."""

    def __new__(cls, value: str, form: str) -> Self:  # noqa: D102
        direction = object.__new__(cls)
        direction._value_, direction.form = value, form
        direction.index = len(cls.__members__)
        return direction

    @property
    def replaces(self) -> bool:
        """Whether any record may take the place of any other."""
        return self.form == "replace"

    @property
    def reversed(self) -> "Direction":
        """The direction with the two datasets in each other's place."""
        every = list(Direction)
        return every[every.index(self) ^ 1]

    @property
    def backward(self) -> bool:
        """Whether it is the second of its adjacency: the reverse of another direction."""
        return self in (Direction.ADD, Direction.REPLACE_BACK, Direction.SPECIAL_ADD)


_NEIGHBOURS = {
    **dict.fromkeys(("add-remove", "add-or-remove", "unbounded"), "add-or-remove-one"),
    **dict.fromkeys(("substitution", "substitute", "replace", "replacement"), "replace-one"),
    **dict.fromkeys(("bounded", "swap", "change-one"), "replace-one"),
    "zero-out": "replace-special",
    "remove": "remove-one",
    "add": "add-one",
}


class _Names(EnumMeta):
    """The names of adjacencies, which say what there is where one is not."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> "Adjacency":
            with suppress(AttributeError):
                return super().__getattr__(name)  # members, of Python 3.11
            own = name.lower().replace("_", "-")
            raise AttributeError(
                name if name[0] == "_" else cls.refusal(name, _NEIGHBOURS.get(own, own))
            )


class Adjacency(Enum, metaclass=_Names):
    """Which pairs of datasets are neighbours.

    A guarantee holds for the worst direction of its adjacency. Sensitivities and noise multipliers
    always refer to adding or removing a record. REPLACE_ONE counts a replacement as removing one
    record and adding another, so the means of a Gaussian mechanism then differ by two noise units
    instead of one. Under REPLACE_SPECIAL the special record adds nothing to a sum, so that sums
    change as under ADD_OR_REMOVE_ONE.

    Wherever an adjacency is taken, its name is taken as well, in any spelling: "remove-one",
    "remove_one" or "REMOVE_ONE". So are the names that others have for them: "add-remove" and
    "unbounded" for ADD_OR_REMOVE_ONE, "substitution", "swap" and "bounded" for REPLACE_ONE.

    >>> Adjacency("remove-one") is Adjacency("REMOVE_ONE") is Adjacency.REMOVE_ONE
    True
    """

    ADD_OR_REMOVE_ONE = "add-or-remove-one", Direction.REMOVE, Direction.ADD
    """The worse of REMOVE_ONE and ADD_ONE."""
    REMOVE_ONE = "remove-one", Direction.REMOVE
    """The dataset against the same with a record removed."""
    ADD_ONE = "add-one", Direction.ADD
    """The dataset against the same with a record added."""
    REPLACE_ONE = "replace-one", Direction.REPLACE, Direction.REPLACE_BACK
    """A record is replaced by any other."""
    REPLACE_SPECIAL = "replace-special", Direction.SPECIAL_REMOVE, Direction.SPECIAL_ADD
    """A record is replaced by a special, empty one, or the reverse."""

    if not TYPE_CHECKING:
        __hash__ = object.__hash__  # as in Direction
    _value_: str
    index: int
    """Its place in the table of adjacencies of the core."""
    directions: tuple[Direction, ...]
    """The directions of which the worst counts."""

    def __new__(cls, value: str, *directions: Direction) -> Self:  # noqa: D102
        adjacency = object.__new__(cls)
        adjacency._value_, adjacency.directions = value, directions
        adjacency.index = len(cls.__members__)
        return adjacency

    @classmethod
    def _missing_(cls, value: object) -> "Adjacency":
        name = value.lower().replace("_", "-") if isinstance(value, str) else ""
        name = _NEIGHBOURS.get(name, name)
        for one in cls:
            if one.value == name:
                return one
        raise ValueError(cls.refusal(value, name))

    @classmethod
    def refusal(cls, value: object, name: str = "") -> str:
        """The message of what is no adjacency, and which one was meant."""
        names = [one.value for one in cls]
        hint = likely(name, names) if name else ""
        listed = ", ".join(map(repr, names))
        return f"adjacency must be one of {listed}, got {_checks.show(value)}{hint}"

    @property
    def in_words(self) -> str:
        """The difference of neighbouring datasets in words: "a record is added or removed"."""
        return _IN_WORDS[self]

    @property
    def symmetric(self) -> "Adjacency":
        """The adjacency of both directions, where one direction is the reverse of the other."""
        return self if self.reversed is self else Adjacency.ADD_OR_REMOVE_ONE

    @property
    def with_record(self) -> "Adjacency":
        """The adjacency of attacks on a record, which start from the data that hold the record."""
        return self.reversed if self is Adjacency.ADD_ONE else self

    @property
    def reversed(self) -> "Adjacency":
        """The adjacency with the two datasets in each other's place."""
        swapped = {Adjacency.REMOVE_ONE: Adjacency.ADD_ONE, Adjacency.ADD_ONE: Adjacency.REMOVE_ONE}
        return swapped.get(self, self)


_IN_WORDS = {
    Adjacency.ADD_OR_REMOVE_ONE: "a record is added or removed",
    Adjacency.REMOVE_ONE: "a record is removed",
    Adjacency.ADD_ONE: "a record is added",
    Adjacency.REPLACE_ONE: "a record is replaced by any other",
    Adjacency.REPLACE_SPECIAL: "a record is replaced by a special, empty one, or the reverse",
}

AdjacencyLike = Adjacency | str


def adjacency_of(value: object) -> Adjacency:
    """The adjacency, or that of the name, in any spelling."""
    if isinstance(value, str):
        return Adjacency(value)
    if not isinstance(value, Adjacency):
        raise TypeError(Adjacency.refusal(value))
    return value
