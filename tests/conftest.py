# SPDX-License-Identifier: Apache-2.0
"""The `--deep` option, and the two Hypothesis profiles it chooses between."""

import pytest
from hypothesis import HealthCheck, settings

DEEP_FACTOR = 125

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


def pytest_configure(config):
    settings.load_profile("deep" if config.getoption("--deep") else "quick")


@pytest.fixture(scope="session")
def samples(request):
    """``samples(n)``: n as it stands, and DEEP_FACTOR times as many under `--deep`."""
    factor = DEEP_FACTOR if request.config.getoption("--deep") else 1
    return lambda number: number * factor
