# SPDX-License-Identifier: Apache-2.0
"""Runs of DP-SGD by the name of the way in which batches are drawn."""

import json
import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import cli
from hockeystick.sampling import ADJACENCIES, SAMPLINGS, sampled_run

RUN = {"noise_multiplier": 1.0, "sampling_probability": 0.01, "steps": 300}
STEP = hs.Gaussian(noise_multiplier=1.0)


def test_names_make_the_runs_that_they_say():
    assert sampled_run(**RUN) == 300 * STEP.poisson_sampled(0.01)
    assert sampled_run(**RUN, sampling="random-allocation") == 3 * STEP.random_allocation(steps=100)
    assert sampled_run(**RUN, sampling="shuffled") == 3 * STEP.shuffled(batches=100)
    assert sampled_run(**RUN, sampling="cyclic") == 3 * STEP
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


def options(sampling, steps=300):
    """Of the command line, for a run drawn in that way under the adjacency that it has."""
    size = ["--dataset-size", "5000"] if sampling == "fixed_size" else []
    adjacency = ADJACENCIES.get(sampling, hs.Adjacency.ADD_OR_REMOVE_ONE).value
    run = ["-p", "0.01", "-i", str(steps), "--sampling", sampling.replace("_", "-"), *size]
    return [*run, "--adjacency", adjacency]


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_the_command_line_takes_them(sampling, capsys):
    arguments = ["epsilon", "-s", "1", "-d", "1e-5", *options(sampling)]
    assert ("nobody knows closer" in said(capsys, arguments)) == (
        sampling in ("shuffled", "fixed_size")
    )
    found = json.loads(said(capsys, [*arguments, "--json"]))
    assert found["lower"] <= found["upper"] < math.inf


@pytest.mark.parametrize("sampling", SAMPLINGS[1:])
def test_noise_is_found_for_them(sampling, capsys):
    target = ["--epsilon", "2", "--delta", "1e-5"]
    arguments = ["calibrate", *target, *options(sampling, 100)]
    found = json.loads(said(capsys, [*arguments, "--json"]))
    assert found["upper"] <= 2
    assert found["question"]["sampling"].replace("-", "_") == sampling


def test_only_noise_is_found_where_batches_are_whole(capsys):
    arguments = [
        "calibrate",
        "--epsilon",
        "6",
        "--delta",
        "1e-5",
        "--parameter",
        "steps",
        "-s",
        "1",
    ]
    with pytest.raises(SystemExit):
        cli.main([*arguments, "-p", "0.01", "--sampling", "shuffled"])
    assert "--parameter steps is for --sampling poisson only" in capsys.readouterr().err


@pytest.mark.parametrize("picture", ["tradeoff", "loss-distribution", "loss-against-probability"])
@pytest.mark.parametrize("sampling", ["random_allocation", "fixed_size"])
def test_their_pictures_are_drawn(sampling, picture, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    file = tmp_path / "picture.png"
    said(capsys, ["plot", picture, "-s", "1", "--output", str(file), *options(sampling)])
    assert file.stat().st_size > 1000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampling": "shuffle"}, "sampling must be"),
        ({"sampling": "shuffled", "sampling_probability": 0.03}, "1 / sampling_probability must"),
        ({"sampling": "cyclic", "sampling_probability": 5e-324}, "1 / sampling_probability must"),
        ({"sampling": "cyclic", "steps": 250}, "steps must be whole epochs of 100"),
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
