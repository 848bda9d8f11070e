# SPDX-License-Identifier: Apache-2.0
"""Lists a new mechanism wherever mechanisms are listed.

python tests/listed.py

A mechanism of which the core has a row, and the package a class that it does not export yet, is
exported, defined in the JSON schema of runs, and named in the manual's reference and in its page
about the C library. The index of the proofs is written anew.
"""

import json
import math
import re
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import hockeystick as hs
import proofs
from c_library import lib
from hockeystick import _core

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "hockeystick"
IMPORT = re.compile(r"^from hockeystick\.mechanisms\.(\w+) import ", re.MULTILINE)
EXPORT = re.compile(r'^    "([A-Z][a-z]\w*)",$', re.MULTILINE)


def unlisted() -> dict[str, str]:
    """The modules of mechanisms that are not exported, by the names of their classes."""
    names = _core.described_types() - set(hs.mechanisms.__all__)
    return {name: re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in sorted(names)}


def inserted(text: str, pattern: re.Pattern[str], name: str, line: str) -> str:
    """With a line of its own before the first match whose name comes after this one."""
    later = next(match for match in pattern.finditer(text) if match[1] > name)
    return text[: later.start()] + line + "\n" + text[later.start() :]


def exported(text: str, module: str, name: str) -> str:
    """What mechanisms/__init__.py is with one class more."""
    line = f"from hockeystick.mechanisms.{module} import {name}"
    return inserted(inserted(text, IMPORT, module, line), EXPORT, name, f'    "{name}",')


def schema_of(argument: tuple[Any, ...]) -> dict[str, Any]:
    """What the schema says of one argument."""
    _, low, high, is_low, is_high, is_whole, or_zero, is_list, otherwise = argument
    kind = {"type": "integer" if is_whole else "number"}
    ends = {"minimum" if is_low else "exclusiveMinimum": low}
    if high < math.inf:
        ends["maximum" if is_high else "exclusiveMaximum"] = high
    number = kind | ({"anyOf": [{"const": 0}, ends]} if or_zero else ends)
    given = {} if otherwise is None else {"default": otherwise}
    return ({"type": "array", "minItems": 1, "items": number} if is_list else number) | given


def defined(text: str, kind: type[hs.Mechanism]) -> str:
    """What run.schema.json is with one mechanism more."""
    name = kind.__name__
    arguments = {argument[0]: argument for argument in _core.parts.arguments_of(name)}
    properties = {"type": {"const": name}} | {n: schema_of(a) for n, a in arguments.items()}
    required = ["type", *(n for n, argument in arguments.items() if argument[-1] is None)]
    lines = [
        f'    "{name}": {{',
        '      "type": "object",',
        '      "properties": {',
        ",\n".join(f'        "{n}": {json.dumps(each)}' for n, each in properties.items()),
        "      },",
        f'      "required": {json.dumps(required)},',
        '      "additionalProperties": false',
        "    },",
    ]
    groups = ["mechanism", "known by a pair"]
    groups += ["samplable"] if hasattr(kind, "poisson_sampled") else []
    for group in groups:
        head = f'    "{group}": {{\n      "oneOf": [\n'
        text = text.replace(head, f'{head}        {{"$ref": "#/$defs/{name}"}},\n')
    return text.replace('    "Gaussian": {\n', "\n".join(lines) + '\n    "Gaussian": {\n')


def named(text: str, name: str) -> str:
    """What the manual's reference is with one class more, among the first group."""
    head = "   :nosignatures:\n\n"
    return text.replace(head, f"{head}   {name}\n", 1)


def in_c(text: str, module: str, name: str) -> str:
    """What the page about the C library is with one mechanism more, in the library's order."""
    arguments = ", ".join(f"`{argument[0]}`" for argument in _core.parts.arguments_of(name))
    names = [name.decode() for name in iter(map(lib.hs_mechanism_name, count()).__next__, None)]
    later = f"| `{names[names.index(module) + 1]}` |"
    return text.replace(later, f"| `{module}` | {arguments} |\n{later}", 1)


def rewrite(path: Path, change: Callable[..., str], *arguments: Any) -> None:
    """Replace a file by what a function makes of its text."""
    path.write_text(change(path.read_text(), *arguments))


def main() -> None:
    """Write the lists."""
    for name, module in unlisted().items():
        kind = getattr(import_module(f"hockeystick.mechanisms.{module}"), name)
        rewrite(PACKAGE / "mechanisms" / "__init__.py", exported, module, name)
        rewrite(PACKAGE / "run.schema.json", defined, kind)
        rewrite(ROOT / "docs" / "reference" / "mechanisms.md", named, name)
        rewrite(ROOT / "docs" / "c.md", in_c, module, name)
    proofs.INDEX.write_text(proofs.index())


if __name__ == "__main__":
    main()
