# SPDX-License-Identifier: Apache-2.0
"""Dominating pairs of the core, one object for equal ones that were asked for lately."""

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism


def described_pair(mechanism: Mechanism, direction: Direction) -> _core.DominatingPair:
    """The pair that dominates the mechanism, by the core's table of mechanisms.

    Raises:
        ValueError: No such pair is known.
        TypeError: `direction` is none.
    """
    _checks.instance("direction", direction, Direction)
    try:
        return _core.described_pair(mechanism, direction.index)
    except _core.NoPairError as error:
        raise no_pair(mechanism, direction, str(error)) from None


def no_pair(mechanism: Mechanism, direction: Direction, reason: str = "") -> ValueError:
    """The error of a mechanism that is not defined for the adjacency asked for."""
    because = f": {reason}" if reason else ""
    refused, instead = "add-or-remove-one", "replace-one"
    if direction.replaces:
        refused, instead = instead, refused
    return ValueError(
        f"adjacency must be one that {mechanism!r} is defined for, not {refused!r}{because}; "
        f'pass adjacency="{instead}" or "replace-special"'
    )
