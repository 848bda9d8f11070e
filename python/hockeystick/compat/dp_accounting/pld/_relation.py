# SPDX-License-Identifier: Apache-2.0
"""Neighbouring relations, by the names that dp_accounting has for them."""

from enum import Enum

from hockeystick.adjacency import Adjacency


class NeighboringRelation(Enum):
    """Which datasets are neighbours; where one is taken, so is dp_accounting's own."""

    ADD_OR_REMOVE_ONE = 1
    REPLACE_ONE = 2
    REPLACE_SPECIAL = 3


def adjacency_of(relation: Enum) -> Adjacency:
    """The same relation in this library's words.

    Raises:
        ValueError: It has none.
    """
    try:
        return Adjacency[relation.name]
    except (AttributeError, KeyError):
        raise ValueError(f"Unsupported neighboring relation: {relation}") from None
