# SPDX-License-Identifier: Apache-2.0
"""Bounds in decimal, never rounded inward."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Literal

_MIN_DIGITS = 5
_MAX_DIGITS = 17
_EXACT = Context(prec=2000)  # a subnormal's digits go this far down


def outward(lower: float, upper: float) -> tuple[str, str]:
    """Both bounds in decimal, rounded outward, with digits enough to tell them apart."""
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


def _decimal(value: Decimal) -> str:
    return "0" if value == 0 else str(value).replace("E", "e")
