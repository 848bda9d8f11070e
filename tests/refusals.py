# SPDX-License-Identifier: Apache-2.0
"""Reads files of lines of code that are refused, and of what is then said.

A line `code => words` is refused by an error whose text begins with these words (of a ValueError,
or of the error that is named first); `...` in them stands for anything. A line `code for each x in
values => words` is refused at each of the values, which `{x}` is in the words. Other lines define
names.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import baselines
from hockeystick.sampling import sampled_run

ERRORS = Exception  # the line names which one


def alike(*functions: Callable) -> Callable:
    """One function for several that refuse the same arguments by the same error."""

    def ask(*arguments: object, **given: object) -> None:
        errors = []
        for function in functions:
            with pytest.raises(ERRORS) as caught:
                function(*arguments, **given)
            errors.append(caught.value)
        assert len({(type(error), str(error)) for error in errors}) == 1
        raise errors[0]

    return ask


KNOWN = {
    "hs": hs,
    "core": hs._core,
    "baselines": baselines,
    "sampled_run": sampled_run,
    "alike": alike,
    "partial": partial,
    "import_module": import_module,
    "np": np,
    "json": json,
    "nan": math.nan,
    "inf": math.inf,
}


def cases(paths: Iterable[Path]) -> Iterator[Any]:
    """Each line that is refused, with the names that the lines of its file define."""
    for path in paths:
        names = dict(KNOWN)
        for line in path.read_text(encoding="utf-8").splitlines():
            code, arrow, said = line.partition(" => ")
            code, _, values = code.partition(" for each x in ")
            if arrow:
                for x in eval(values or "[None]", names):  # noqa: S307
                    yield pytest.param(code, said, names | {"x": x}, id=f"{path.stem}: {code}")
            else:
                exec(line, names)  # noqa: S102


def check(code: str, said: str, names: dict[str, Any]) -> None:
    """That the line is refused by what it says."""
    said = said.replace("{x}", repr(names["x"])) if "{x}" in said else said
    with pytest.raises(ERRORS) as caught:
        eval(code, names)  # noqa: S307
    kind = "" if caught.type is ValueError else f"{caught.type.__name__}: "
    assert re.match(re.escape(said).replace(r"\.\.\.", ".*"), f"{kind}{caught.value}", re.DOTALL)
