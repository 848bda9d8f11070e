# SPDX-License-Identifier: Apache-2.0
"""Dominating pairs of the core, one object for equal ones."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from hockeystick import _checks, _core
from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, fields_by_argument
from hockeystick.enclosing import Accuracy, Told


def described_pair(
    mechanism: Mechanism, direction: Direction, sampling_probability: float | None = None
) -> _core.DominatingPair:
    """What the core's table of mechanisms says dominates it, on a Poisson subsample if asked.

    Raises:
        ValueError: No such pair is known.
        TypeError: `direction` is none.
    """
    _checks.instance("direction", direction, Direction)
    kept = _large_described if type(mechanism).__name__ in _LARGE else _described
    return kept(mechanism, direction, sampling_probability)


def _ask(
    mechanism: Mechanism, direction: Direction, sampling_probability: float | None
) -> _core.DominatingPair:
    try:
        return _core.described_pair(*row(mechanism), _INDEX[direction], sampling_probability)
    except _core.NoPairError as error:
        asked: Mechanism = mechanism
        if sampling_probability is not None:
            asked = mechanism.poisson_sampled(sampling_probability)  # type: ignore[attr-defined]
        raise no_pair(asked, direction, str(error)) from None


def sampled_terms(
    run: Sequence[tuple[Any, int]], directions: Sequence[Direction]
) -> list[_core.Terms]:
    """Pairs and counts of mechanisms on Poisson subsamples, all known to the table, at once.

    Raises:
        ValueError: Of one of them no such pair is known.
    """
    ways = [_INDEX[direction] for direction in directions]
    parts = []
    for kind, members in groupby(run, key=_kind_on_sample):
        some = list(members)
        try:
            parts.append(
                _core.sampled_terms(
                    *(kind.__name__, list(fields_by_argument(kind).items()), some, ways)
                )
            )
        except _core.NoPairError as error:
            raise no_pair(some[0][0], directions[0], str(error)) from None
    return [_core.Terms.joined([part[k] for part in parts]) for k in range(len(ways))]


def _kind_on_sample(term: tuple[Any, int]) -> type[Mechanism]:
    return type(term[0].mechanism)


def row(mechanism: Mechanism) -> tuple[str, dict[str, Any]]:
    """The name of its row in the core's table, and its arguments there."""
    arguments: dict[str, Any] = {}
    for name, value in mechanism.arguments.items():
        if isinstance(value, Mechanism):
            arguments[name] = dict(zip(("type", "arguments"), row(value), strict=True))
        elif value is not None:
            arguments[name] = value
    return type(mechanism).__name__, arguments


@lru_cache(maxsize=64)
def enclosing_pairs(
    mechanism: Mechanism, direction: Direction, accuracy: Accuracy, *, above: bool
) -> tuple[_core.DominatingPair, ...]:
    """The pair above, or the pairs below, that the core's table knows of it.

    Raises:
        ValueError: None is known.
    """
    try:
        return tuple(
            _core.enclosing_pairs(*row(mechanism), _INDEX[direction], *accuracy, above=above)
        )
    except _core.NoPairError as error:
        raise no_pair(mechanism, direction, str(error)) from None


def indices(adjacency: Adjacency) -> list[int]:
    """Its directions as the core counts them."""
    return [_INDEX[direction] for direction in adjacency.directions]


_LARGE = {"DiscreteGaussian", "DiscreteLaplace", "DiscretePair"}
_INDEX = {direction: index for index, direction in enumerate(Direction)}
MOST_KEPT = 1024
_described = lru_cache(maxsize=MOST_KEPT)(_ask)
_large_described = lru_cache(maxsize=16)(_ask)  # of pairs that may take much memory


@lru_cache(maxsize=64)
def pairs_besides(
    mechanism: Mechanism, direction: Direction, accuracy: Accuracy, told: Told
) -> tuple[_core.DominatingPair, _core.DominatingPair] | None:
    """Pairs below and above of what is told, if the core's table knows such besides the curve's."""
    try:
        return _core.pairs_besides(*row(mechanism), _INDEX[direction], *accuracy, told=told)
    except _core.NoPairError as error:
        raise no_pair(mechanism, direction, str(error)) from None


@lru_cache(maxsize=64)
def allocated_pair(
    step: _core.DominatingPair, steps: int, cells: int, tail: float, *, above: bool, back: bool
) -> _core.DominatingPair:
    """A pair above or below that of a step which each record joins once in `steps`."""
    return _core.allocated_pair(step, steps, cells, tail, above=above, back=back)


def no_pair(mechanism: Mechanism, direction: Direction, reason: str = "") -> ValueError:
    """The error of a mechanism that is not defined for the adjacency asked for."""
    because = f": {reason}" if reason else ""
    refused, instead = "add-or-remove-one", "replace-one"
    if direction.replaces:
        refused, instead = instead, refused
    return ValueError(
        f"adjacency must be one that {mechanism!r} is defined for, not {refused!r}{because}; "
        f'pass adjacency="{instead}" or "replace-special"'
    )
