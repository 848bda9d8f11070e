# SPDX-License-Identifier: Apache-2.0
"""Many threads at once: the same answers, no more memory, and no lock where Python has none."""

import subprocess
import sys
import sysconfig

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="measures memory the POSIX way")
def test_a_small_soak(samples):
    from soak import soak  # noqa: PLC0415, not on Windows

    report = soak(samples(1600), distinct=100)
    assert report.questions >= samples(1600)
    assert report.wrong == 0
    assert report.growth < 2**24


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs a free-threaded Python"
)
def test_importing_it_leaves_the_threads_free():
    code = "import sys, hockeystick; sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0
