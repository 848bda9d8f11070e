# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.common``: parameters, searches, and lists as dictionaries."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from hockeystick.compat.dp_accounting.pld._offered import refuse

FloatArray = npt.NDArray[np.float64]
ArrayLike = FloatArray | list[float]
_FARTHEST = 1e300  # of a search without an upper bound


@dataclass
class DifferentialPrivacyParameters:
    """An (epsilon, delta) guarantee."""

    epsilon: float
    delta: float = 0

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise ValueError(f"epsilon must be >= 0, got {self.epsilon}")
        if not 0 <= self.delta <= 1:
            raise ValueError(f"delta must be in [0, 1], got {self.delta}")


@dataclass
class BinarySearchParameters:
    """The domain and the tolerance of ``inverse_monotone_function``."""

    lower_bound: float
    upper_bound: float
    initial_guess: float | None = None
    tolerance: float = 1e-7
    discrete: bool = False


def inverse_monotone_function(
    func: Callable[[float], float],
    value: float,
    search_parameters: BinarySearchParameters,
    increasing: bool = False,
) -> float | None:
    """An x with func(x) <= value, within the tolerance of the extreme one; None if out of range.

    The extreme one is the smallest of a falling function and the largest of an increasing one.
    """
    low, high = search_parameters.lower_bound, search_parameters.upper_bound

    def at_low_side(x: float) -> bool:
        return (func(x) <= value) == increasing

    end = low if increasing else high
    if math.isfinite(end) and func(end) > value:
        return None
    guess = search_parameters.initial_guess
    if guess is not None:
        while guess < min(high, _FARTHEST) and at_low_side(guess):
            low, guess = guess, 2 * guess
        high = min(high, guess)
    if not high < _FARTHEST:
        raise ValueError(
            f"upper_bound must be finite, or initial_guess one from which doubling finds func's "
            f"value, got {search_parameters}"
        )
    discrete = search_parameters.discrete
    tolerance = 1 if discrete else search_parameters.tolerance
    while high - low > tolerance:
        middle = (high + low) // 2 if discrete else (high + low) / 2
        if middle in {low, high}:
            break  # they are neighbours
        if at_low_side(middle):
            low = middle
        else:
            high = middle
    return low if increasing else high


def dictionary_to_list(input_dictionary: Mapping[int, float]) -> tuple[int, list[float]]:
    """The smallest key, and the values from there to the largest key, 0 where there is none."""
    first, last = min(input_dictionary), max(input_dictionary)
    return first, [input_dictionary.get(k, 0) for k in range(first, last + 1)]


def list_to_dictionary(
    input_list: Sequence[float] | FloatArray, offset: int, tail_mass_truncation: float = 0
) -> dict[int, float]:
    """Position plus offset to value, for positive values; each end less half the tail mass."""
    values = np.asarray(input_list, dtype=np.float64)
    half = tail_mass_truncation / 2
    first = int(np.searchsorted(np.cumsum(values) > half, True)) if values.size else 0
    last = values.size - int(np.argmax(np.cumsum(values[::-1]) > half)) if values.size else 0
    if first == values.size:
        return {}
    return {k + offset: values[k].item() for k in range(first, last) if values[k] > 0}


def compute_self_convolve_bounds(
    input_list: Sequence[float] | FloatArray,
    num_times: int,
    tail_mass_truncation: float = 0,
    orders: Sequence[float] | None = None,
) -> tuple[int, int]:
    """First and last position of the convolution's result outside which little mass lies.

    By Chernoff's inequality at the given orders, each end less half of `tail_mass_truncation`.
    """
    values = np.asarray(input_list, dtype=np.float64)
    low, high = 0, (values.size - 1) * num_times
    if tail_mass_truncation == 0:
        return low, high
    if orders is None:
        orders = [k / values.size for k in range(-20, 21) if k]
    positions = np.arange(values.size)
    for order in orders:
        logs = np.log(values, where=values > 0, out=np.full(values.shape, -np.inf))
        log_moment = num_times * np.logaddexp.reduce(positions * order + logs)
        bound = float(log_moment + math.log(2 / tail_mass_truncation)) / order
        if not math.isfinite(bound):
            continue
        if order > 0:
            high = min(high, math.ceil(bound))
        else:
            low = max(low, math.floor(bound))
    return low, high


def __getattr__(name: str) -> NoReturn:
    """Refuses a name that is not offered."""
    refuse(f"module {__name__!r}", name)
