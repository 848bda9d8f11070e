# SPDX-License-Identifier: Apache-2.0
"""Kernels: listed, forced by HOCKEYSTICK_KERNEL, refused when unknown."""

import os
import subprocess
import sys

import pytest

from hockeystick import _core

PRINT_KERNEL = "from hockeystick import _core; print(_core.kernel())"


def run(kernel):
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "HOCKEYSTICK_KERNEL": kernel, "PYTHONPATH": path}
    command = [sys.executable, "-c", PRINT_KERNEL]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_scalar_is_always_there():
    kernels = _core.numeric.available_kernels()
    assert kernels[-1] == "scalar"
    assert len(set(kernels)) == len(kernels)
    assert _core.kernel() in kernels


@pytest.mark.parametrize("kernel", _core.numeric.available_kernels())
def test_environment_forces_a_kernel(kernel):
    assert run(kernel).stdout.strip() == kernel


def test_empty_means_the_fastest():
    assert run("").stdout.strip() == _core.numeric.available_kernels()[0]


def test_unknown_name_is_refused_with_the_list():
    refused = run("sse9")
    assert refused.returncode != 0
    assert "ValueError" in refused.stderr
    assert (
        f"must be one of {', '.join(_core.numeric.available_kernels())}, got sse9" in refused.stderr
    )


def test_unknown_name_in_a_call():
    with pytest.raises(ValueError, match="got nothing"):
        _core.numeric.rfft([1.0, 2.0], "nothing")
