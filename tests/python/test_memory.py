# SPDX-License-Identifier: Apache-2.0
"""Where the system denies memory, MemoryError says so, and nothing else changes."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")

CHILD = """
import resource
import hockeystick as hs
step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
laplace, quiet = hs.Laplace(2.0), hs.Laplace(150.0).poisson_sampled(0.5)
short = lambda: [tuple((1000 * step).epsilon_bounds(1e-5)), (9 * laplace).delta(0.3)]
before = short()
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
long = [
    lambda: (1000 * step).pld(discretization_interval=1e-6, memory_limit=2**34),
    lambda: (10**6 * quiet).epsilon_bounds(1e-6, tolerance=1e-9, memory_limit=2**36),
    lambda: (1000 * step).pld(side="lower", discretization_interval=1e-6, memory_limit=2**34),
]
resource.setrlimit(resource.RLIMIT_AS, (held + 2**26, -1))
for question in long:
    try:
        question()
    except MemoryError:
        print("denied")
    assert short() == before
"""


def test_denied_memory_is_a_memory_error():
    child = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert child.stdout.split() == ["denied"] * 3
