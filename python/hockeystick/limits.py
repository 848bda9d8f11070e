# SPDX-License-Identifier: Apache-2.0
"""The limits of a question: adjacency, tolerance, memory limit, and a thread's time."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypedDict, TypeVar, get_args, get_origin

from hockeystick import _checks, _core
from hockeystick._words import spoken, unknown_argument
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of

DEFAULT_TOLERANCE = 1e-3
DEFAULT_MEMORY_LIMIT = 2**30
DEFAULT_SMALLEST = 1e-30

Asking = TypeVar("Asking", bound=Callable[..., Any])


class Settings(TypedDict, total=False):
    """The keywords of every question."""

    adjacency: AdjacencyLike
    """The relation of neighbouring datasets, or its name; the worst direction counts."""
    memory_limit: int
    """Bytes the computation may take, > 0."""


class Options(Settings, total=False):
    """The keywords of most questions."""

    tolerance: float
    """Widest gap accepted, relative to the answer, in (1e-12, 1)."""


class ProbabilityOptions(Options, total=False):
    """The keywords of a question whose answer is a probability that may be tiny."""

    smallest: float
    """Probability in [0, 1) below which the tolerance is met only where that takes little time."""


class QuantileOptions(Settings, total=False):
    """The keywords of a question whose answer has no scale of its own."""

    deviations: float
    """Widest gap accepted, in standard deviations of the loss, in (1e-12, 1)."""


class Limits(NamedTuple):
    """Checked options of one question."""

    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE_ONE
    tolerance: float = DEFAULT_TOLERANCE
    memory_limit: int = DEFAULT_MEMORY_LIMIT
    smallest: float = 0.0

    def updated(
        self,
        options: Mapping[str, Any],
        width: str = "tolerance",
        *,
        has_smallest: bool = False,
        asks: tuple[str, ...] = ("the call",),
    ) -> "Limits":
        """These limits but for the options given; `width` is the name of the tolerance there.

        `has_smallest`: whether `smallest` is one of them. `asks`: name and arguments of the
        question, for an error.

        Raises:
            ValueError: An option is out of range.
            TypeError: An option has the wrong type, or is unknown.
        """
        adjacency, tolerance, memory_limit, smallest = self
        for name, value in options.items():
            if name == width:
                tolerance = _checks.tolerance(value, width)
            elif name == "adjacency":
                adjacency = adjacency_of(value)
            elif name == "memory_limit":
                memory_limit = _checks.memory_limit(value)
            elif name == "smallest" and has_smallest:
                smallest = _checks.smallest(value)
            else:
                own = self.options(has_smallest=has_smallest)
                takes = [width if option == "tolerance" else option for option in own]
                raise unknown_argument(asks[0], name, (*asks[1:], *takes))
        return Limits(adjacency, tolerance, memory_limit, smallest)

    def options(self, *, has_smallest: bool = False) -> dict[str, Any]:
        """The keywords of a question, of which `smallest` may be one."""
        given = self._asdict()
        return given if has_smallest else {name: given[name] for name in self._fields[:3]}


def spelled_out(ask: Asking, **defaults: object) -> Asking:
    """Have help() show the options of a question by name, in place of ``**options``."""
    given = inspect.signature(ask)
    *known, last = (one for one in given.parameters.values() if one.kind is not one.VAR_POSITIONAL)
    if last.kind is last.VAR_KEYWORD:
        (taken,) = get_args(last.annotation)
        kind, numbers = get_origin(taken) or taken, get_args(taken)
        values: dict[str, Any] = Limits._field_defaults | defaults
        values |= dict.fromkeys(kind.__required_keys__, inspect.Parameter.empty)
        options = [
            inspect.Parameter(
                *(name, last.KEYWORD_ONLY),
                default=values.get(name),
                annotation=value[numbers] if getattr(value, "__parameters__", ()) else value,
            )
            for name, value in kind.__annotations__.items()
        ]
        ask.__signature__ = given.replace(parameters=[*known, *options])  # type: ignore[attr-defined]
    return ask


@spoken
@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let the questions that this thread asks in the block take so long, all together.

    Then the one that is computed, and each that is asked later in the block, raises TimeoutError,
    within a fraction of a second. What was composed, entered or kept before stays as it was. Of
    blocks within blocks the limit that ends first holds. It is a limit of the core's work: Python's
    own, a lock or a file are not interrupted. A coroutine must not wait in the block, since others
    of its thread would be limited too.

    Args:
        seconds: Time from now on, finite and >= 0.

    Raises:
        ValueError: `seconds` is out of range.
        TypeError: `seconds` is no number.

    >>> import hockeystick as hs
    >>> with hs.time_limit(10):
    ...     (100 * hs.Gaussian(noise_multiplier=10.0)).epsilon(delta=1e-5) < 6
    True
    """
    latest = _core.clock() + _checks.non_negative("seconds", seconds)
    before = _core.end_work_at(latest)
    if before < latest:
        _core.end_work_at(before)
    try:
        yield
    finally:
        _core.end_work_at(before)
