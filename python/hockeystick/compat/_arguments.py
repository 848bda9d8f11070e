# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that other libraries name otherwise than this one."""

import math
import numbers
import operator
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Kind = TypeVar("Kind")

MAX_COUNT = 10**9
MAX_EPSILON = 1e4
MIN_TOLERANCE = 2e-12
MIN_NOISE = 1e-3


def positive(name: str, value: object) -> float:
    """A finite number > 0."""
    return _number(name, value, "finite and > 0", lambda x: 0 < x < math.inf)


def probability(name: str, value: object) -> float:
    """A number in [0, 1]."""
    return _number(name, value, "in [0, 1]", lambda x: 0 <= x <= 1)


def one_delta(value: object) -> float:
    """A single delta in (0, 1)."""
    return _number("delta", value, "in (0, 1)", lambda x: 0 < x < 1)


def one_epsilon(value: object) -> float:
    """A single epsilon that can be asked about."""
    return _number("epsilon", value, f"in [0, {MAX_EPSILON:g}]", lambda x: 0 <= x <= MAX_EPSILON)


def count(name: str, value: object, low: int = 0) -> int:
    """A whole number of runs, at least `low`; a float may hold it."""
    expected = f"{name} must be a whole number in [{low}, {MAX_COUNT}], got {value!r}"
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        held = float(value)
        value = int(held) if held.is_integer() else value
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(expected) from None
    if isinstance(value, bool):
        raise TypeError(expected)
    if not low <= whole <= MAX_COUNT:
        raise ValueError(expected)
    return whole


def number(name: str, value: object) -> float:
    """A number of any kind, infinite ones included."""
    found = numbers_of(name, value)
    if found.ndim:
        raise TypeError(f"{name} must be one number, got {value!r}")
    return float(found)


def numbers_of(name: str, value: object) -> npt.NDArray[np.float64]:
    """Numbers of any kind, infinite ones included, in the shape given."""
    found = np.asarray(value)
    if found.dtype.kind not in "biufO" or value is None:
        raise TypeError(f"{name} must be a number, got {value!r}")
    found = found.astype(np.float64)
    if np.isnan(found).any():
        raise ValueError(f"{name} must be a number, got {value!r}")
    return found


def instance(name: str, value: object, kind: type[Kind]) -> Kind:
    """An instance of `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of {kind.__name__}, got {value!r}")
    return value


def _number(name: str, value: object, expected: str, accepts: Callable[[float], bool]) -> float:
    message = f"{name} must be {expected}, got {value!r}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(message)
    if not accepts(float(value)):
        raise ValueError(message)
    return float(value)
