# SPDX-License-Identifier: Apache-2.0
"""Many searches, which share their work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick.calibration.families import Family, Parameter
from hockeystick.calibration.goals import Goal
from hockeystick.errors import CertificationError

Arrays = dict[str, npt.NDArray[Any]]


class Sought(NamedTuple):
    """The goal of one search."""

    family: Family
    goal: Goal


def arrays_of(given: Mapping[str, Any]) -> Arrays:
    """The arguments as arrays of any dimension; their elements are not checked."""
    arrays = {}
    for name, value in given.items():
        try:
            arrays[name] = np.asarray(value)
        except ValueError:  # of lists of several lengths
            expected, shown = "a number or an array of numbers", _checks.show(value)
            raise ValueError(f"{name} must be {expected}, got {shown}") from None
    return arrays


def broadcast(arrays: Arrays) -> tuple[tuple[int, ...], dict[str, dict[str, Any]]]:
    """The common shape, and the numbers of each element by what messages call its place."""
    try:
        full = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must broadcast to a common one, got {shapes}") from None
    shape, elements = full[0].shape, {}
    for index in np.ndindex(shape):
        one = [values[index] for values in full]
        one = [getattr(value, "item", lambda value=value: value)() for value in one]
        where = f"at index {index[0] if len(index) == 1 else index}"
        elements[where if shape else ""] = dict(zip(arrays, one, strict=True))
    return shape, elements


def found(searches: Mapping[str, Sought]) -> list[Parameter]:
    """The parameter of each: neighbours one after the other, as they learn from one another."""
    parameters: dict[str, Parameter] = {}
    first: tuple[Sought, _core.Search] | None = None  # at its delta
    latest: tuple[Sought, _core.Search] | None = None
    for where, sought in sorted(searches.items(), key=_by_goal):
        is_first = first is None or sought.goal.at != first[0].goal.at
        before, search = (first if is_first else latest) or (sought, None)
        alike = sought.family is before.family and sought.goal.at == before.goal.at
        with named(where):
            search = _core.Search(*sought, search, alike=alike)
            parameters[where] = search.run()
        latest = sought, search
        first = latest if is_first else first
    return [parameters[where] for where in searches]


def _by_goal(item: tuple[str, Sought]) -> tuple[tuple[float, ...], float]:
    goal = item[1].goal
    return goal.at, goal.target


@contextmanager
def named(where: str) -> Iterator[None]:
    """Says in an error which element it is about."""
    try:
        yield
    except (CertificationError, ValueError, TypeError) as error:
        if not where:
            raise
        message = f"{where}: {error}"
        if isinstance(error, CertificationError):
            raise CertificationError(message, error.bounds, error.limited_by) from error
        raise type(error)(message) from error
