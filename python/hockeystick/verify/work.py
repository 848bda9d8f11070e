# SPDX-License-Identifier: Apache-2.0
"""The work of a verification, counted, so that no question goes on without end."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from flint import ctx

from hockeystick.verify.errors import NotKnownError

PLAIN = 256  # bits
EXPONENTIAL = 8  # units of a complex exponential; a product and a sum are one
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)


@contextmanager
def bounded(most: float) -> Iterator[list[float]]:
    """At most this many units are spent inside; yields what is left of them."""
    left = [most]
    token = _left.set(left)
    try:
        yield left
    finally:
        _left.reset(token)


def spend(units: float) -> None:
    """Count work before it is done, in proportion to the precision where that is high.

    Raises:
        NotKnownError: There is not as much left.
    """
    left = _left.get()
    if left is None:
        return
    left[0] -= units * max(1.0, ctx.prec / PLAIN)
    if left[0] < 0:
        raise NotKnownError("it takes more work than is allowed: evaluations of integrands")
