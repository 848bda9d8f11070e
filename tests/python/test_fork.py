# SPDX-License-Identifier: Apache-2.0
"""Children of a process whose threads compute: they compute too, and get the same bits."""

import multiprocessing
import os
import subprocess
import sys

import pytest

WITHOUT_LOCK = not getattr(sys, "_is_gil_enabled", lambda: True)()
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork"),
    # Its fork does not wait until threads unlock its own objects: caches, sets of classes.
    pytest.mark.skipif(
        WITHOUT_LOCK, reason="a Python without global lock cannot fork while threads compute"
    ),
]

LATEST = 60  # seconds for one of these processes, which take one or two

# Its questions use all that threads share: transforms, their tables, workspaces.
COMMON = """
import multiprocessing, os, signal, sys, threading, time, warnings
import hockeystick as hs

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forking with threads
step = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
noise = hs.DiscreteLaplace(parameter=0.7)

def ask(k):
    run = (20 + k % 30) * noise + 3 * hs.Laplace(noise_multiplier=2.0 + k % 7)
    return tuple(run.delta_bounds(1.0 + k % 5)) + tuple((100 * step).epsilon_bounds(1e-5))

def work(stop):
    k = 0
    while not stop.is_set():
        ask(k := k + 1)

def busy(threads=3):
    stop = threading.Event()
    workers = [threading.Thread(target=work, args=(stop,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    return stop, workers

expected = ask(11)
"""

FORK = (
    COMMON
    + """
stop, workers = busy()
try:
    for _ in range(int(sys.argv[1])):
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if ask(11) == expected else 1)
            finally:
                os._exit(2)
        deadline = time.monotonic() + 15
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                sys.exit("a child waits for ever")
            time.sleep(0.001)
        if ended[1]:
            sys.exit(f"a child ended with {ended[1]}")
finally:
    stop.set()
    for worker in workers:
        worker.join()
"""
)

# Pools of workers, made while threads compute: forked, or by a server that was.
POOL = (
    COMMON
    + """
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    stop, workers = busy(2)
    try:
        with context.Pool(2) as pool:
            answers = pool.map_async(ask, [11] * 6).get(timeout=40)
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    sys.exit(0 if answers == [expected] * 6 else "other answers")
"""
)

# As servers preload: the master computes, forks, the workers' threads compute, and they exit.
PRELOAD = (
    COMMON
    + """
stop, workers = busy(1)
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        stop, workers = busy(2)  # no thread of the master is here
        same = ask(11) == expected
        stop.set()
        for worker in workers:
            worker.join()
        threading.Thread(target=work, args=(threading.Event(),), daemon=True).start()
        time.sleep(0.02)
        sys.exit(0 if same else 1)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
stop.set()
for worker in workers:
    worker.join()
sys.exit(0 if codes == [0] * 4 else str(codes))
"""
)

# A worker that its supervisor interrupts, forked by another thread than the main one.
INTERRUPT = (
    COMMON
    + """
def fork():
    global child
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            sum(10**6 * hs.Laplace(noise_multiplier=c) for c in (1e3, 2e3, 3e3, 4e3)).pld(
                discretization_interval=4e-7, support=[-1e-3, 0.0, 1e-3], memory_limit=2**32
            )
        except KeyboardInterrupt:
            os._exit(0 if time.monotonic() - start < 2 else 3)
        finally:
            os._exit(1)

thread = threading.Thread(target=fork)
thread.start()
thread.join()
sys.exit(os.waitpid(child, 0)[1])
"""
)


# A child of a process whose thread asks for the first time, and imports what it needs for that.
FIRST = """
import os, signal, sys, threading, warnings
import numpy as np
import hockeystick as hs

warnings.simplefilter("ignore", DeprecationWarning)

def ask():
    eval(sys.argv[1])

thread = threading.Thread(target=ask)
thread.start()
child = os.fork()
if child == 0:
    signal.alarm(20)
    ask()
    os._exit(0)
thread.join()
sys.exit(os.waitpid(child, 0)[1])
"""
FIRST_QUESTIONS = {
    "ledger": "hs.Accountant().to_json()",
    "calibration": "hs.dpsgd_noise_multiplier(epsilon=2, delta=1e-5, sampling_probability=0.01, "
    "steps=1000)",
    "threads": "hs.dpsgd_epsilon(noise_multiplier=np.linspace(1, 2, 300), "
    "sampling_probability=0.01, steps=1000, delta=1e-5, threads=2)",
    "toml": "hs.Accountant.read_text('ledger = []', toml=True)",
}


def run(tmp_path, code, *arguments):
    """The code in a process of its own; a file, because forkserver reads it again."""
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LATEST,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_child_of_a_computing_process_computes(tmp_path, samples):
    run(tmp_path, FORK, min(samples(40), 400))


@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_pools_of_a_computing_process(tmp_path, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    run(tmp_path, POOL, method)


def test_a_preloading_master_and_its_workers(tmp_path):
    run(tmp_path, PRELOAD)


def test_a_child_of_another_thread_can_be_interrupted(tmp_path):
    run(tmp_path, INTERRUPT)


@pytest.mark.parametrize("question", FIRST_QUESTIONS)
def test_a_child_of_a_process_that_imports_computes(tmp_path, question, samples):
    for _ in range(min(samples(3), 30)):
        run(tmp_path, FIRST, FIRST_QUESTIONS[question])
