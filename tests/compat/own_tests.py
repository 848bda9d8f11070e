# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that dp_accounting ships, aliased onto this library, as a program.

    python own_tests.py pld_pmf accountant

prints one JSON object: by module the number of tests run, and how many of which name failed. The
tests come from the installed distribution; none of their text is here.
"""

import importlib
import json
import re
import sys
import unittest
import warnings
from collections import Counter

import dp_accounting.pld

THEIRS, OURS = "dp_accounting.pld", "hockeystick.compat.dp_accounting.pld"
MODULES = ("accountant", "common", "pld_pmf", "privacy_loss_distribution", "pld_privacy_accountant")


def alias() -> None:
    """Let ``dp_accounting.pld.NAME`` be ours, for all imports from here on."""
    for name in MODULES:
        module = importlib.import_module(f"{OURS}.{name}")
        sys.modules[f"{THEIRS}.{name}"] = module
        setattr(dp_accounting.pld, name, module)


def run(name: str) -> dict[str, object]:
    """Their tests of the module `name`."""
    module = importlib.import_module(f"{THEIRS}.{name}_test")
    assert getattr(module, name).__name__ == f"{OURS}.{name}"  # ours is what is tested
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    names = [test._testMethodName for test, _ in result.failures + result.errors]
    failed = Counter(re.sub(r"(?<!_)[0-9]+$", "", name) for name in names)
    return {"run": result.testsRun, "skipped": len(result.skipped), "failed": failed}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    alias()
    print(json.dumps({name: run(name) for name in sys.argv[1:]}))  # noqa: T201
