# SPDX-License-Identifier: Apache-2.0
"""Whether a composition keeps a budget: a comparison, decided as sharply as it takes."""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable
from hockeystick.errors import CertificationError

Amount = float | str | Decimal | Fraction

# The widths of the questions that follow the first, while they do not tell. Binary64 ends there.
_FINER = (1e-6, 1e-9, 1e-11, 1.1e-12)


def amount(name: str, value: Amount) -> float:
    """Part of a budget: a number, or a decimal or fraction, rounded down so that none is given."""
    if not isinstance(value, str | Decimal | Fraction):
        return _checks.real(name, value)
    try:
        exact = Fraction(value)
        number = float(exact)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name} must be a finite number, got {_checks.show(value)}") from None
    return math.nextafter(number, -math.inf) if Fraction(number) > exact else number


def fits(
    run: Composable,
    epsilon: float,
    delta: float,
    *,
    adjacency: Adjacency,
    tolerance: float,
    memory_limit: int,
) -> bool:
    """Whether `run` is certified to be (epsilon, delta)-DP; not where bounds cannot tell."""

    def bounds(wanted: str, width: float) -> tuple[Bounds[float], bool]:
        ask, given = (
            (run.delta_bounds, epsilon) if wanted == "delta" else (run.epsilon_bounds, delta)
        )
        try:
            found = ask(given, adjacency=adjacency, tolerance=width, memory_limit=memory_limit)
        except CertificationError as error:  # its bounds hold, if wider than asked for
            return error.bounds, True
        return found, False

    # A delta is one reading of the curve, an epsilon a search on it; either tells.
    for wanted, goal in (("delta", delta), ("epsilon", epsilon)):
        if wanted == "delta" and epsilon > _checks.MAX_EPSILON:
            continue
        for width in _widths(tolerance):
            found, last = bounds(wanted, width)
            if found.upper <= goal:
                return True
            if found.lower > goal:
                return False
            if last:
                break
    return False


def _widths(tolerance: float) -> Iterator[float]:
    yield tolerance
    yield from (width for width in _FINER if width < tolerance)
