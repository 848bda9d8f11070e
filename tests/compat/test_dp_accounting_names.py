# SPDX-License-Identifier: Apache-2.0
"""Every public name of dp_accounting.pld is here, with the same parameters and defaults."""

from __future__ import annotations

import inspect
from importlib import import_module, metadata

import pytest

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

VERSION = "0.6.0"
THEIRS, OURS = "dp_accounting.pld", "hockeystick.compat.dp_accounting.pld"
MODULES = (
    "accountant",
    "common",
    "pld_pmf",
    "privacy_loss_distribution",
    "privacy_loss_mechanism",
    "pld_privacy_accountant",
)

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
    for dotted in names:
        expected, got = found(theirs, dotted), found(ours, dotted)
        if callable(getattr(expected, "__func__", expected)) and dotted != "AdjacencyType.__init__":
            assert (dotted, parameters(got)) == (dotted, parameters(expected))


def test_modules_and_classes_are_where_they_are_there():
    theirs, ours = import_module(THEIRS), import_module(OURS)
    assert [name for name in public(theirs) if not hasattr(ours, name)] == []
    inner = import_module(f"{OURS}.privacy_loss_distribution")
    assert inner.privacy_loss_mechanism is ours.privacy_loss_mechanism
    assert import_module(f"{OURS}.pld_privacy_accountant").PLD is inner


@pytest.mark.parametrize(
    "name", ["AdditiveNoisePrivacyLoss", "MonotonePrivacyLoss", "PLDPmf", "PLDAccountant"]
)
def test_what_is_abstract_there_is_here(name):
    packages = [
        module
        for package in (THEIRS, OURS)
        for inner in MODULES
        if hasattr(module := import_module(f"{package}.{inner}"), name)
        and getattr(module, name).__module__.startswith(package)
    ]
    theirs, *_, ours = (getattr(module, name) for module in packages)
    assert inspect.isabstract(ours) == inspect.isabstract(theirs)
    assert ours is not theirs
