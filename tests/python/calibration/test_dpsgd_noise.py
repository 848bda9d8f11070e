# SPDX-License-Identifier: Apache-2.0
"""The noise of runs of DP-SGD: each element is that of a calibration of its own."""

import numpy as np
import pytest

import hockeystick as hs

RUN = {"epsilon": 1.0, "delta": 1e-5, "sampling_probability": 0.01, "steps": 1000}


def test_each_run_of_a_grid_keeps_its_budget_and_hardly_less():
    epsilon, steps = np.array([[0.5], [2.0], [8.0]]), [100, 1000, 10_000]
    rate, delta = [0.004, 0.01, 0.02], [1e-5, 1e-6, 1e-7]
    run = {"sampling_probability": rate, "steps": steps, "delta": delta}
    noise = hs.dpsgd_noise_multiplier(epsilon=epsilon, **run)
    assert noise.shape == (3, 3)
    spent = hs.dpsgd_epsilon(noise_multiplier=noise, **run)
    assert (spent <= epsilon).all()
    assert (spent > (1 - 1e-3) * epsilon).all()


def test_a_single_run_is_a_calibration():
    noise = hs.dpsgd_noise_multiplier(**RUN)
    make = lambda sigma: 1000 * hs.Gaussian(sigma).poisson_sampled(0.01)  # noqa: E731
    assert type(noise) is float
    assert noise == hs.calibrate(make, epsilon=1.0, delta=1e-5)


def test_sizes_and_epochs():
    given = {"epsilon": 2.0, "delta": 1e-6, "batch_size": 256, "dataset_size": 60_000}
    noise = hs.dpsgd_noise_multiplier(**given, epochs=[1, 10.0])
    run = hs.DPSGD(noise[1], batch_size=256, dataset_size=60_000, epochs=10)
    assert 2 * (1 - 1e-3) < run.epsilon(1e-6) <= 2


def test_other_ways_to_draw_batches():
    noise = hs.dpsgd_noise_multiplier(
        **RUN | {"epsilon": [1.0, 4.0]}, sampling="cyclic", adjacency="replace-special"
    )
    runs = [
        hs.DPSGD(one, sampling_probability=0.01, steps=1000, sampling="cyclic") for one in noise
    ]
    spent = [run.epsilon(1e-5, adjacency="replace-special") for run in runs]
    assert spent == pytest.approx([1, 4], rel=1e-3)
    assert max(spent[0] - 1, spent[1] - 4) <= 0


def test_runs_that_differ_in_the_size_of_the_data_alone_share_no_costs():
    """The rate and the steps are the same; the batches are of fixed size."""
    scheme = {"sampling_probability": 0.1, "steps": 20, "sampling": "fixed_size"}
    known = {"delta": 1e-5, "adjacency": "replace-one"}
    sizes = [20, 100, 20, 1000]
    noise = hs.dpsgd_noise_multiplier(epsilon=2.0, dataset_size=sizes, **scheme, **known)
    for one, size in zip(noise, sizes, strict=True):
        spent = hs.DPSGD(one, dataset_size=size, **scheme).epsilon(**known)
        assert 2 * (1 - 1e-3) < spent <= 2


def test_the_least_noise_there_is_may_do():
    assert (
        hs.dpsgd_noise_multiplier(**RUN | {"epsilon": 1e12, "sampling_probability": 1.0}) == 0.001
    )
