# SPDX-License-Identifier: Apache-2.0
"""Distributions of finitely many outcomes, as counts or as probabilities."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hockeystick import _checks

MAX_OUTCOMES = 10**6
MAX_COUNTS = 2**53
SUM_TOLERANCE = 1e-9

Weights = tuple[float, ...] | tuple[int, ...]


def distributions(**given: object) -> tuple[Weights, ...]:
    """Equally long distributions: all of counts, or else each of probabilities that sum to 1."""
    arrays = {name: _outcomes(name, values) for name, values in given.items()}
    (first, model), *others = arrays.items()
    for name, array in others:
        if array.size != model.size:
            raise ValueError(
                f"{name} must have the length of {first}, {model.size}, got {array.size}"
            )
    counts = all(array.dtype.kind in "iu" for array in arrays.values())
    check = _counts if counts else _probabilities
    return tuple(check(name, array) for name, array in arrays.items())


def _outcomes(name: str, values: object) -> npt.NDArray[Any]:
    expected = f"one-dimensional, of 1 to {MAX_OUTCOMES} numbers"
    _checks.refuse_masked(name, values)
    try:
        array: npt.NDArray[Any] = np.asarray(values)
    except ValueError:  # ragged
        raise ValueError(f"{name} must be {expected}, got {_checks.show(values, 80)}") from None
    if array.dtype.kind == "O" and all(
        _checks.is_number(x) and type(x) is not int for x in array.flat
    ):
        array = np.array([_checks.real(name, x) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "fiu" or (
        isinstance(values, list | tuple) and bool in set(map(type, values))
    ):
        raise TypeError(f"{name} must be {expected}, got {_checks.show(values, 80)}")
    if array.ndim != 1 or not 1 <= array.size <= MAX_OUTCOMES:
        raise ValueError(f"{name} must be {expected}, got the shape {array.shape}")
    good = (array >= 0) & (array < np.inf)
    if not good.all():
        raise ValueError(f"{name} must be finite and >= 0, got {array[~good][0].item()!r}")
    return array


def _counts(name: str, array: npt.NDArray[Any]) -> tuple[int, ...]:
    counts: tuple[int, ...] = tuple(array.tolist())
    if not 1 <= sum(counts) <= MAX_COUNTS:
        raise ValueError(
            f"{name} must be counts with a sum in [1, {MAX_COUNTS}], got a sum of {sum(counts)}"
        )
    return counts


def _probabilities(name: str, array: npt.NDArray[Any]) -> tuple[float, ...]:
    probabilities = tuple((array.astype(np.float64) + 0.0).tolist())
    total = math.fsum(probabilities) if max(probabilities) <= 1 else math.inf
    if not abs(total - 1) <= SUM_TOLERANCE:
        got = f"a sum of {total!r}" if total < math.inf else repr(max(probabilities))
        raise ValueError(
            f"{name} must be probabilities that sum to 1 within {SUM_TOLERANCE:g}, got {got}"
        )
    return probabilities
