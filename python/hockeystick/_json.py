# SPDX-License-Identifier: Apache-2.0
"""Strict JSON: exact numbers, no unknown fields, and errors that say where.

A mechanism is an object with its class name under "type" and its arguments beside it.
"""

import json
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NoReturn, TypeVar

from hockeystick import mechanisms
from hockeystick.composition import Mechanism

Made = TypeVar("Made")

_MECHANISMS: dict[str, type[Any]] = {name: getattr(mechanisms, name) for name in mechanisms.__all__}


def mechanism_to_json(mechanism: Mechanism) -> dict[str, Any]:
    """The mechanism as an object of JSON's own types; floats round-trip exactly."""
    if not isinstance(mechanism, tuple(_MECHANISMS.values())):
        raise TypeError(f"mechanism must be one of {', '.join(_MECHANISMS)}, got {mechanism!r}")
    if any(callable(value) for value in mechanism.arguments.values()):
        raise TypeError(
            f"mechanism must not hold functions to be written as JSON, got {mechanism!r}"
        )
    return {"type": type(mechanism).__name__} | {
        name: mechanism_to_json(value) if isinstance(value, Mechanism) else value
        for name, value in mechanism.arguments.items()
    }


def mechanism_from_json(value: object, path: str) -> Mechanism:
    """The mechanism that `mechanism_to_json` wrote; `path` is where it stands."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        fail(path, 'must be an object with a string "type"', value)
    if value["type"] not in _MECHANISMS:
        fail(f"{path}.type", f"must be one of {', '.join(_MECHANISMS)}", value["type"])
    make = _MECHANISMS[value["type"]]
    names = list(signature(make).parameters)
    members(value, path, ("type", *names))
    arguments: dict[str, Any] = {
        name: mechanism_from_json(value[name], f"{path}.{name}")
        if isinstance(value[name], dict)
        else value[name]
        for name in names
    }
    made: Mechanism = at(path, lambda: make(**arguments))
    return made


def parse(text: str) -> object:
    """The JSON value in `text`; refuses NaN, infinities and repeated names."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repetition)
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from None
    except RecursionError:
        raise ValueError("text must be JSON nested less deeply") from None


def members(value: object, path: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    """`value` as an object that has exactly the members `names`."""
    if not isinstance(value, dict):
        fail(path, "must be an object", value)
    for name in value:
        if name not in names:
            fail(f"{path}.{name}", f"must not be there; known are {', '.join(names)}")
    for name in names:
        if name not in value:
            fail(f"{path}.{name}", "must be there")
    return value


def at(path: str, make: Callable[[], Made]) -> Made:
    """What `make` returns; its TypeError or ValueError becomes a ValueError that names `path`."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def fail(path: str, problem: str, *got: object) -> NoReturn:
    """Raise the ValueError for `path`."""
    raise ValueError(f"{path} {problem}" + "".join(f", got {value!r}" for value in got))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"text must hold finite numbers only, got {name}")


def _no_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError(f"text must not repeat a name, got {[name for name, _ in pairs]!r}")
    return result
