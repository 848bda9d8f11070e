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


@lru_cache(maxsize=16)
def large_pair(name: str, *parameters: float) -> _core.DominatingPair:
    """As `pair`, for pairs that may take much memory: few are kept."""
    return _core.dominating_pair(name, parameters)


@lru_cache(maxsize=64)
def allocated_pair(
    step: _core.DominatingPair, steps: int, cells: int, tail: float, *, above: bool, back: bool
) -> _core.DominatingPair:
    """A pair above or below that of a step which each record joins once in `steps`."""
    return _core.allocated_pair(step, steps, cells, tail, above=above, back=back)


def sampled_atoms(
    mechanism: Mechanism, direction: Direction, name: str, *parameters: float
) -> _core.DominatingPair:
    """The Poisson-sampled form of a discrete pair; the sampling probability comes last."""
    if direction.replaces:
        reason = "no pair is proved to dominate it on a Poisson subsample"
        raise no_pair(mechanism, direction, reason)
    return large_pair(f"poisson_{name}_{direction.form}", *parameters)


def no_pair(mechanism: Mechanism, direction: Direction, reason: str = "") -> ValueError:
    """The error of a mechanism that is not defined for the adjacency asked for."""
    because = f": {reason}" if reason else ""
    return ValueError(
        f"adjacency must be one that {mechanism!r} is defined for, got {direction.value!r}{because}"
    )
