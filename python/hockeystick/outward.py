# SPDX-License-Identifier: Apache-2.0
"""Single operations rounded to one side: not below the exact result if `above`, else not above it.

A result that is a binary64 number is itself. Numbers and arrays broadcast. The core does them
(``cpp/proofs/outward-operations.md``), so that bounds that are put together in Python round by
nothing of their own.

>>> quotient(1, 4, above=True), quotient(1, 3, above=False) < quotient(1, 3, above=True)
(0.25, True)
"""

import math
from fractions import Fraction
from typing import Any

from hockeystick import _core

sum_of = _core.outward_sum
product = _core.outward_product
quotient = _core.outward_quotient
root = _core.outward_root
exp = _core.outward_exp
expm1 = _core.outward_expm1
log = _core.outward_log
total = _core.outward_total


def difference(a: Any, b: Any, *, above: bool) -> Any:  # noqa: ANN401, a number or an array
    """The one less the other."""
    return sum_of(a, -b, above=above)


def double_above(exact: Fraction) -> float:
    """The smallest double that is at least `exact`."""
    nearest = float(exact)
    return math.nextafter(nearest, math.inf) if Fraction(nearest) < exact else nearest
