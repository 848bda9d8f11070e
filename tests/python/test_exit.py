# SPDX-License-Identifier: Apache-2.0
"""A process that ends while its threads compute ends as asked, and soon."""

import subprocess
import sys

import pytest

LATEST = 30  # seconds for one of these processes, which take half of one

COMMON = """
import atexit, sys, threading, time
import hockeystick as hs

step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)

def long():
    (1000 * step).pld(discretization_interval=1e-6, memory_limit=2**32)

def shared():
    hs.dpsgd_epsilon(noise_multiplier=[1.0] * 10**5, sampling_probability=0.01,
        steps=1000, delta=1e-5, threads=2)

def short():
    (30 * hs.Laplace(noise_multiplier=2.0)).delta_bounds(1.0)

def ever(question):
    while True:
        question()

def stubborn(question):
    while True:
        try:
            question()
        except BaseException:
            pass

for name in sys.argv[2:]:
    body, question = name.split(":")
    threading.Thread(target=globals()[body], args=(globals()[question],), daemon=True).start()
time.sleep(0.15)
"""

ENDS = {
    "end": ("print('end')", 0),
    "exit": ("print('end'); sys.exit(3)", 3),
    "error": ("print('end'); raise SystemExit(4)", 4),
    "later": ("atexit.register(lambda: (short(), print('end')))", 0),
}
WORKERS = {
    "long": ["ever:long"],
    "short": ["ever:short"] * 3,
    "shared": ["ever:shared"],
    "both": ["ever:long", "ever:short", "stubborn:short"],
}


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=LATEST,
        check=False,
    )


@pytest.mark.every(3)
@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("end", ENDS)
def test_daemon_threads_end_with_the_process(workers, end, samples):
    last, code = ENDS[end]
    for _ in range(min(samples(1), 25)):
        done = run(f"{COMMON}\n{last}", end, *WORKERS[workers])
        assert (done.returncode, done.stdout, done.stderr) == (code, "end\n", "")


# What was registered before hockeystick was imported is called after its own.
BEFORE = """
import atexit
ask = []
atexit.register(lambda: (ask[0](), print('end')))
"""


def test_the_ending_thread_may_still_ask():
    done = run(f"{BEFORE}{COMMON}\nask.append(short)", "before", *WORKERS["both"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
