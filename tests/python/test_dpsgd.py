# SPDX-License-Identifier: Apache-2.0
"""DP-SGD over arrays: every element is the answer to its own composition."""

import threading
import time

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import Adjacency, dpsgd

RUN = {"noise_multiplier": 1.0, "sampling_probability": 0.01, "steps": 100, "delta": 1e-5}


def composed(noise_multiplier, sampling_probability, steps, delta, **options):
    step = hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)
    return (steps * step).epsilon_bounds(delta, **options)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_every_element_is_the_answer_of_the_composition(adjacency):
    noise = np.array([0.8, 2.0])[:, None, None, None]
    q = np.array([0.0, 0.01, 1.0])[:, None, None]
    steps = np.array([0, 20, 300])[:, None]
    delta = np.array([1e-4, 1e-7])
    options = {"adjacency": adjacency, "tolerance": 1e-2, "memory_limit": 2**29}
    bounds = hs.dpsgd_epsilon_bounds(
        noise_multiplier=noise, sampling_probability=q, steps=steps, delta=delta, **options
    )
    assert bounds.lower.shape == bounds.upper.shape == (2, 3, 3, 2)
    runs = np.broadcast(noise, q, steps, delta)
    for index, run in zip(np.ndindex(runs.shape), runs, strict=True):
        alone = composed(*(value.item() for value in run), **options)
        assert (bounds.lower[index], bounds.upper[index]) == alone
        for entry, expected in zip(bounds.error_budget, alone.error_budget, strict=True):
            assert entry[index] == expected
    assert np.array_equal(
        bounds.upper,
        hs.dpsgd_epsilon(
            noise_multiplier=noise, sampling_probability=q, steps=steps, delta=delta, **options
        ),
    )


def test_plain_gaussians_are_enclosed_truly():
    steps = np.array([1, 10, 100])
    bounds = hs.dpsgd_epsilon_bounds(**RUN | {"sampling_probability": 1, "steps": steps})
    for count, lower, upper in zip(steps, *bounds, strict=True):
        with ctx.workprec(320):
            mu = arb(int(count)).sqrt()
            assert gaussian_delta(mu, arb(upper)) <= 1e-5 <= gaussian_delta(mu, arb(lower))
        assert upper - lower <= 1e-9 * upper


def test_other_threads_run_during_a_batch():
    steps = np.arange(1, 10_001)
    started, finished = threading.Event(), threading.Event()

    def batch():
        started.set()
        hs.dpsgd_epsilon(**RUN | {"steps": steps, "tolerance": 1e-4})
        finished.set()

    thread = threading.Thread(target=batch)
    thread.start()
    started.wait()
    time.sleep(0.05)
    assert not finished.is_set()  # with the lock held, this line would run after the batch
    thread.join()


@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_the_first_question_out_of_reach_is_named(chunk, monkeypatch):
    monkeypatch.setattr(dpsgd, "_CHUNK", chunk)
    runs = RUN | {"steps": [0, 10**7, 2 * 10**7], "tolerance": 2e-12, "memory_limit": 2**20}
    with pytest.raises(
        hs.CertificationError, match=r"^noise_multiplier = 1.0, .*steps = 10000000, .*: tol"
    ) as caught:
        hs.dpsgd_epsilon(**runs)
    error = caught.value
    assert error.limited_by == "memory_limit"
    assert error.bounds.lower[0] == error.bounds.upper[0] == 0
    exact = hs.dpsgd_epsilon_bounds(**RUN | {"steps": [0, 10**7, 2 * 10**7]})
    assert np.all(error.bounds.lower <= exact.upper)
    assert np.all(exact.lower <= error.bounds.upper)


@pytest.mark.parametrize("threads", [2, 7])
def test_answers_do_not_depend_on_the_number_of_threads(threads):
    runs = {
        "noise_multiplier": np.linspace(0.8, 3, 90).reshape(30, 3),
        "sampling_probability": [0.01, 0.001, 1.0],
        "steps": 500,
        "delta": 1e-6,
    }
    alone, shared = (hs.dpsgd_epsilon_bounds(**runs, threads=n) for n in (1, threads))
    assert np.array_equal(alone.lower, shared.lower)
    assert np.array_equal(alone.upper, shared.upper)


def test_threads_name_the_first_question_that_is_refused():
    messages = set()
    for threads in (1, 3):
        with pytest.raises(hs.CertificationError) as refused:
            hs.dpsgd_epsilon_bounds(
                noise_multiplier=2.0,
                sampling_probability=[*[1.0] * 20, *[0.01] * 20],  # plain ones have a formula
                steps=1000,
                delta=1e-6,
                memory_limit=1 << 10,
                threads=threads,
            )
        messages.add(str(refused.value))
    assert len(messages) == 1
