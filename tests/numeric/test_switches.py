# SPDX-License-Identifier: Apache-2.0
"""Switches of special cases and tuned constants, in a build with the internals."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
import hockeystick as hs
rows = (1000 * hs.Gaussian(1.0).poisson_sampled(0.01)).explain(delta=1e-5).directions[0]
print(next(row.method for row in rows if row.verdict == "chosen"))
"""


@pytest.mark.parametrize(
    ("variable", "value", "chosen"),
    [
        ("OFF", "", "contour_integral"),
        ("OFF", "contour", "contour_integral"),
        ("OFF", "cut,contour_integral", "fft_"),
        ("TUNING", "line=1e12", "fft_"),
        ("TUNING", "node=120,line=1e12", "fft_"),
        ("TUNING", "question=1e12", "contour_integral"),
    ],
)
def test_the_environment_turns_methods_off_and_sets_tuned_constants(variable, value, chosen):
    environment = os.environ | {f"HOCKEYSTICK_{variable}": value}
    found = subprocess.run(
        [sys.executable, "-c", ASK], check=True, capture_output=True, text=True, env=environment
    )
    assert found.stdout.startswith(chosen)


def test_the_internals_change_one_file_of_the_core():
    """So that a build with them, after one without, compiles nothing else again."""
    core = Path(__file__).parents[2] / "cpp"
    readers = [
        path.name for path in core.rglob("*.[ch]pp") if "HOCKEYSTICK_PARTS" in path.read_text()
    ]
    assert readers == ["switches.cpp"]
    assert (core / "CMakeLists.txt").read_text().count("DEFINITIONS HOCKEYSTICK_PARTS") == 1
