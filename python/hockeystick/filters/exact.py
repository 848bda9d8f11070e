# SPDX-License-Identifier: Apache-2.0
"""Rational numbers: what users give taken exactly, and doubles next to what was computed."""

import math
from decimal import Decimal
from fractions import Fraction

from hockeystick import _checks

Amount = float | str | Decimal | Fraction
"""A number, taken at its exact value: "0.1" is a tenth, 0.1 the double next to it."""

_LARGEST_EXPONENT = 400  # beyond that of any double; a fraction of it would fill the memory


def rational(name: str, value: Amount, interval: str) -> Fraction:
    """A number in an interval such as "[0, 1)", at its exact value.

    Raises:
        ValueError: It is no number in the interval.
        TypeError: It is no number.
    """
    low, high = map(Fraction, interval[1:-1].split(", "))
    try:
        exact = _exact(name, value)
    except (ValueError, ArithmeticError):
        exact = None
    if exact is None or not low <= exact <= high or (exact == high and interval[-1] == ")"):
        raise ValueError(f"{name} must be in {interval}, got {_checks.show(value)}")
    return exact


def _exact(name: str, value: Amount) -> Fraction:
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, str | Decimal):
        return Fraction(_checks.real(name, value))
    if isinstance(value, str) and "/" in value:
        return Fraction(value)
    number = Decimal(value)
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError
    return Fraction(number)


def double_below(exact: Fraction) -> float:
    """The largest double that is at most `exact`, 0 <= exact <= the largest double."""
    nearest = float(exact)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > exact else nearest


def root_below(square: Fraction) -> float:
    """The largest double whose square is at most `square`."""
    root = math.sqrt(square)
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0.0)
    while Fraction(larger := math.nextafter(root, math.inf)) ** 2 <= square:
        root = larger
    return root


def root_above(square: Fraction) -> float:
    """The smallest double whose square is at least `square`."""
    root = root_below(square)
    return root if Fraction(root) ** 2 == square else math.nextafter(root, math.inf)
