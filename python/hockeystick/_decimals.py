# SPDX-License-Identifier: Apache-2.0
"""Bounds in decimal, never rounded inward."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Literal

_MIN_DIGITS = 5
_MAX_DIGITS = 6
_LEAST_PLAIN = -4  # exponent, as of floats
_SPEC = re.compile(r"\d*\.(?P<precision>\d{1,3})(?P<kind>[eEfFgG]?)")
_EXACT = Context(prec=2000)  # a subnormal's digits go this far down


def outward(lower: float, upper: float) -> tuple[str, str]:
    """Both bounds in decimal, rounded outward, with digits to tell them apart: five or six."""
    if not math.isfinite(upper) or upper == 0:
        return repr(lower), repr(upper)
    gap = (upper - lower) / upper
    digits = 1 + math.ceil(-math.log10(gap)) if gap > 0 else _MAX_DIGITS
    digits = min(max(digits, _MIN_DIGITS), _MAX_DIGITS)
    last = Decimal(1).scaleb(Decimal(upper).adjusted() - digits + 1)
    low = Decimal(lower).quantize(last, rounding=ROUND_FLOOR, context=_EXACT)
    high = Decimal(upper).quantize(last, rounding=ROUND_CEILING, context=_EXACT)
    return _decimal(low), _decimal(high)


def rounded(bound: float, side: Literal["lower", "upper"]) -> str:
    """A bound in decimal, rounded away from the truth."""
    if not math.isfinite(bound):
        return repr(bound)
    rounding = ROUND_FLOOR if side == "lower" else ROUND_CEILING
    return _decimal(Context(prec=_MIN_DIGITS, rounding=rounding).create_decimal_from_float(bound))


def formatted(bound: float, spec: str, side: Literal["lower", "upper"]) -> str:
    """A bound in a format that has a precision, rounded away from the truth.

    Raises:
        ValueError: `spec` is not of the form [width].precision[e, f or g].
    """
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"format must be as '.3f', '10.2e' or '.4g', got {spec!r}")
    precision, kind = int(found["precision"]), found["kind"] or "g"
    if not math.isfinite(bound):
        return format(bound, spec)
    rounding = ROUND_FLOOR if side == "lower" else ROUND_CEILING
    if kind in "fF":
        last = Decimal(1).scaleb(-precision)
        value = Decimal(bound).quantize(last, rounding=rounding, context=_EXACT)
    else:
        digits = max(precision + (kind in "eE"), 1)
        value = Context(prec=digits, rounding=rounding).create_decimal_from_float(bound)
    return format(value, spec)


def _decimal(value: Decimal) -> str:
    if value == 0:
        return "0"
    return f"{value:e}" if value.adjusted() < _LEAST_PLAIN else str(value).replace("E", "e")
