# SPDX-License-Identifier: Apache-2.0
"""Runs of DP-SGD by the name of the way in which batches are drawn."""

import copy
import json
import math
import pickle
from fractions import Fraction

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


SIZES = {"batch_size": 256, "dataset_size": 60_000}


def test_a_run_as_it_is_configured():
    run = hs.DPSGD(1.0, **SIZES, epochs=10)
    assert (
        run
        == 2344 * STEP.poisson_sampled(256 / 60_000)
        == sampled_run(noise_multiplier=1.0, **SIZES, epochs=10)
    )
    assert hash(run) == hash(1 * run)
    assert (run.steps, run.sampling_probability, run.epochs) == (2344, 256 / 60_000, 10)
    assert (run.noise_multiplier, run.batch_size, run.dataset_size) == (1.0, 256, 60_000)
    assert run + STEP == STEP + 2344 * STEP.poisson_sampled(256 / 60_000)
    assert type(2 * run) is hs.Composition
    assert hs.Accountant().compose(run).composition == run


@pytest.mark.parametrize(
    "given",
    [
        {**SIZES, "epochs": 10},
        {**SIZES, "steps": 7},
        {"sampling_probability": 0.01, "epochs": 2.5},
        {"sampling_probability": 0.01, "steps": 300, "sampling": "shuffled"},
        {"batch_size": 600, "dataset_size": 60_000, "steps": 3, "sampling": "fixed_size"},
        {"batch_size": np.int64(600), "dataset_size": 6e4, "epochs": Fraction(3)},
    ],
)
def test_a_run_is_shown_as_it_was_said(given):
    run = hs.DPSGD(2.0, **given)
    again = eval(repr(run), vars(hs))  # noqa: S307
    assert type(again) is hs.DPSGD
    assert again == run == pickle.loads(pickle.dumps(run)) == copy.deepcopy(run)  # noqa: S301
    assert repr(again) == repr(run)


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        ({"batch_size": 10, "dataset_size": 100, "epochs": 0.1}, 1),  # 0.1 is above 1/10
        ({"batch_size": 10, "dataset_size": 101, "epochs": 1}, 11),
        ({"sampling_probability": 1 / 60, "epochs": 1}, 60),
        ({"sampling_probability": 1 / 49, "epochs": 49}, 49 * 49),
        ({"sampling_probability": 0.01, "epochs": 1.001}, 101),
        ({"batch_size": 1, "dataset_size": 10**9, "epochs": 1}, 10**9),
        ({"batch_size": 1, "dataset_size": 10**9 - 1, "epochs": 1}, 10**9 - 1),
        ({"batch_size": 7, "dataset_size": 7, "epochs": 0}, 0),
    ],
)
def test_a_step_that_is_begun_counts(given, steps):
    assert hs.DPSGD(1.0, **given).steps == steps


def test_epochs_of_whole_batches():
    sizes = {"batch_size": 250, "dataset_size": 60_000}
    run = hs.DPSGD(1.0, **sizes, epochs=3, sampling="random-allocation")
    assert run == 3 * STEP.random_allocation(steps=240)
    assert run.sampling == "random_allocation"
    batches = hs.DPSGD(1.0, **sizes, epochs=1, sampling="fixed_size")
    assert batches == 240 * STEP.fixed_size_sampled(**sizes)
    with pytest.raises(ValueError, match="^steps must be whole epochs of 240 .* 240 or 480 would"):
        hs.DPSGD(1.0, **sizes, epochs=1.5, sampling="shuffled")


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(
    ("batch", "records"),
    [
        (256, 60_000),
        (250, 60_000),
        (7, 50),
        (49, 50),
        (26, 50),
        (50, 50),
        (1, 50),
        (3, 3 * 10**8 + 1),
    ],
)
def test_the_last_batch_is_smaller_or_left_out(batch, records, drop_last):
    batches = records // batch if drop_last else math.ceil(records / batch)
    sizes = {"batch_size": batch, "dataset_size": records, "epochs": 2, "drop_last": drop_last}
    made = {"cyclic": 2 * STEP, "random_allocation": 2 * STEP.random_allocation(steps=batches)}
    rest = {"left_out" if drop_last else "last_batch": records % batch} if records % batch else {}
    made["shuffled"] = 2 * STEP.shuffled(batches=batches, batch_size=batch, **rest)
    for sampling, expected in made.items():
        run = hs.DPSGD(1.0, **sizes, sampling=sampling)
        assert run == expected == sampled_run(noise_multiplier=1.0, **sizes, sampling=sampling)
        assert (run.steps, run.sampling_probability) == (2 * batches, 1 / batches)
        assert run.drop_last is drop_last
        assert eval(repr(run), vars(hs)) == run  # noqa: S307
        in_steps = {name: value for name, value in sizes.items() if name != "epochs"}
        assert hs.DPSGD(1.0, **in_steps, steps=2 * batches, sampling=sampling) == run


def test_dpsgd_epsilon_takes_sizes_and_epochs():
    one = hs.dpsgd_epsilon(noise_multiplier=1.0, **SIZES, epochs=10, delta=1e-5)
    assert one == hs.DPSGD(1.0, **SIZES, epochs=10).epsilon(1e-5)
    table = hs.dpsgd_epsilon(
        noise_multiplier=1.0,
        batch_size=[[128], [256]],
        dataset_size=60_000,
        epochs=[1, 10, 0.5],
        delta=1e-5,
    )
    assert table.shape == (2, 3)
    assert table[1, 1] == one
    none = hs.dpsgd_epsilon(noise_multiplier=1.0, **SIZES, epochs=[], delta=1e-5)
    assert none.shape == (0,)
    drawn = {"batch_size": [500, 600], "dataset_size": 60_000, "epochs": 1, "delta": 1e-5}
    lower, upper = hs.dpsgd_epsilon_bounds(
        noise_multiplier=4.0, **drawn, sampling="fixed_size", adjacency="replace-one"
    )
    assert lower.shape == (2,)
    assert np.all(lower <= upper)


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


@pytest.mark.parametrize("picture", ["tradeoff", "loss-distribution", "loss-against-probability"])
@pytest.mark.parametrize("sampling", ["random_allocation", "fixed_size"])
def test_their_pictures_are_drawn(sampling, picture, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    file = tmp_path / "picture.png"
    said(capsys, ["plot", picture, "-s", "1", "--output", str(file), *options(sampling)])
    assert file.stat().st_size > 1000


@pytest.mark.parametrize(
    ("sampling", "covered"),
    [("poisson", 1), ("fixed_size", 1), ("random_allocation", 4), ("shuffled", 4), ("cyclic", 4)],
)
def test_a_training_knows_what_it_repeats(sampling, covered):
    run = hs.DPSGD(1.0, batch_size=4, dataset_size=16, epochs=5, sampling=sampling)
    assert run.steps_covered == covered
    assert run == run.steps // covered * run.step
    none = hs.DPSGD(1.0, batch_size=4, dataset_size=16, epochs=0, sampling=sampling)
    assert (none.step, none.steps) == (run.step, 0)
