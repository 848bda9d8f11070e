# SPDX-License-Identifier: Apache-2.0
"""The options `--deep` and `--shipped`, and the two Hypothesis profiles of `--deep`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hockeystick import _core

DEEP_FACTOR = 125
WITHOUT_INTERNALS = {"compat", "python", "verify"}  # folders of tests that a wheel can run

settings.register_profile("quick", max_examples=20, derandomize=True, deadline=None)
settings.register_profile(
    "deep",
    max_examples=20 * DEEP_FACTOR,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_addoption(parser):
    parser.addoption("--deep", action="store_true", help="many more samples of everything random")
    parser.addoption("--shipped", action="store_true", help="leave out the tests of internals")


def pytest_configure(config):
    if not (config.getoption("--shipped") or hasattr(_core, "parts")):
        pytest.exit(
            "hockeystick is installed without the internals that its tests ask for: run "
            'pip install ".[test]" -C cmake.define.HOCKEYSTICK_PARTS=ON, or pytest --shipped'
        )
    settings.load_profile("deep" if config.getoption("--deep") else "quick")


def pytest_ignore_collect(collection_path, config):
    """Whether to leave out a folder: all that ask for internals, under `--shipped`."""
    if collection_path.is_dir() and collection_path.parent == Path(__file__).parent:
        return (
            config.getoption("--shipped") and collection_path.name not in WITHOUT_INTERNALS
        ) or None
    return None


@pytest.fixture(scope="session")
def samples(request):
    """``samples(n)``: n as it stands, and DEEP_FACTOR times as many under `--deep`."""
    factor = DEEP_FACTOR if request.config.getoption("--deep") else 1
    return lambda number: number * factor
