# SPDX-License-Identifier: Apache-2.0
"""A run described in a file that people write, in TOML or JSON."""

import inspect
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Self, TypeVar

from hockeystick import _checks, _files, _json, mechanisms
from hockeystick._importing import importing
from hockeystick._words import outspoken
from hockeystick.accountant.saved_ledger import SCHEMA, VERSION, SavedLedger
from hockeystick.adjacency import Adjacency
from hockeystick.limits import DEFAULT_TOLERANCE
from hockeystick.sampling import DPSGD

Made = TypeVar("Made")

_USUAL: dict[str, Any] = {
    "schema": SCHEMA,
    "version": VERSION,
    "adjacency": Adjacency.ADD_OR_REMOVE_ONE.value,
    "tolerance": DEFAULT_TOLERANCE,
}


@outspoken
class Described(SavedLedger):
    """A ledger that can be read from a description."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """The accountant that a file describes: a run to ask about, or a saved ledger.

        As ``load``, but a file whose name ends in ".toml" is TOML, and what is usual may be left
        out: a count of 1, labels, arguments of mechanisms that have a default, adjacency,
        tolerance. A mechanism may be said in all the words of its class, such as ``scale`` and
        ``sensitivity``, and a run of DP-SGD as a mechanism of type "DPSGD" with the arguments of
        ``hockeystick.DPSGD``. ``run.schema.json``, in the package, is the JSON schema of both.

        Raises:
            OSError: The file cannot be read.
            ValueError: It describes no accountant; the message says where.
            TypeError: `path` is no path.
        """
        account, text = from_file(path, cls.read_text)
        if text is not None:  # `save` writes JSON only
            account._knows(path, text)  # noqa: SLF001, its own
        return account

    @classmethod
    def read_text(cls, text: str, *, toml: bool = False) -> Self:
        """The accountant that a text describes, as ``read`` of a file: what services are sent.

        Args:
            text: JSON, or TOML, of at most 2^26 characters.
            toml: Whether it is TOML.

        Raises:
            ValueError: It describes no accountant; the message says where.
            TypeError: `text` is no string.

        >>> import hockeystick as hs
        >>> sent = '{"ledger": [{"mechanism": {"type": "Laplace", "noise_multiplier": 10}}]}'
        >>> hs.Accountant.read_text(sent).composition
        1 * Laplace(10.0)
        """
        return _json.nested(lambda: cls._restored(completed(parsed(text, toml=toml))))


def from_file(
    path: str | os.PathLike[str], read_text: Callable[..., Made]
) -> tuple[Made, str | None]:
    """A file read by `read_text`, with its text if that is JSON; errors name the file."""
    is_toml = _files.name_of(path).lower().endswith(".toml")
    try:
        text = _files.read(path, _json.LONGEST)
        return read_text(text, toml=is_toml), None if is_toml else text
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def parsed(text: str, *, toml: bool) -> dict[str, Any]:
    """The object that a text describes."""
    _checks.instance("text", text, str)
    return _json.parse(_json_of_toml(text) if toml else text)


def _json_of_toml(text: str) -> str:
    """The text of a TOML file as JSON; parsed TOML nests no deeper than Python does."""
    with importing:
        import tomllib  # noqa: PLC0415, takes time to import

    try:
        return json.dumps(tomllib.loads(text), allow_nan=False)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"text must be TOML: {error}") from None
    except RecursionError:
        raise ValueError("text must be TOML nested less deeply") from None
    except TypeError:
        raise ValueError("text must hold no dates or times") from None
    except ValueError:
        raise ValueError("text must hold finite numbers only") from None


def completed(
    value: dict[str, Any], path: str = "$", usual: Mapping[str, Any] = _USUAL
) -> dict[str, Any]:
    """The object with the usual values of members that are left out; `path` names its place."""
    value = {**usual, **value}
    if isinstance(value.get("ledger"), list):
        entries = ((f"{path}.ledger[{at}]", each) for at, each in enumerate(value["ledger"]))
        value["ledger"] = [one for at, each in entries for one in _entries(each, at)]
    return value


def _entries(value: object, path: str) -> list[object]:
    """The entry, or of a run of DP-SGD an entry for each of its mechanisms."""
    if not isinstance(value, dict):
        return [value]
    entry: dict[str, Any] = {"count": 1} | value
    kind = entry.get("mechanism")
    if not isinstance(kind, dict):
        return [entry]
    if kind.get("type") != "DPSGD":
        return [entry | {"mechanism": _mechanism(kind, f"{path}.mechanism")}]
    count = _json.at(f"{path}.count", lambda: _checks.count(entry["count"]))
    return [
        entry | {"mechanism": _json.mechanism_to_json(one), "count": count * often}
        for one, often in _made(DPSGD, kind, f"{path}.mechanism").terms
    ]


def _mechanism(value: object, path: str) -> object:
    """The object with the defaults of its own arguments and of the mechanisms within it.

    Under the arguments' own names, where it was said in other words, such as scale.
    """
    if isinstance(value, list):  # of numbers, or of mechanisms
        if not any(isinstance(each, dict) for each in value):
            return value
        return [_mechanism(each, f"{path}[{at}]") for at, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    if not (isinstance(kind, str) and kind in mechanisms.__all__):
        return value
    make: Any = getattr(mechanisms, kind)
    inner = {name: _mechanism(each, f"{path}.{name}") for name, each in value.items()}
    words = set(inspect.signature(make).parameters) - set(make.argument_names())
    if words & set(value):
        return _json.mechanism_to_json(_made(make, inner, path))
    usual = {each.name: each.default for each in fields(make) if each.default is not MISSING}
    return usual | inner


def _made(make: Callable[..., Made], value: dict[str, Any], path: str) -> Made:
    """The result of a constructor for the members of an object other than its type."""
    arguments = {name: each for name, each in value.items() if name != "type"}
    return _json.at(path, lambda: make(**arguments))
