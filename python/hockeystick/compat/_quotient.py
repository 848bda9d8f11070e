# SPDX-License-Identifier: Apache-2.0
"""Quotients of others' arguments that are one argument here."""

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
