# SPDX-License-Identifier: Apache-2.0
"""Sweeps: every cell once, in the order of the grid, on any executor, whatever fails."""

import json
import multiprocessing
import os
import pickle
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _progress

GRID = {"noise_multiplier": [1.0, 2.0], "sampling_probability": [0.01], "steps": [10, 20, 30]}
RUNS = GRID | {"delta": [1e-5]}
CELLS = [
    {"noise_multiplier": sigma, "sampling_probability": 0.01, "steps": steps, "delta": 1e-5}
    for sigma in GRID["noise_multiplier"]
    for steps in GRID["steps"]
]
EXPECTED = [cell | {"value": hs.dpsgd_epsilon(**cell)} for cell in CELLS]


def product(a, b):
    return a * b


def test_records_come_in_the_order_of_the_grid():
    records = hs.sweep(product, {"b": [1, 2, 3], "a": [10, 20]})
    assert records == [{"b": b, "a": a, "value": a * b} for b in (1, 2, 3) for a in (10, 20)]
    assert list(records[0]) == ["b", "a", "value"]


@pytest.mark.parametrize("workers", [1, 4])
def test_threads(workers):
    with ThreadPoolExecutor(workers) as executor:
        assert hs.sweep(hs.dpsgd_epsilon, RUNS, executor=executor) == EXPECTED


def test_processes():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        assert hs.sweep(hs.dpsgd_epsilon, RUNS, executor=executor) == EXPECTED
        bad = RUNS | {"steps": [1, -1]}
        with pytest.raises(hs.SweepError, match=r"steps=-1, .*ValueError: steps must be") as caught:
            hs.sweep(hs.dpsgd_epsilon, bad, executor=executor)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.skipif(find_spec("distributed") is None, reason="needs dask.distributed")
def test_a_dask_cluster_that_loses_a_worker():
    from distributed import Client, LocalCluster  # noqa: PLC0415

    def slow(sigma):  # nested, so that it travels by value
        time.sleep(0.05)
        return hs.Gaussian(noise_multiplier=sigma).epsilon_bounds(1e-5)

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        LocalCluster(processes=True, silence_logs=50, **options) as cluster,
        Client(cluster) as client,
    ):
        lost = next(iter(client.run(os.getpid).values()))

        def lose_a_worker(done, _):
            if done == 3:
                os.kill(lost, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

        sigmas = np.linspace(1, 2, 40)
        executor = client.get_executor()
        records = hs.sweep(slow, {"sigma": sigmas}, executor, progress=lose_a_worker)
        workers = client.run(os.getpid).values()
    assert lost not in workers
    assert [record["sigma"] for record in records] == sigmas.tolist()
    for record in records:
        expected = hs.Gaussian(noise_multiplier=record["sigma"]).epsilon_bounds(1e-5)
        assert (record["lower"], record["upper"]) == expected


@pytest.mark.parametrize(
    ("result", "fields"),
    [
        (3.5, {"value": 3.5}),
        (None, {"value": None}),
        ((1, 2), {"value": (1, 2)}),
        ({"epsilon": 1.0, "delta": 0.1}, {"epsilon": 1.0, "delta": 0.1}),
        (hs.Bounds(1.0, 2.0), {"lower": 1.0, "upper": 2.0}),
    ],
)
def test_results_become_fields(result, fields):
    assert hs.sweep(lambda **_: result, {"x": [7]}) == [{"x": 7} | fields]


def test_arrays_give_plain_numbers():
    records = hs.sweep(lambda x, n: x * n, {"x": np.array([0.5]), "n": np.arange(2)})
    assert (
        json.dumps(records)
        == '[{"x": 0.5, "n": 0, "value": 0.0}, {"x": 0.5, "n": 1, "value": 0.5}]'
    )


def test_records_make_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = hs.sweep(product, {"a": [1, 2], "b": [3]}).frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("list") == {"a": [1, 2], "b": [3, 3], "value": [3, 6]}


@pytest.mark.parametrize("threads", [0, 1])
def test_a_failing_cell_is_named_and_what_was_done_is_kept(threads):
    calls = []

    def fail(x, **_):
        calls.append(x)
        if x == 3:
            raise KeyError("no such thing")
        time.sleep(0.002 * (x > 3))
        return 10 * x

    grid = {"x": list(range(1000)), "y": ["a"]}
    with ThreadPoolExecutor(1) as executor, pytest.raises(hs.SweepError) as caught:
        hs.sweep(fail, grid, executor if threads else None)
    error = caught.value
    assert str(error).startswith("function(x=3, y='a') raised KeyError: 'no such thing'; ")
    assert error.cell == {"x": 3, "y": "a"}
    done = [record["x"] for record in error.records]
    assert done == sorted(done)
    assert {0, 1, 2} <= set(done)
    assert all(record["value"] == 10 * record["x"] for record in error.records)
    assert isinstance(error.__cause__, KeyError)
    if threads:  # the others were cancelled, as far as they had not begun
        assert len(calls) < 1000
    else:
        assert calls == [0, 1, 2, 3]
        assert len(error.records) == 3
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(again), again.cell, again.records) == (str(error), error.cell, error.records)


def test_an_interrupt_cancels_the_rest():
    calls = []

    def wait(x):
        calls.append(x)
        time.sleep(0.002)

    def interrupt(*_):
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        hs.sweep(wait, {"x": range(1000)}, executor, progress=interrupt)
    assert len(calls) < 1000


def test_long_work_draws_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(_progress, "PATIENCE", 0.05)
    hs.sweep(product, {"a": [1, 2], "b": [3]})
    assert capsys.readouterr().err == ""
    hs.sweep(lambda **_: time.sleep(0.04), {"a": [1, 2]})
    assert "2/2" in capsys.readouterr().err
