# SPDX-License-Identifier: Apache-2.0
"""Keras trains, counts, stops and reports with the meter."""

import os
import warnings

import numpy as np
import pytest

import hockeystick as hs
from rare_runs import DELTA, STEP, meter

MISSING = "the extra keras is not installed"
with warnings.catch_warnings():  # theirs
    warnings.simplefilter("ignore")
    pytest.importorskip(os.environ["KERAS_BACKEND"], reason=MISSING)
    keras = pytest.importorskip("keras", reason=MISSING)
    from hockeystick.callbacks.keras import EpsilonCallback

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
AT_ONCE = pytest.mark.skipif(
    os.environ["KERAS_BACKEND"] == "torch", reason="steps_per_execution needs another backend"
)


def fit(callback, *, epochs=2, at_once=1, accumulated=None):
    """Eight batches an epoch; the steps that the optimizer took, and the history."""
    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.01, gradient_accumulation_steps=accumulated)
    model.compile(optimizer, loss="mse", steps_per_execution=at_once)
    data = np.ones((16, 2)), np.zeros((16, 1))
    history = None
    try:
        history = model.fit(*data, batch_size=2, epochs=epochs, verbose=0, callbacks=[callback])
    finally:
        callback.taken = int(optimizer.iterations)
    return callback.taken, history


@pytest.mark.parametrize(
    ("at_once", "accumulated"),
    [(1, None), (1, 2), *(pytest.param(*each, marks=AT_ONCE) for each in [(4, None), (2, 4)])],
)
def test_every_step_of_the_optimizer_is_counted(at_once, accumulated):
    mine = meter()
    taken, history = fit(EpsilonCallback(mine), at_once=at_once, accumulated=accumulated)
    assert mine.steps == taken == 16 // (accumulated or 1)
    steps = taken // 2
    assert history.history["epsilon"] == [(n * STEP).epsilon(DELTA) for n in (steps, 2 * steps)]


@pytest.mark.parametrize(
    ("at_once", "accumulated", "allowed", "taken"),
    [
        (1, None, 11, 11),
        (1, 2, 3, 3),
        *(
            pytest.param(*each, marks=AT_ONCE)
            for each in [(4, None, 11, 8), (3, 2, 5, 4), (3, 4, 2, 1)]
        ),
    ],
)
def test_training_ends_before_the_budget_does(at_once, accumulated, allowed, taken):
    mine = meter(allowed)
    callback = EpsilonCallback(mine)
    assert fit(callback, at_once=at_once, accumulated=accumulated)[0] == taken
    assert taken <= mine.steps <= allowed


def test_a_spent_budget_trains_nothing():
    callback = EpsilonCallback(meter(2))
    assert fit(callback)[0] == 2
    with pytest.raises(RuntimeError, match="no room for 1 more after 2 steps"):
        fit(callback)
    assert (callback.taken, callback.meter.steps) == (0, 2)


@pytest.mark.parametrize("sampling", ["poisson", "random_allocation"])
def test_a_training_is_counted_by_its_steps(sampling):
    run = hs.DPSGD(1.0, sampling_probability=1 / 8, steps=16, sampling=sampling)
    mine = hs.EpsilonMeter(run, delta=DELTA)
    assert fit(EpsilonCallback(mine))[0] == mine.steps == 16
    assert mine.composition == run
    fit(EpsilonCallback(mine), epochs=1)
    assert mine.composition == (24 if sampling == "poisson" else 3) * run.step
