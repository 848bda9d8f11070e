# SPDX-License-Identifier: Apache-2.0
"""Public names of dp_accounting.pld are here, with the same parameters and defaults, or refused."""

import ast
import inspect
import re
from importlib import import_module, metadata
from pathlib import Path

import pytest

import hockeystick
from hockeystick.compat.dp_accounting.pld import _offered

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

from dp_accounting import dp_event

VERSION = "0.6.0"
THEIRS, OURS = "dp_accounting.pld", "hockeystick.compat.dp_accounting.pld"
MODULES = ("accountant", "common", "pld_pmf", "privacy_loss_distribution", "pld_privacy_accountant")

# Of the base class of all pmfs: nobody constructs it, and its default is that of the others.
MADE_OTHERWISE = {"PLDPmf.__init__", "PLDPmf.self_compose"}

pytestmark = pytest.mark.skipif(
    metadata.version("dp-accounting") != VERSION, reason=f"not {VERSION}"
)


def public(thing):
    return [name for name in dir(thing) if not name.startswith("_") or name == "__init__"]


def parameters(function):
    """Name, kind and default of each; the kinds of defaults that compare by identity by name."""
    function = getattr(function, "__func__", function)  # of class and static methods
    return [
        (p.name, p.kind, str(p.default)) for p in inspect.signature(function).parameters.values()
    ]


def callables(module):
    """All functions, classes and their methods that a module defines, by dotted name."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value):
            yield name
        elif inspect.isclass(value):
            yield from (f"{name}.{member}" for member in public(value))


def found(module, dotted):
    thing = module
    for name in dotted.split("."):
        thing = inspect.getattr_static(thing, name)
    return thing


@pytest.mark.parametrize("name", MODULES)
def test_functions_and_methods_take_the_same(name):
    theirs, ours = (import_module(f"{package}.{name}") for package in (THEIRS, OURS))
    names = list(callables(theirs))
    assert names
    offered = [name for name in names if not _offered.INSTEAD.keys() & set(name.split("."))]
    assert len(offered) >= len(names) / 2
    for dotted in offered:
        if dotted in MADE_OTHERWISE:
            continue
        expected, got = found(theirs, dotted), found(ours, dotted)
        if callable(getattr(expected, "__func__", expected)):
            assert (dotted, parameters(got)) == (dotted, parameters(expected))


def test_modules_and_classes_are_where_they_are_there():
    theirs, ours = import_module(THEIRS), import_module(OURS)
    missing = [name for name in public(theirs) if not hasattr(ours, name)]
    assert missing == ["privacy_loss_mechanism"]
    inner = import_module(f"{OURS}.privacy_loss_distribution")
    assert import_module(f"{OURS}.pld_privacy_accountant").PLD is inner


@pytest.mark.parametrize("name", sorted(_offered.INSTEAD))
def test_what_is_left_out_is_there_and_refused_here(name):
    """Each name is one of theirs, and looking it up here says what to use."""
    packages = [import_module(THEIRS), *(import_module(f"{THEIRS}.{name}") for name in MODULES)]
    where = [package for package in packages if hasattr(package, name)]
    assert where
    ours = import_module(where[0].__name__.replace(THEIRS, OURS))
    with pytest.raises(AttributeError, match=f"does not offer {name}: "):
        getattr(ours, name)


def test_the_manual_names_what_this_version_has():
    root = Path(hockeystick.__file__).parent / "compat"
    manual = [*(Path(__file__).parents[2] / "docs").rglob("*.md")]
    docstrings = [ast.get_docstring(ast.parse(path.read_text())) for path in root.rglob("*.py")]
    texts = [path.read_text() for path in manual] + [text for text in docstrings if text]
    named = {name for text in texts for name in re.findall(r"\b\w+DpEvent\b", text)}
    assert "GaussianDpEvent" in named
    assert [name for name in sorted(named) if not hasattr(dp_event, name)] == []
