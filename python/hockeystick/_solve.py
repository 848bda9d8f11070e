# SPDX-License-Identifier: Apache-2.0
"""Asks the core for certified bounds and turns its answers into Bounds or an error."""

import math
from typing import Any, Literal, Protocol

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.bounds import Bounds, ErrorBudget
from hockeystick.errors import CertificationError

Directions = list[list[tuple[_core.DominatingPair, int]]]
_NAMES = ("lower", "upper", *ErrorBudget._fields)
_REASONS = {
    "rounding": "the rounding of binary64 arithmetic alone takes more",
    "passes": "refining the grid did not get there",
}
Wanted = Literal["epsilon", "delta"]

DEFAULT_TOLERANCE = 1e-3
DEFAULT_MEMORY_LIMIT = 2**30


def solve(
    wanted: Wanted, given: object, directions: Directions, tolerance: object, memory_limit: object
) -> Bounds[Any]:
    """Bounds on `wanted` for the worst of `directions`, shaped like `given`.

    A direction without terms costs nothing.

    Raises:
        ValueError: an argument is out of range.
        TypeError: an argument has the wrong type.
        CertificationError: some gap exceeds ``tolerance * upper``, but for deltas below 1e-300, or
            below ``LARGEST_LOSS_ROUNDING * (1 + epsilon)`` next to the largest loss.
    """
    points = _checks.delta_array(given) if wanted == "epsilon" else _checks.epsilon_array(given)
    width = _checks.tolerance(tolerance)
    limit = _checks.memory_limit(memory_limit)
    if not any(directions):
        return _nothing(points.shape)
    ask = _core.epsilon_bounds if wanted == "epsilon" else _core.delta_bounds
    answers = ask(directions, points.ravel(), tolerance=width, memory_limit=limit)
    given_name = "delta" if wanted == "epsilon" else "epsilon"
    return certified(wanted, f"{given_name} = ", points, answers, width, limit)


def certified(
    wanted: str,
    label: str,
    points: FloatArray,
    answers: _core.Answers,
    tolerance: float,
    memory_limit: int,
) -> Bounds[Any]:
    """The bounds in `answers`, shaped like `points`; `label` and a point say what was asked.

    Raises:
        CertificationError: An answer is wider than asked for.
    """
    bounds = _bounds(answers, points.shape)
    unmet = answers.unmet()
    if unmet is not None:
        answer = answers[unmet]
        point = f"{label}{points.flat[unmet].item()!r}"
        message = explanation(wanted, point, answer, tolerance, memory_limit)
        raise CertificationError(message, bounds, answer.obstacle)
    return bounds


def _nothing(shape: tuple[int, ...]) -> Bounds[Any]:
    lower, upper, *budget = (np.zeros(shape) if shape else 0.0 for _ in _NAMES)
    return _budgeted(lower, upper, ErrorBudget(*budget))


def _bounds(answers: _core.Answers, shape: tuple[int, ...]) -> Bounds[Any]:
    columns: Any = [row.reshape(shape) for row in answers.table()] if shape else answers.row(0)
    lower, upper, *budget = columns
    return _budgeted(lower, upper, ErrorBudget(*budget))


def _budgeted(lower: Any, upper: Any, budget: ErrorBudget[Any]) -> Bounds[Any]:  # noqa: ANN401
    bounds = Bounds(lower, upper)
    bounds.error_budget = budget
    return bounds


class Unmet(Protocol):
    """Bounds that are wider than asked for, and why."""

    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def obstacle(self) -> str: ...
    @property
    def required_bytes(self) -> int: ...


def explanation(wanted: str, point: str, found: Unmet, tolerance: float, memory_limit: int) -> str:
    """What to say of bounds that are too wide; advises only what helps.

    A looser tolerance helps where the bounds found meet some, and rounding is not what limits them.
    """
    looser = found.lower != 0 and math.isfinite(found.lower) and math.isfinite(found.upper)
    if found.obstacle == "memory_limit":
        need = -(-found.required_bytes // 2**20)
        cause = f"needs about {need} MiB, more than memory_limit = {memory_limit} bytes allows"
        advice = ": raise memory_limit" + (" or loosen tolerance" if looser else "")
    else:
        cause = f"is out of reach, {_REASONS.get(found.obstacle, found.obstacle)}"
        advice = ": loosen tolerance" if looser and found.obstacle == "passes" else ""
    best = f"best bounds {found.lower!r} <= {wanted} <= {found.upper!r} at {point}"
    return f"tolerance = {tolerance!r} {cause}{advice}; {best}"
