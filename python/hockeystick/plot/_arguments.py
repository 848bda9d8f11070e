# SPDX-License-Identifier: Apache-2.0
"""Validators that only pictures need, in the manner of ``hockeystick._checks``."""

from collections.abc import Sequence
from typing import Any

from hockeystick import _checks
from hockeystick._checks import FloatArray


def line(name: str, array: FloatArray) -> FloatArray:
    """At least two numbers in one dimension, for an axis."""
    if array.ndim != 1 or array.size < 2:  # noqa: PLR2004
        raise ValueError(
            f"{name} must be at least two numbers in one dimension, got shape {array.shape}"
        )
    return array


def some_of(name: str, values: Any, choices: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Some of the strings in `choices`, or one of them."""
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, Sequence):
        expected = "a sequence of some of " + ", ".join(map(repr, choices))
        raise TypeError(f"{name} must be {expected}, got {_checks.show(values)}")
    for value in values:
        _checks.choice(f"each of {name}", value, choices)
    return values
