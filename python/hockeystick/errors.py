# SPDX-License-Identifier: Apache-2.0
"""Errors: a certificate out of reach, a stale ledger, a missing extra."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hockeystick._core import InternalError
from hockeystick.bounds import Bounds

__all__ = ["BudgetExceeded", "CertificationError", "InternalError", "StaleLedgerError"]


class CertificationError(RuntimeError):
    """The bounds could not be brought within the tolerance; the best ones found are attached.

    The bounds are valid, only wider than asked for. They are of the quantity asked for.
    """

    def __init__(self, message: str, bounds: Bounds[Any], limited_by: str) -> None:
        super().__init__(message, bounds, limited_by)  # all three, for pickle

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def bounds(self) -> Bounds[Any]:
        """The best bounds found, for the whole query."""
        return self.args[1]  # type: ignore[no-any-return]

    @property
    def limited_by(self) -> str:
        """The reason why the bounds are not closer.

        "memory_limit", the argument; "rounding", of binary64; or "passes", the work that one
        question may do, which is counted and not timed.
        """
        return str(self.args[2])


def best_bounds(ask: Callable[..., Bounds[Any]], *given: object, **limits: object) -> Bounds[Any]:
    """Lower and upper, however far apart, for those who show how far."""
    try:
        return ask(*given, **limits)
    except CertificationError as error:
        return error.bounds


class StaleLedgerError(RuntimeError):
    """The ledger on disk is not the one that was loaded, or never was; nothing was written.

    Writing would lose what it holds.
    """


class BudgetExceeded(RuntimeError):  # noqa: N818, as users of filters call it
    """A step would exceed the budget of a filter; nothing was entered, and it must not be run."""


@contextmanager
def of_extra(name: str) -> Iterator[None]:
    """Imports that an extra installs, which is named where they fail."""
    try:
        yield
    except ModuleNotFoundError as error:
        said = f"{error}; it comes with the extra hockeystick[{name}]"
        raise ModuleNotFoundError(said, name=error.name) from None
