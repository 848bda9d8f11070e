# SPDX-License-Identifier: Apache-2.0
"""Neighbouring relations, dp_accounting's own where it is installed."""

from enum import Enum

from hockeystick.adjacency import Adjacency

__all__ = ["NeighboringRelation", "adjacency_of"]

try:
    from dp_accounting.privacy_accountant import NeighboringRelation
except ImportError:

    class NeighboringRelation(Enum):  # type: ignore[no-redef]
        """Which datasets are neighbours."""

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
