# SPDX-License-Identifier: Apache-2.0
"""The work of a verification, counted, so that no question goes on without end.

A unit is a microsecond of one quiet core of 2023 at up to 256 bits.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from flint import ctx

from hockeystick.verify.errors import NotKnownError

PLAIN = 256  # bits
EXPONENTIAL = 2.5  # units of a complex exponential
PRODUCT = 0.08  # of a complex product and a sum, within a product of matrices
POINT = 10.0  # of what Python does at a point, some five operations
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)


@contextmanager
def bounded(most: float) -> Iterator[list[float]]:
    """At most this many units are spent inside, and no more than are left; yields the rest."""
    outside = _left.get()
    allowed = most if outside is None else min(most, outside[0])
    left = [allowed]
    token = _left.set(left)
    try:
        yield left
    finally:
        _left.reset(token)
        if outside is not None:
            outside[0] -= allowed - left[0]


def spend(units: float) -> None:
    """Count work before it is done, in proportion to the precision where that is high.

    Raises:
        NotKnownError: There is not as much left.
    """
    left = _left.get()
    if left is not None:
        afford(units)
        left[0] -= units * max(1.0, ctx.prec / PLAIN)


def remaining() -> float:
    """How much is left."""
    left = _left.get()
    return math.inf if left is None else left[0]


def afford(units: float) -> None:
    """Ask whether there is as much left for what is counted later, piece by piece.

    Raises:
        NotKnownError: There is not.
    """
    left = _left.get()
    if left is not None and units * max(1.0, ctx.prec / PLAIN) > left[0]:
        raise NotKnownError("it takes more work than is allowed: evaluations of integrands")
