# SPDX-License-Identifier: Apache-2.0
"""Which tests run, and on how many samples: `--deep`, `--samples` and `--shipped`."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hockeystick import _core

os.environ.setdefault("KERAS_BACKEND", "torch")  # where Keras is installed, so is this one

WITHOUT_INTERNALS = {
    "callbacks",
    "compat",
    "python",
    "verify",
}  # folders of tests that a wheel can run
_GOLDEN = 0.6180339887498949


def pytest_addoption(parser):
    parser.addoption("--deep", action="store_true", help="also the repetitions marked deep")
    parser.addoption(
        "--samples", type=int, default=1, metavar="FACTOR", help="times as many random samples"
    )
    parser.addoption("--shipped", action="store_true", help="leave out the tests of internals")


def pytest_configure(config):
    if not (config.getoption("--shipped") or hasattr(_core, "parts")):
        pytest.exit(
            "hockeystick is installed without the internals that its tests ask for: run "
            'pip install ".[test]" -C cmake.define.HOCKEYSTICK_PARTS=ON, or pytest --shipped'
        )
    factor = config.getoption("--samples")
    many = {"suppress_health_check": [HealthCheck.too_slow]} if factor > 1 else {}
    every = {"derandomize": True, "deadline": None, **many}
    settings.register_profile("chosen", max_examples=20 * factor, **every)
    settings.load_profile("chosen")


def pytest_ignore_collect(collection_path, config):
    """Whether to leave out a folder: all that ask for internals, under `--shipped`."""
    if collection_path.is_dir() and collection_path.parent == Path(__file__).parent:
        return (
            config.getoption("--shipped") and collection_path.name not in WITHOUT_INTERNALS
        ) or None
    return None


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marks
def pytest_collection_modifyitems(config, items):
    """Mark deep all but one in n cases of what is marked every(n); leave out deep tests.

    The cases kept are spread evenly over each parameter, by multiples of the golden ratio.
    """
    cases = Counter()
    for item in items:
        if every := item.get_closest_marker("every"):
            test = item.nodeid.partition("[")[0]
            if cases[test] * _GOLDEN % 1 >= 1 / every.args[0]:
                item.add_marker(pytest.mark.deep)
            cases[test] += 1
    if config.getoption("--deep"):
        return
    deep = [item for item in items if item.get_closest_marker("deep")]
    config.hook.pytest_deselected(items=deep)
    items[:] = [item for item in items if not item.get_closest_marker("deep")]


@pytest.fixture(autouse=True)
def _bits(request):
    """Ball arithmetic of as many bits as the mark says."""
    if not (mark := request.node.get_closest_marker("bits")):
        yield
        return
    from flint import ctx  # noqa: PLC0415 (tests of wheels do without)

    with ctx.workprec(*mark.args):
        yield


@pytest.fixture(scope="session")
def samples(request):
    """``samples(n)``: n times what `--samples` says."""
    factor = request.config.getoption("--samples")
    return lambda number: number * factor
