# SPDX-License-Identifier: Apache-2.0
"""A limit of time ends the questions of its thread, and leaves nothing behind."""

import threading
import time
from itertools import repeat

import pytest

import hockeystick as hs

LATEST = 2.0  # seconds until a question that is to end has ended; 0.1 without others on the machine
STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)


def ask_for_long(threads=1):
    """Half a minute, if left alone."""
    hs.dpsgd_epsilon(
        noise_multiplier=[0.7 + k / 10**6 for k in range(10**6)],
        sampling_probability=0.01,
        steps=1000,
        delta=1e-5,
        threads=threads,
    )


def assert_it_ends(threads=1):
    start = time.monotonic()
    over = pytest.raises(TimeoutError, match="the time_limit of this thread is over")
    with over, hs.time_limit(0.3):
        ask_for_long(threads)
    assert 0.3 <= time.monotonic() - start < 0.3 + LATEST


def test_a_long_question_ends_and_the_next_is_answered():
    expected = (1000 * STEP).epsilon_bounds(1e-5)
    assert_it_ends()
    assert tuple((1000 * STEP).epsilon_bounds(1e-5)) == tuple(expected)


def test_threads_that_share_a_question_share_its_limit():
    assert_it_ends(threads=2)
    with hs.time_limit(100):
        STEP.epsilon(1e-5)
    hs.dpsgd_epsilon(
        noise_multiplier=[1.0, 2.0], sampling_probability=0.01, steps=10, delta=1e-5, threads=2
    )


def test_other_threads_have_limits_of_their_own():
    failures = []

    def limited():
        try:
            assert_it_ends()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    thread = threading.Thread(target=limited)
    thread.start()
    while thread.is_alive():
        (1000 * STEP).epsilon_bounds(1e-5)
    thread.join()
    assert not failures


def test_the_sooner_end_holds_and_a_later_question_is_refused():
    with hs.time_limit(0), hs.time_limit(100), pytest.raises(TimeoutError):
        STEP.epsilon(1e-5)
    with hs.time_limit(100):
        with pytest.raises(TimeoutError), hs.time_limit(0):
            STEP.epsilon(1e-5)
        assert STEP.epsilon(1e-5) > 0


def test_many_short_questions_together_are_limited():
    start = time.monotonic()
    with pytest.raises(TimeoutError), hs.time_limit(0.2):
        list(map(STEP.epsilon, repeat(1e-5)))
    assert time.monotonic() - start < 0.2 + LATEST


def test_nothing_is_admitted_when_the_time_is_over():
    acct = hs.Accountant().compose(STEP)
    with pytest.raises(TimeoutError), hs.time_limit(0):
        acct.admit(STEP, epsilon=1, delta=1e-5)
    assert acct.ledger == ((STEP, 1),)
    assert acct.admit(STEP, epsilon=1, delta=1e-5)
