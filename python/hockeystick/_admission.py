# SPDX-License-Identifier: Apache-2.0
"""Whether a composition keeps a budget: a comparison, decided as sharply as it takes."""

import math
from decimal import Decimal
from fractions import Fraction

from hockeystick import _checks
from hockeystick._kept import Kept
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition
from hockeystick.errors import CertificationError

Amount = float | str | Decimal | Fraction

# The widths of the questions that follow the first, while they do not tell. Binary64 ends there;
# of many distinct mechanisms each takes 30 times as long as the one before.
_FINER = (1e-6, 1e-9, 1e-11, 1.1e-12)
_FEW = 16


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
    spent: Composition,
    more: Composition,
    epsilon: float,
    delta: float,
    *,
    kept: Kept,
    adjacency: Adjacency,
    tolerance: float,
    memory_limit: int,
) -> bool:
    """Whether both together are certified to be (epsilon, delta)-DP; not where none can tell."""
    run = spent + more
    decided = kept.decide(
        spent, more, epsilon, delta, adjacency=adjacency, memory_limit=memory_limit
    )
    if decided is not None:
        return decided

    def bounds(wanted: str, width: float) -> tuple[Bounds[float], bool]:
        ask, given = (
            (run.delta_bounds, epsilon) if wanted == "delta" else (run.epsilon_bounds, delta)
        )
        try:
            found = ask(given, adjacency=adjacency, tolerance=width, memory_limit=memory_limit)
        except CertificationError as error:  # its bounds hold, if wider than asked for
            return error.bounds, True
        return found, False

    # An epsilon within the tolerance is what most budgets take; a delta within it tells more.
    asked = [("epsilon", tolerance)]
    if len(run.terms) <= _FEW:
        curves = ("delta", "epsilon") if epsilon <= _checks.MAX_EPSILON else ("epsilon",)
        finer = [width for width in _FINER if width < tolerance]
        asked += [(each, width) for each in curves for width in (tolerance, *finer)]
    given_up = set()
    for wanted, width in asked:
        if wanted in given_up:
            continue
        found, is_last = bounds(wanted, width)
        goal = delta if wanted == "delta" else epsilon
        if found.upper <= goal:
            return True
        if found.lower > goal:
            return False
        if is_last:
            given_up.add(wanted)
    return False
