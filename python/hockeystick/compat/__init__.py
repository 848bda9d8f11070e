# SPDX-License-Identifier: Apache-2.0
"""Other libraries' names over the public API of this one, as tests/test_layering.py holds it to."""

from importlib import import_module
from types import ModuleType

__all__ = ["dp_accounting", "flower", "jax_privacy", "opacus", "prv_accountant"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    has = ", ".join(__all__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {has}")
