# SPDX-License-Identifier: Apache-2.0
"""An interrupt ends a long computation at once, and leaves nothing behind."""

import signal
import subprocess
import sys
import time

import pytest

import hockeystick as hs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")

SHORT = "(1000 * step).epsilon_bounds(delta=1e-5)"
PATIENCE = 0.5  # seconds until the interrupt
LATEST = 10.0  # seconds; 0.1 without others on the machine, which may be slow

# Each takes from three seconds to some minutes if left alone.
LONG = {
    "discretization": "(1000 * step).pld(discretization_interval=1e-6, memory_limit=2**32)",
    "transform": """sum(10**6 * hs.Laplace(noise_multiplier=c) for c in (1e3, 2e3, 3e3, 4e3)).pld(
        discretization_interval=4e-7, support=[-1e-3, 0.0, 1e-3], memory_limit=2**32)""",
    "curve": "(1000 * step).epsilon_bounds(delta=np.geomspace(1e-12, 0.4, 2 * 10**6))",
    "many_runs": """hs.dpsgd_epsilon(noise_multiplier=[0.7 + k / 10**6 for k in range(10**6)],
        sampling_probability=0.01, steps=1000, delta=1e-5)""",
    "many_threads": """hs.dpsgd_epsilon(noise_multiplier=[0.7 + k / 10**6 for k in range(10**6)],
        sampling_probability=0.01, steps=1000, delta=1e-5, threads=2)""",
    "mixture": """hs.GaussianMixture(standard_deviation=1.0,
        sensitivities=[k / 50 for k in range(100)], probabilities=[0.01] * 100)
        .pld(discretization_interval=1e-5)""",
    "tail": """(1000 * hs.Laplace(noise_multiplier=2.0).poisson_sampled(0.01))
        .probabilistic_delta_bounds(np.linspace(0.1, 2.0, 20_000), tolerance=1e-3)""",
    "calibration": """hs.calibrate(lambda c: (1000 * hs.Laplace(noise_multiplier=c)
        .poisson_sampled(0.01)), epsilon=1.0, delta=1e-6, tolerance=1e-10, memory_limit=2**32)""",
}

CHILD = f"""
import signal, sys, time
import numpy as np
import hockeystick as hs
signal.signal(signal.SIGINT, signal.default_int_handler)
step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
{SHORT}
print("started", flush=True)
try:
    eval(sys.argv[1])
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
    print(tuple({SHORT}), flush=True)
"""


@pytest.mark.parametrize("kind", LONG)
def test_an_interrupt_ends_it(kind, record_property):
    question = " ".join(LONG[kind].split())
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, question], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "started\n"
        time.sleep(PATIENCE)
        assert child.poll() is None
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        ended = float(child.stdout.readline())
        answer = child.stdout.readline()
    record_property("seconds", ended - sent)
    print(f"{kind}: {ended - sent:.3f} s after the interrupt")  # noqa: T201
    assert 0 <= ended - sent < LATEST
    step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    assert answer.strip() == str(tuple((1000 * step).epsilon_bounds(delta=1e-5)))
