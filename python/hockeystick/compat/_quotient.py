# SPDX-License-Identifier: Apache-2.0
"""Quotients: of others' arguments that are one argument here, and rounded to one side."""

import math
from fractions import Fraction


def around(over: float, under: float) -> tuple[float, float]:
    """The binary64 numbers next to over / under, below and above; twice that number if it is one.

    Both finite and > 0. Division rounds to the nearest number, so that the exact quotient lies
    between its neighbours.

    >>> around(1, 4)
    (0.25, 0.25)
    >>> below, above = around(1, 3)
    >>> Fraction(below) < Fraction(1, 3) < Fraction(above)
    True
    """
    quotient = over / under
    if math.isinf(quotient):
        return math.nextafter(quotient, 0), quotient
    difference = Fraction(quotient) * Fraction(under) - Fraction(over)
    if difference == 0:
        return quotient, quotient
    if difference > 0:
        return math.nextafter(quotient, 0), quotient
    return quotient, math.nextafter(quotient, math.inf)


def rounded(value: Fraction, sign: int) -> float:
    """The binary64 number nearest to `value` that is not on the wrong side of it.

    `sign` 1 asks for one at or above `value`, -1 for one at or below.

    >>> rounded(Fraction(1, 3), 1) > 1 / 3 == rounded(Fraction(1, 3), -1)
    True
    """
    nearest = float(value)
    if (Fraction(nearest) - value) * sign >= 0:
        return nearest
    return math.nextafter(nearest, sign * math.inf)
