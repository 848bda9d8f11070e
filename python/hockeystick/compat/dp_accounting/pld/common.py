# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.common``: parameters, searches, and convolutions of lists."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from hockeystick._checks import FloatArray

ArrayLike = FloatArray | list[float]
_FEW = 100  # so short a list is convolved directly


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
    """Where and how finely ``inverse_monotone_function`` searches."""

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
        while guess < high and at_low_side(guess):
            low, guess = guess, 2 * guess
        high = min(high, guess)
    discrete = search_parameters.discrete
    tolerance = 1 if discrete else search_parameters.tolerance
    while high - low > tolerance:
        middle = (high + low) // 2 if discrete else (high + low) / 2
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


def convolve_dictionary(
    dictionary1: Mapping[int, float],
    dictionary2: Mapping[int, float],
    tail_mass_truncation: float = 0,
) -> dict[int, float]:
    """The convolution of two dictionaries with integer keys."""
    first, values = dictionary_to_list(dictionary1)
    second, others = dictionary_to_list(dictionary2)
    return list_to_dictionary(convolved(values, others), first + second, tail_mass_truncation)


def convolved(one: ArrayLike, other: ArrayLike) -> FloatArray:
    """The convolution of two lists."""
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    size = x.size + y.size - 1
    if min(x.size, y.size) <= _FEW:
        return np.convolve(x, y)
    period = 1 << (size - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(x, period) * np.fft.rfft(y, period), period)[:size]


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
        log_moment = num_times * special.logsumexp(positions * order, b=values)
        bound = float(log_moment + math.log(2 / tail_mass_truncation)) / order
        if not math.isfinite(bound):
            continue
        if order > 0:
            high = min(high, math.ceil(bound))
        else:
            low = max(low, math.floor(bound))
    return low, high


def self_convolve(
    input_list: Sequence[float] | FloatArray, num_times: int, tail_mass_truncation: float = 0
) -> tuple[int, FloatArray]:
    """The list convolved with itself, from the position returned first.

    What lies outside ``compute_self_convolve_bounds`` is folded back in where lists are short.
    """
    low, high = compute_self_convolve_bounds(input_list, num_times, tail_mass_truncation)
    period = 1 << (max(high - low + 1, len(input_list)) - 1).bit_length()
    power = np.fft.irfft(np.fft.rfft(input_list, period) ** num_times, period)
    return low, np.maximum(np.roll(power, -low)[: high - low + 1], 0)


def self_convolve_dictionary(
    input_dictionary: Mapping[int, float], num_times: int, tail_mass_truncation: float = 0
) -> dict[int, float]:
    """A dictionary with integer keys convolved with itself."""
    first, values = dictionary_to_list(input_dictionary)
    low, result = self_convolve(values, num_times, tail_mass_truncation)
    return list_to_dictionary(result, first * num_times + low)


def log_a_times_exp_b_plus_c(a: float, b: float, c: float) -> float:
    """log(a e^b + c), without overflow."""
    if a == 0:
        return math.log(c)
    if c == 0:
        return b + math.log(a)
    if b == 0:
        return math.log(a + c)
    if a < 0 and c <= 0:
        raise ValueError(f"a exp(b) + c must be positive: {a}, {b}, {c}.")
    first, second = math.log(abs(a)) + b, math.log(abs(c))
    if a > 0 and c > 0:
        return float(np.logaddexp(first, second))
    return _log_sub(first, second) if a > 0 else _log_sub(second, first)


def log_sinh(a: float) -> float:
    """log(sinh(a)), a >= 0; 0 at 0, where the peer's value is relied on."""
    if not a >= 0:
        raise ValueError(f"a must be non-negative. Got a={a}.")
    return a + math.log(-math.expm1(-2 * a)) - math.log(2) if a else 0


def asinh_exp(a: float, b: float) -> float:
    """asinh(b e^a), without overflow."""
    if b == 0:
        return 0.0
    log_argument = math.log(abs(b)) + a
    value = np.logaddexp(0.5 * np.logaddexp(0, 2 * log_argument), log_argument)
    return math.copysign(float(value), b)


def as_array(x: float | Iterable[float]) -> FloatArray:
    """The numbers as an array of doubles, 0-dimensional of one number."""
    return np.asarray(x, dtype=np.float64)


def _log_sub(a: float, b: float) -> float:
    """log(e^a - e^b), a > b."""
    if b >= a:
        raise ValueError(f"a must be greater than b. Got a={a} and b={b}.")
    return a + math.log(-math.expm1(b - a))
