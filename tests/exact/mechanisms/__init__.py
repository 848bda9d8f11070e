# SPDX-License-Identifier: Apache-2.0
"""How mechanisms are drawn, and the pairs of those with finitely many losses, in balls.

A file for each mechanism, named as that of its class, holds

    draw(rng)                         random arguments of the class, and perhaps a sampling `rate`
    CORNERS, BITS                     perhaps, arguments at the ends of their ranges, and the
                                      precision at which masses there are told apart
    release(direction, **arguments)   the `exact.laws.AtomLaw` of one release, if it has finitely
                                      many losses; the truth of others is `hockeystick.verify`
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from flint import ctx

from exact.laws import AtomLaw

BITS = 900


@cache
def oracles() -> Mapping[str, ModuleType]:
    """The files of this folder, by the name that the class of the mechanism has."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {class_name(name): import_module(f"{__name__}.{name}") for name in names}


def class_name(module: str) -> str:
    """A file's name in capitals, as approximate_dp: ApproximateDP."""
    return "".join(part.upper() if part == "dp" else part.title() for part in module.split("_"))


def release(name: str, parameters: Mapping[str, Any], direction: str, bits: int = BITS) -> AtomLaw:
    """One release of a mechanism with finitely many losses in a direction."""
    with ctx.workprec(bits):
        return oracles()[name].release(direction, **parameters)
