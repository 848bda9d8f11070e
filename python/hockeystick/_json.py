# SPDX-License-Identifier: Apache-2.0
"""Strict JSON: exact numbers, no unknown fields, and errors that say where.

A mechanism is an object with its class name under "type" and its arguments beside it.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from hockeystick import _checks, mechanisms
from hockeystick._importing import importing
from hockeystick._neighbours import likely
from hockeystick.composition import Composition, Mechanism

LONGEST = 2**26  # characters of a document: parsed, each may take some 20 bytes

Made = TypeVar("Made")

_MOST_DIGITS = 1000  # beyond 309 a number is too large for anything here

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
        name: _argument_to_json(value) for name, value in mechanism.arguments.items()
    }


def _argument_to_json(value: object) -> object:
    """A mechanism within another, or several, as objects."""
    if isinstance(value, Mechanism):
        return mechanism_to_json(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Mechanism):
        return [mechanism_to_json(one) for one in value]
    if isinstance(value, Composition):
        return [{"mechanism": mechanism_to_json(one), "count": count} for one, count in value.terms]
    return value


def mechanism_from_json(value: object, path: str) -> Mechanism:
    """The mechanism that `mechanism_to_json` wrote; `path` is where it stands."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        fail(path, 'must be an object with a string "type"', value)
    make = _MECHANISMS[one_of(f"{path}.type", value["type"], tuple(_MECHANISMS))]
    names = make.argument_names()
    members(value, path, ("type", *names))
    arguments: dict[str, Any] = {
        name: _argument_from_json(value[name], f"{path}.{name}") for name in names
    }
    made: Mechanism = at(path, lambda: make(**arguments))
    return made


def _argument_from_json(value: object, path: str) -> object:
    if isinstance(value, dict):
        return mechanism_from_json(value, path)
    if not (isinstance(value, list) and value and isinstance(value[0], dict)):
        return value
    if "type" in value[0]:
        return tuple(mechanism_from_json(one, f"{path}[{at}]") for at, one in enumerate(value))
    terms: list[tuple[Mechanism, Any]] = []
    for k, each in enumerate(value):
        term = members(each, f"{path}[{k}]", ("mechanism", "count"))
        one = mechanism_from_json(term["mechanism"], f"{path}[{k}].mechanism")
        terms.append((one, term["count"]))
    return at(path, lambda: Composition(terms))


def dump(value: Mapping[str, Any]) -> str:
    """The members as JSON text that `parse` reads, sealed by their checksum.

    Raises:
        ValueError: The text would be too long.
    """
    text = json.dumps({**value, "sha256": _checksum(value)}, allow_nan=False)
    if len(text) > LONGEST:
        raise ValueError(f"the JSON text must be at most {LONGEST} characters, got {len(text)}")
    return text


def parse(text: str) -> dict[str, Any]:
    """The members in `text`; refuses what is no finite number, repeated names, and broken seals."""
    if len(text) > LONGEST:
        raise ValueError(f"text must be at most {LONGEST} characters, got {len(text)}")
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short,
            object_pairs_hook=_no_repetition,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from None
    if not isinstance(value, dict):
        fail("$", "must be an object", value)
    seal = value.pop("sha256", None)
    if seal is not None and seal != _checksum(value):
        fail("$.sha256", "must be the checksum of the rest, which was changed or damaged", seal)
    return value


def nested(make: Callable[[], Made]) -> Made:
    """The result of `make`, whose document must not be nested too deeply."""
    try:
        return make()
    except RecursionError:
        raise ValueError("text must be JSON nested less deeply") from None


def members(value: object, path: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    """`value` as an object that has exactly the members `names`."""
    if not isinstance(value, dict):
        fail(path, "must be an object", value)
    for name in value:
        if name not in names:
            known = ", ".join(names)
            shown = name[:80] if name.isprintable() else ascii(name[:80])
            fail(f"{path}.{shown}", f"must not be there; known are {known}{likely(name, names)}")
    for name in names:
        if name not in value:
            fail(f"{path}.{name}", "must be there")
    return value


def one_of(path: str, value: object, choices: tuple[str, ...]) -> str:
    """`value`, which is one of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        hint = likely(value, choices) if isinstance(value, str) else ""
        raise ValueError(
            f"{path} must be one of {', '.join(choices)}, got {_checks.show(value)}{hint}"
        )
    return value


def at(path: str, make: Callable[[], Made]) -> Made:
    """The result of `make`; its TypeError or ValueError becomes a ValueError that names `path`."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def fail(path: str, problem: str, *got: object) -> NoReturn:
    """Raise the ValueError for `path`."""
    shown = "".join(f", got {_checks.show(value)}" for value in got)
    raise ValueError(f"{path} {problem}{shown}")


def _checksum(value: Mapping[str, Any]) -> str:
    """The checksum of the members in one order and without spaces, so that only content counts."""
    text = json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return digest(text)


def digest(text: str) -> str:
    """SHA-256 of the text."""
    with importing:
        from hashlib import sha256  # noqa: PLC0415, takes time to import

    return sha256(text.encode()).hexdigest()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"text must hold finite numbers only, got {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"text must hold finite numbers only, got {_checks.show(digits)}")
    return number


def _short(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"text must hold whole numbers of at most {_MOST_DIGITS} digits")
    return int(digits)


def _no_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = _checks.show([name for name, _ in pairs])
        raise ValueError(f"text must not repeat a name, got {names}")
    return result
