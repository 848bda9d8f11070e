# SPDX-License-Identifier: Apache-2.0
"""Searches on the real line for functions of one known shape."""

import math
from collections.abc import Callable

_GOLDEN = (math.sqrt(5) - 1) / 2


def crossing(
    is_past: Callable[[float], bool], low: float, high: float, halvings: int = 100
) -> float:
    """The upper end of what bisection leaves of [low, high]; `is_past` is false, then true.

    `is_past` is true at the result, unless the result is `high`. Bisection ends after `halvings`
    steps, or where no number lies between the ends.
    """
    for _ in range(halvings):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if is_past(middle) else (middle, high)
    return high


def peak(
    function: Callable[[float], float], low: float, high: float, width: float
) -> tuple[float, float]:
    """The place and the size of the largest value found of a function that rises, then falls.

    Golden sections until the maximum is known to within `width`, by which times its slope the
    value may be too small; where the function is smooth, by the square of that.
    """
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > width:
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
    return (left, at_left) if at_right < at_left else (right, at_right)
