# SPDX-License-Identifier: Apache-2.0
"""The C library answers as the Python package does, and refuses what it refuses."""

import itertools
import math
import re
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_ubyte, cast, sizeof
from functools import partial
from pathlib import Path

import pytest

import c_library as library
import hockeystick as hs
from c_library import Answer, Refused, Run, doubles, lib, options

ROOT = Path(__file__).parents[2]
STEP = {"noise_multiplier": 1.0, "sampling_probability": 0.01}
SAMPLED = "poisson_sampled(gaussian)"


def dpsgd(noise=1.0, rate=0.01, steps=100, delta=1e-5, n=1, opts=None):
    answers = (Answer * 1)()
    status = lib.hs_dpsgd_epsilon(
        *(doubles([noise]), doubles([rate]), (c_int64 * 1)(steps), doubles([delta]), n),
        *(opts, answers),
    )
    library.checked(status)
    return answers[0].lower, answers[0].upper


def test_versions():
    assert lib.hs_abi_version() == 1
    listed = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{lib.hs_version().decode()}"' in listed


def texts(ask):
    """What a function of an index returns, up to NULL."""
    return [text.decode() for text in iter(map(ask, itertools.count()).__next__, None)]


def test_the_manual_lists_the_mechanisms():
    page = (ROOT / "docs" / "c.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    table = [
        (name, ", ".join(f"`{text}`" for text in texts(partial(lib.hs_mechanism_parameter, k))))
        for k, name in enumerate(texts(lib.hs_mechanism_name))
    ]
    assert table == [row for row in listed if not row[0].startswith("HS_")]


def test_arrays_of_dpsgd_are_those_of_python():
    bounds = hs.dpsgd_epsilon_bounds(
        noise_multiplier=1.0, sampling_probability=0.01, steps=100, delta=1e-5
    )
    assert dpsgd() == (bounds.lower, bounds.upper)


def test_null_is_refused_or_nothing():
    run, answers, deltas = Run(), (Answer * 1)(), doubles([1e-5])
    assert lib.hs_epsilon(None, deltas, 1, None, answers) == library.BAD_ARGUMENT
    assert lib.hs_epsilon(run.handle, None, 1, None, answers) == library.BAD_ARGUMENT
    assert lib.hs_epsilon(run.handle, deltas, 1, None, None) == library.BAD_ARGUMENT
    assert lib.hs_run_add(None, b"gaussian", None, 0, 1) == library.BAD_ARGUMENT
    assert lib.hs_run_add(run.handle, None, None, 0, 1) == library.BAD_ARGUMENT
    assert lib.hs_run_add(run.handle, b"gaussian", None, 1, 1) == library.BAD_ARGUMENT
    assert lib.hs_run_add(run.handle, b"gaussian", (library.Parameter * 1)(), 1, 1) < 0
    assert lib.hs_run_add_json(run.handle, None, 5) == library.BAD_ARGUMENT
    assert lib.hs_epsilon(run.handle, None, 0, None, None) == library.OK
    lib.hs_run_free(None)
    lib.hs_default_options(None, 0)


@pytest.mark.parametrize("size", [48, 56, 64])
def test_defaults_are_written_to_what_the_caller_has(size):
    room = (c_ubyte * 72)(*[7] * 72)
    lib.hs_default_options(cast(room, POINTER(library.Options)), size)
    assert int.from_bytes(room[:8], "little") == size
    assert set(room[size:]) == {7}
    assert not any(room[sizeof(library.Options) : size])
    answers = (Answer * 1)()
    step = Run().add("gaussian", noise_multiplier=1.0)
    asked = cast(room, POINTER(library.Options)).contents
    assert lib.hs_epsilon(step.handle, doubles([1e-5]), 1, byref(asked), answers) == library.OK


def test_a_failure_writes_nothing():
    answers = (Answer * 2)()
    answers[0].lower = -7.0
    run = Run().add("gaussian", noise_multiplier=1.0)
    assert lib.hs_epsilon(run.handle, doubles([1e-5, 2.0]), 2, None, answers) < 0
    assert answers[0].lower == -7.0


def test_a_memory_limit_that_is_too_small_leaves_wide_bounds():
    run = Run().add("poisson_sampled(laplace)", 3000, noise_multiplier=2, sampling_probability=0.05)
    status, ((lower, upper),) = run.ask("epsilon", [1e-5], tolerance=1e-9, memory_limit=10**5)
    assert status == library.WIDE
    assert lower < upper


def test_a_memory_limit_may_be_none():
    asked = {"noise": 0.7, "rate": 0.3, "steps": 500, "delta": 1e-6}
    found = {dpsgd(**asked, opts=byref(options(memory_limit=m))) for m in (2**30, 2**63, 2**64 - 1)}
    assert len(found) == 1


def test_the_watch_stops_a_long_question():
    calls = []

    def watch(_):
        calls.append(1)
        return len(calls) >= 3

    run = Run().add("poisson_sampled(laplace)", 3000, noise_multiplier=2, sampling_probability=0.05)
    with pytest.raises(Refused) as refusal:
        run.ask("epsilon", [1e-5], tolerance=1e-9, memory_limit=2**31, watch=library.WATCH(watch))
    assert refusal.value.status == library.STOPPED
    assert len(calls) == 3


def test_threads_share_a_run():
    run = Run().add(SAMPLED, 1000, **STEP).add("laplace", 3, noise_multiplier=10.0)
    expected = run.ask("epsilon", [1e-5])
    wrong = []

    def ask(k):
        for _ in range(5):
            if run.ask("epsilon", [1e-5]) != expected:
                wrong.append(k)
            if lib.hs_epsilon(None, None, 0, None, None) != library.BAD_ARGUMENT:
                wrong.append(k)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert not wrong


def test_pure_epsilon():
    """At delta = 0, the largest loss; of random allocations that of a step."""
    run = Run()
    run.add("laplace", count=3, noise_multiplier=2.0)
    assert run.ask("epsilon", [0.0, 1e-9])[1][0] == (1.5, 1.5)
    run.add("random_allocation(laplace)", noise_multiplier=1.0, steps=10)
    assert run.ask("epsilon", [1e-9, 0.0])[1][1] == (2.5, 2.5)
    run.add("gaussian", noise_multiplier=1.0)
    assert run.ask("epsilon", [0.0])[1] == [(math.inf, math.inf)]
    assert dpsgd(delta=0.0) == (math.inf, math.inf)


def by_pointers(text, delta):
    """What R's .C asks, and what it finds."""
    ledger, why = c_char_p(text), c_char_p()
    at, lower, upper, status = c_double(delta), c_double(-7), c_double(-7), c_int()
    lib.hs_epsilon_by_pointers(*map(byref, (ledger, at, lower, upper, status, why)))
    return lower.value, upper.value, status.value, why.value.decode()


def test_pointers_alone_ask_a_ledger():
    run = 1000 * hs.Gaussian(1.0).poisson_sampled(0.01) + 5 * hs.Laplace(20.0)
    text, bounds = run.to_json().encode(), run.epsilon_bounds(1e-5)
    assert by_pointers(text, 1e-5) == (bounds.lower, bounds.upper, library.OK, "")
    for bad, delta, said in (
        (text, 2.0, "delta"),
        (text[:-9], 1e-5, ""),
        (b"{}", 1e-5, "schema"),
        (None, 1e-5, "ledger must be given, got NULL"),
    ):
        lower, upper, status, why = by_pointers(bad, delta)
        assert (lower, upper, status) == (-7, -7, library.BAD_ARGUMENT)
        assert said in why
        assert why
    lib.hs_epsilon_by_pointers(None, None, None, None, None, None)
