# SPDX-License-Identifier: Apache-2.0
"""The tests that dp_accounting 0.6.0 ships pass on this library under its names."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

VERSION = "0.6.0"
# Asks a property of its implementation, private and in no documentation, for a ValueError.
PRIVATE = "test_replace_adjacency_type_not_supported5"

COUNTS = {
    "common": 37,
    "pld_pmf": 83,
    "privacy_loss_distribution": 224,
    "privacy_loss_mechanism": 882,
    "accountant": 21,
    "pld_privacy_accountant": 68,
}


@pytest.mark.skipif(metadata.version("dp-accounting") != VERSION, reason=f"not {VERSION}")
def test_their_tests_pass():
    program = [sys.executable, str(Path(__file__).with_name("own_tests.py")), *COUNTS]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    assert {name: result["run"] for name, result in results.items()} == COUNTS
    assert not any(result["skipped"] for result in results.values())
    failed = {name: result["failed"] for name, result in results.items() if result["failed"]}
    (private,) = failed.pop("privacy_loss_mechanism")
    assert PRIVATE in private
    assert failed == {}
