# SPDX-License-Identifier: Apache-2.0
"""Runs of DP-SGD by the name of the way in which batches are drawn."""

import json
import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import cli
from hockeystick.sampling import SAMPLINGS, sampled_run

RUN = {"noise_multiplier": 1.0, "sampling_probability": 0.01, "steps": 300}
STEP = hs.Gaussian(noise_multiplier=1.0)


def test_names_make_the_runs_that_they_say():
    assert sampled_run(**RUN) == 300 * STEP.poisson_sampled(0.01)
    assert sampled_run(**RUN, sampling="random-allocation") == 3 * STEP.random_allocation(steps=100)
    assert sampled_run(**RUN, sampling="shuffled") == 3 * STEP.shuffled(batches=100)
    batch = STEP.fixed_size_sampled(batch_size=50, dataset_size=5000)
    assert sampled_run(**RUN, sampling="fixed_size", dataset_size=5000) == 300 * batch


def test_dpsgd_epsilon_takes_them():
    epsilon = hs.dpsgd_epsilon(**RUN, delta=1e-5, sampling="random_allocation")
    assert epsilon == (3 * STEP.random_allocation(steps=100)).epsilon(1e-5)
    several = hs.dpsgd_epsilon_bounds(
        **{**RUN, "steps": [[100], [300]]},
        delta=[1e-4, 1e-5, 1e-6],
        sampling="shuffled",
        adjacency="replace-special",
    )
    assert several.lower.shape == several.upper.shape == (2, 3)
    assert several.limited_by == "theory"
    assert np.all(several.lower < several.upper)


def said(capsys, arguments):
    with pytest.raises(SystemExit) as exited:
        cli.main(arguments)
    assert exited.value.code in (0, None)
    return capsys.readouterr().out


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_the_command_line_takes_them(sampling, capsys):
    size = ["--dataset-size", "5000"] if sampling == "fixed_size" else []
    adjacency = {"shuffled": "replace-special", "fixed_size": "replace-one"}
    arguments = ["epsilon", "-s", "1", "-p", "0.01", "-i", "300", "-d", "1e-5", *size]
    arguments += ["--sampling", sampling.replace("_", "-")]
    arguments += ["--adjacency", adjacency.get(sampling, "add-or-remove-one")]
    assert ("nobody knows closer" in said(capsys, arguments)) == (sampling in adjacency)
    found = json.loads(said(capsys, [*arguments, "--json"]))
    assert found["lower"] <= found["upper"] < math.inf


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampling": "shuffle"}, "sampling must be"),
        ({"sampling": "shuffled", "sampling_probability": 0.03}, "1 / sampling_probability must"),
        ({"sampling": "shuffled", "steps": 250}, "steps must be whole epochs of 100"),
        ({"sampling": "fixed_size"}, "dataset_size must be given"),
        ({"dataset_size": 100}, "dataset_size must be given"),
        ({"sampling": "fixed_size", "dataset_size": 150}, "dataset_size must be whole"),
    ],
)
def test_what_does_not_fit_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        sampled_run(**{**RUN, **changes})
    with pytest.raises(ValueError, match=message):
        hs.dpsgd_epsilon(**{**RUN, **changes}, delta=1e-5)
