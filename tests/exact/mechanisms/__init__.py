# SPDX-License-Identifier: Apache-2.0
"""The pairs of all mechanisms, from their definitions: what each release compares, in balls.

A file for each mechanism, named as that of its class, holds

    draw(rng)                         random arguments of the class, and perhaps a sampling `rate`
    release(direction, **arguments)   the `exact.release.Release` of one release

or, of a mechanism that is given functions, RELEASES: a `release` for each of its names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from flint import ctx

from exact.release import Release

BITS = 900


@cache
def oracles() -> Mapping[str, ModuleType]:
    """The files of this folder, by the name that the class of the mechanism has."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {class_name(name): import_module(f"{__name__}.{name}") for name in names}


def class_name(module: str) -> str:
    """A file's name in capitals, as approximate_dp: ApproximateDP."""
    return "".join(part.upper() if part == "dp" else part.title() for part in module.split("_"))


@cache
def makers() -> Mapping[str, Callable[..., Release]]:
    """What makes a release, by name."""
    found: dict[str, Callable[..., Release]] = {}
    for name, oracle in oracles().items():
        found |= getattr(oracle, "RELEASES", None) or {name: oracle.release}
    return found


def release(name: str, parameters: Mapping[str, Any], direction: str) -> Release:
    """One release of a mechanism in a direction."""
    with ctx.workprec(BITS):
        return makers()[name](direction, **parameters)
