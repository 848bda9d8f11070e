# SPDX-License-Identifier: Apache-2.0
"""Type checkers see real signatures. Skipped where pyright is not there, or cannot run."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def pyright():
    """Runs pyright, which fetches itself where it has not run before."""
    program = shutil.which("pyright")
    if program is None:
        pytest.skip("pyright is not installed")

    def run(*arguments):
        return subprocess.run(
            [program, *arguments], capture_output=True, text=True, check=False, cwd=TESTS
        )

    if not run("--version").stdout.startswith("pyright "):
        pytest.skip("pyright cannot run here")
    return run


def test_signatures_are_known(pyright):
    told = pyright("--verifytypes", "hockeystick", "--ignoreexternal").stdout
    score = re.search(r"Type completeness score: ([\d.]+)%", told)
    assert float(score[1]) >= 97, told


def test_answers_have_the_types_of_questions(pyright):
    done = pyright("typed.py")
    assert done.returncode == 0, done.stdout
