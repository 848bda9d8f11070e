# SPDX-License-Identifier: Apache-2.0
"""Names and keywords of version 0.1.0 that are still taken, with a warning."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from warnings import warn


def renamed(old: str, new: str, level: int = 3) -> None:
    """Warn the caller of the caller that `old` has another name now."""
    warn(f"{old} is called {new} now", DeprecationWarning, stacklevel=level)


def keyword(given: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """The keywords given, with the new name for the old one."""
    if old not in given:
        return dict(given)
    renamed(old, new, 5)
    return {new if name == old else name: value for name, value in given.items()}


class PldErrorBudget(NamedTuple):
    """What was the ``error_budget`` of a privacy loss distribution."""

    slack: float
    loss_error: float
