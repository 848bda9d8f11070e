# SPDX-License-Identifier: Apache-2.0
"""Threads that share an array: the same answers, one watch, one error; by the C library."""

import subprocess
import sys
import threading
from ctypes import byref, c_int64

import numpy as np
import pytest

import c_library as library
import hockeystick as hs
from c_library import Answer, Refused, doubles, lib, options

COUNT = 12
NOISE = np.linspace(0.7, 3.0, COUNT)
RATE, DELTA, STEPS = [0.01] * COUNT, [1e-6] * COUNT, range(100, 125 * COUNT, 125)


def ask(name, *columns, **fields):
    """All ends of a question about an array."""
    arrays = [(c_int64 * COUNT)(*c) if isinstance(c, range) else doubles(c) for c in columns]
    answers = (Answer * COUNT)()
    question = getattr(lib, f"hs_dpsgd_{name}")
    library.checked(question(*arrays, COUNT, byref(options(**fields)), answers))
    return [(one.lower, one.upper) for one in answers]


QUESTIONS = {
    "epsilon": (NOISE, RATE, STEPS, DELTA),
    "noise_multiplier": (RATE, STEPS, [2.0] * COUNT, DELTA),
    "sampling_probability": (NOISE, STEPS, [2.0] * COUNT, DELTA),
    "steps": (NOISE, RATE, [2.0] * COUNT, DELTA),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_have_the_same_bits(name):
    alone = ask(name, *QUESTIONS[name])
    assert all(lower <= upper for lower, upper in alone)
    for threads in (0, 2, 7, 1024):
        assert ask(name, *QUESTIONS[name], threads=threads) == alone


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_watch_is_asked_by_the_caller_and_stops_all(threads):
    callers = []

    def watch(_):
        callers.append(threading.get_ident())
        return len(callers) >= 3

    rates, steps, deltas = [1e-5] * COUNT, range(10**4, 10**4 + COUNT), [1e-9] * COUNT
    fields = {"tolerance": 1e-10, "memory_limit": 2**30, "watch": library.WATCH(watch)}
    with pytest.raises(Refused) as refused:
        ask("epsilon", [0.5] * COUNT, rates, steps, deltas, threads=threads, **fields)
    assert refused.value.status == library.STOPPED
    assert callers == [threading.get_ident()] * 3


def test_the_first_bad_argument_is_named():
    budgets = [2.0] * 7 + [-1.0, *[-2.0] * 4]
    for threads in (1, 5):
        with pytest.raises(Refused, match="epsilon must be .*, got -1$"):
            ask("noise_multiplier", RATE, STEPS, budgets, DELTA, threads=threads)
    with pytest.raises(Refused, match="must be within the reach of the run"):
        ask("noise_multiplier", [1.0] * COUNT, STEPS, [0.0] * COUNT, [1e-15] * COUNT, threads=3)


def test_a_time_limit_ends_all():
    with pytest.raises(TimeoutError), hs.time_limit(0.2):
        hs.dpsgd_epsilon(
            noise_multiplier=0.05,
            sampling_probability=0.5,
            steps=np.arange(10**6, 10**6 + 400),
            delta=1e-6,
            tolerance=2e-12,
            threads=3,
        )


FEW = """
import resource
import numpy as np
import hockeystick as hs
run = dict(noise_multiplier=np.linspace(1, 2, 1024), sampling_probability=0.01)
run |= dict(steps=100, delta=1e-5)
alone = hs.dpsgd_epsilon(**run)
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 2**26, -1))
assert (hs.dpsgd_epsilon(**run, threads=1024) == alone).all()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_where_the_system_has_no_more_threads_fewer_answer():
    done = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
