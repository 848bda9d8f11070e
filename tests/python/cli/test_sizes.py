# SPDX-License-Identifier: Apache-2.0
"""Runs are said on the command line as training is configured, in numbers as people type them."""

import json
import re

import pytest

import hockeystick as hs

BUDGET = ["--epsilon", "2", "--delta", "1e-5"]
SIZES = ["--batch-size", "256", "--dataset-size", "60,000"]


def test_what_an_engineer_has(run):
    """Batch size, dataset size and epochs; what was made of them is said."""
    _, out, _ = run("epsilon", "-s", "1", *SIZES, "--epochs", "10", "-d", "1e-5")
    assert f"2344 steps (10 epochs) of noise 1.0, q = {256 / 60_000!r}, poisson sampl" in out
    assert "note" not in out
    _, out, _ = run("epsilon", "-s", "1", *SIZES, "--epochs", "10", "-d", "1e-5", "--json")
    answer = json.loads(out)
    assert answer["epsilon"] == hs.DPSGD(
        1.0, batch_size=256, dataset_size=60_000, epochs=10
    ).epsilon(1e-5)
    question = answer["question"]
    assert (question["steps"], question["sampling_probability"]) == (2344, 256 / 60_000)
    assert (question["batch_size"], question["epochs"]) == (256, 10)
    _, out, _ = run("calibrate", *SIZES, "--epochs", "10", *BUDGET)
    assert out.startswith("noise_multiplier = 0.786")
    assert "\n2344 steps (10 epochs) of noise 0.786" in out
    _, out, _ = run("calibrate", "-s", "1", *SIZES, *BUDGET, "--parameter", "steps")
    assert re.search(r"(?s)^steps = 7432\n.*\n7432 steps .31[.]71 epochs. of noise 1[.]0", out)


def test_sizes_and_epochs_in_whole_batches(run):
    sizes = ["--batch-size", "250", "--dataset-size", "60000", "--epochs", "10"]
    _, out, _ = run("epsilon", "-s", "1", *sizes, "-d", "1e-5", "--sampling", "random-allocation")
    assert "2400 steps (10 epochs) of noise 1.0" in out
    assert "random-allocation sampling" in out
    code, _, err = run(
        *("epsilon", "-s", "1", *SIZES, "--epochs", "1", "-d", "1e-5", "--sampling", "shuffled"),
        *("--adjacency", "replace-one"),
    )
    assert (code, err) == (0, "")
    for option, steps in ((), 235), (("--drop-last",), 234):
        _, out, _ = run(
            *("epsilon", "-s", "9", *SIZES, "--epochs", "1", "-d", "1e-5", *option),
            *("--sampling", "random-allocation"),
        )
        assert f"\n{steps} steps (1 epochs) of noise 9.0" in out
    _, out, _ = run(
        *("epsilon", "-s", "9", *SIZES, "--epochs", "1", "-d", "1e-5", "--drop-last", "--json"),
        *("--sampling", "cyclic"),
    )
    assert json.loads(out)["question"]["drop_last"] is True
    code, _, err = run("epsilon", "-s", "9", *SIZES, "--epochs", "1", "-d", "1e-5", "--drop-last")
    assert (code, "drop_last must be False for 'poisson'" in err) == (2, True)
    code, _, err = run("epsilon", "--run", "run.toml", "-d", "1e-5", "--drop-last")
    assert (code, "leave out --drop-last" in err) == (2, True)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("256/60000", 256 / 60_000),
        ("1e-3/2", 0.0005),
        ("1%", 0.01),
        ("0.1 %", 0.001),
        (" 1e-2 ", 0.01),
        ("1/3", 1 / 3),
        ("33.4%", 0.334),
        ("2.5e-1", 0.25),
    ],
)
def test_numbers_as_they_are_typed(run, typed, number):
    _, out, _ = run("epsilon", "-s", "1", "-p", typed, "-i", "3", "-d", "1e-5", "--json")
    assert json.loads(out)["question"]["sampling_probability"] == number


@pytest.mark.parametrize(
    "typed",
    ["1e-999", "1e-330%", "1/1e400", "0.5", "1e-5", "nan", "inf", "1/0", "10.000", " 1.000.000"],
)
def test_counts_are_whole_as_they_are_typed(run, typed):
    """Also where the nearest double is 0; 10.000 may mean 10 or 10,000."""
    status, _, err = run("epsilon", "-s", "1", "-p", "1%", "-i", typed, "-d", "1e-5")
    assert status != 0
    assert "is not a whole number" in err


@pytest.mark.parametrize(
    ("delta", "noted"),
    [("1/60000", True), ("1e-4", True), ("1e-5", False), (repr(1 / 60_000), True)],
)
def test_one_over_n_gets_a_word(run, delta, noted):
    """Where the number of records is known."""
    asked = ["epsilon", "-s", "1", *SIZES, "--epochs", "1", "-d", delta]
    note = (
        "at delta = 1/n a mechanism may publish one of n records whole; usual is n^-1.1 or less, "
    )
    _, out, _ = run(*asked)
    assert " ".join(out.split()).endswith(f" note: {note}here 5.5e-06") == noted
    assert max(map(len, out.splitlines())) <= 100
    answer = json.loads(run(*asked, "--json")[1])
    assert answer.get("note", "").startswith(note) == noted


FOUND = {
    "epochs": ("--batch-size 256 --dataset-size 60000", 31),
    "batch-size": ("--dataset-size 60000 --epochs 10", 696),
    "epochs of random-allocation": ("--batch-size 250 --dataset-size 60000", 34),
    "steps of fixed-size": ("--batch-size 250 --dataset-size 60000 --adjacency replace-one", 1),
}


@pytest.mark.parametrize("sought", FOUND)
def test_whole_numbers_are_found(run, sought):
    parameter, _, sampling = sought.partition(" of ")
    given, found = FOUND[sought]
    scheme = [*given.split(), "--sampling", sampling or "poisson"]
    asked = ["calibrate", "-s", "1", *scheme, "--parameter", parameter, *BUDGET]
    answer = json.loads(run(*asked, "--json")[1])
    assert answer[parameter.replace("-", "_")] == found
    assert answer["epsilon"] <= 2
    more = ["epsilon", "-s", "1", *scheme, f"--{parameter}", str(found + 1), "-d", "1e-5"]
    assert json.loads(run(*more, "--json")[1])["epsilon"] > 2
    assert run(*asked)[1].startswith(f"{parameter.replace('-', '_')} = {found}\n")
