# SPDX-License-Identifier: Apache-2.0
"""Dominating pairs of the core, one object for equal ones."""

from functools import lru_cache

from hockeystick import _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism


@lru_cache(maxsize=1024)
def pair(name: str, *parameters: float) -> _core.DominatingPair:
    """The pair registered in the core under `name`."""
    return _core.dominating_pair(name, parameters)


def no_pair(mechanism: Mechanism, direction: Direction, reason: str = "") -> ValueError:
    """The error of a mechanism that is not defined for the adjacency asked for."""
    because = f": {reason}" if reason else ""
    return ValueError(
        f"adjacency must be one that {mechanism!r} is defined for, got {direction.value!r}{because}"
    )
