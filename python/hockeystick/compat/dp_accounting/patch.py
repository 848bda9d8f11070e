# SPDX-License-Identifier: Apache-2.0
"""This library's modules in the place of ``dp_accounting.pld``, and back."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import RLock
from types import CodeType, ModuleType
from typing import Any

_MODULES = (
    "accountant",
    "common",
    "pld_pmf",
    "privacy_loss_distribution",
    "pld_privacy_accountant",
)
_OURS, _THEIRS = "hockeystick.compat.dp_accounting.pld", "dp_accounting.pld"

_lock = RLock()
_permanent = False  # by patch()
_blocks = 0  # of patched(), in all threads
_undo: list[tuple[dict[str, Any], str, Any, Any]] = []  # where, name, theirs, ours
_before: dict[str, ModuleType] = {}  # what was loaded when the patch began
_originals: dict[str, ModuleType] = {}


def patch() -> None:
    """Puts this library's modules in the place of ``dp_accounting.pld``, everywhere, at once.

    Every global name of a loaded module that stands for one of the modules of ``dp_accounting.pld``
    or for a function or class of theirs is set to ours, and so are the entries of ``sys.modules``,
    for imports to come. Not seen are references from elsewhere, such as default arguments. Objects
    made before stay what they are. A second call changes what was loaded since. Thread-safe; calls
    that other threads are in go on with the functions they have.

    Undone, every name is again what it was, unless others have set it since. Modules that were
    loaded meanwhile get what they would have got, unless their code imports this library itself.

    Raises:
        ImportError: dp_accounting is not installed.

    >>> import dp_accounting
    >>> with patched():
    ...     dp_accounting.pld.PLDAccountant.__module__
    'hockeystick.compat.dp_accounting.pld.pld_privacy_accountant'
    >>> dp_accounting.pld.PLDAccountant.__module__
    'dp_accounting.pld.pld_privacy_accountant'
    """
    global _permanent  # noqa: PLW0603 - one state for all threads
    with _lock:
        _install()
        _permanent = True


def unpatch() -> None:
    """Undoes ``patch``; within blocks of ``patched`` when the last of them ends."""
    global _permanent  # noqa: PLW0603 - one state for all threads
    with _lock:
        _permanent = False
        if _blocks == 0:
            _restore()


@contextmanager
def patched() -> Iterator[None]:
    """``patch`` for a block; blocks may nest, and overlap in several threads."""
    global _blocks  # noqa: PLW0603 - one count for all threads
    with _lock:
        _install()
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if _blocks == 0 and not _permanent:
                _restore()


def _install() -> None:
    counterparts = _counterparts()
    if not _before:
        _before.update(sys.modules)
    theirs = {id(module) for module in _originals.values()}
    for module in list(sys.modules.values()):
        if id(module) not in theirs:  # theirs stay whole
            _exchange(getattr(module, "__dict__", {}), counterparts)
    modules: dict[str, Any] = sys.modules
    _exchange(modules, counterparts, [f"{_THEIRS}.{name}" for name in _MODULES])


def _exchange(
    names: dict[str, Any], counterparts: dict[int, tuple[Any, Any]], only: list[str] | None = None
) -> None:
    for name in list(names) if only is None else only:
        value = names.get(name)
        theirs, ours = counterparts.get(id(value), (None, None))
        if ours is not None and theirs is value:
            _undo.append((names, name, theirs, ours))
            names[name] = ours


def _restore() -> None:
    if sys.is_finalizing():  # nobody is left to look at the names, and nothing can be imported
        return
    while _undo:
        names, name, theirs, ours = _undo.pop()
        if names.get(name) is ours:  # what others have set since is theirs to keep
            names[name] = theirs
    originals = {id(ours): (theirs, ours) for theirs, ours in _counterparts().values()}
    for name, module in list(sys.modules.items()) if _before else []:
        if _before.get(name) is not module and not name.startswith("hockeystick."):
            _give_back(module, originals)
    _before.clear()


def _give_back(module: ModuleType, originals: dict[int, tuple[Any, Any]]) -> None:
    """Restores the names that a module, loaded under the patch, would have got without it."""
    names: dict[str, Any] = getattr(module, "__dict__", {})
    got = [name for name, value in list(names.items()) if id(value) in originals]
    if got and not _imports_us(module):
        for name in got:
            names[name] = originals[id(names[name])][0]


def _imports_us(module: ModuleType) -> bool:
    """Whether its code names this library; code that is not to be had does not."""
    try:
        codes = [module.__loader__.get_code(module.__name__)]  # type: ignore[union-attr]
    except (AttributeError, ImportError):
        return False
    for code in codes:
        if isinstance(code, CodeType):
            words = [word for word in (*code.co_names, *code.co_consts) if isinstance(word, str)]
            if any(word.split(".")[0] == "hockeystick" for word in words):
                return True
            codes.extend(code.co_consts)
    return False


def _counterparts() -> dict[int, tuple[Any, Any]]:
    """Modules and their definitions: dp_accounting's and ours, by the identity of theirs."""
    pairs: list[tuple[Any, Any]] = []
    for name in _MODULES:
        theirs = _original(f"{_THEIRS}.{name}")
        ours = import_module(f"{_OURS}.{name}")
        pairs.append((theirs, ours))
        pairs += [
            (value, getattr(ours, key))
            for key, value in vars(theirs).items()
            if getattr(value, "__module__", None) == theirs.__name__ and key in vars(ours)
        ]
    return {id(theirs): (theirs, ours) for theirs, ours in pairs}


def _original(name: str) -> ModuleType:
    """Their module, patched or not."""
    if name not in _originals:
        _originals[name] = import_module(name)
    return _originals[name]
