# SPDX-License-Identifier: Apache-2.0
"""The tests that dp_accounting 0.6.0 ships, on this library under its names: which pass."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("dp_accounting", reason="the extra dp-accounting is not installed")

VERSION = "0.6.0"

# How many there are, and how many pass.
COUNTS = {
    "common": (37, 17),
    "pld_pmf": (83, 83),
    "privacy_loss_distribution": (224, 152),
    "accountant": (21, 19),
    "pld_privacy_accountant": (68, 67),
}

# The others ask for what is not offered,
LEFT_OUT = (
    "test_compute_self_convolve_with_t",
    "test_convolve_dictionary",
    "test_self_convolve",
    "test_asinh_exp",
    "test_log_",
)
# or how probabilities look where a caller truncates much,
SHOWN = (
    "test_discrete_laplace_varying_parameter_and_sensitivity",
    "test_gaussian_",
    "test_mixture_gaussian_",
)
# or an answer that is tighter here.
TIGHTER = (
    "test_truncated_",
    "test_get_smallest_subsampled_gaussian_noise_",
)


@pytest.mark.deep
@pytest.mark.skipif(metadata.version("dp-accounting") != VERSION, reason=f"not {VERSION}")
def test_their_tests_pass():
    program = [sys.executable, str(Path(__file__).with_name("own_tests.py")), *COUNTS]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    assert not any(result["skipped"] for result in results.values())
    failed = [name for result in results.values() for name in result["failed"]]
    assert [name for name in failed if not name.startswith(LEFT_OUT + SHOWN + TIGHTER)] == []
    passed = {
        name: (result["run"], result["run"] - sum(result["failed"].values()))
        for name, result in results.items()
    }
    assert passed == COUNTS
