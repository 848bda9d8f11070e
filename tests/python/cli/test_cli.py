# SPDX-License-Identifier: Apache-2.0
"""The command line answers in three lines of at most 100 characters, or fails in one."""

import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import cli
from hockeystick._decimals import outward

RUN = [*("--noise-multiplier", "1.0"), *("--sampling-probability", "0.01"), *("--steps", "1000")]
SAID = "1000 steps of noise 1.0, q = 0.01, poisson sampling, add-or-remove-one"
EPSILON = ["epsilon", *RUN, "--delta", "1e-5"]
DELTA = ["delta", *RUN, "--epsilon", "1"]


@pytest.mark.parametrize(
    ("arguments", "wanted", "given"),
    [(EPSILON, "epsilon", "delta = 1e-05"), (DELTA, "delta", "epsilon = 1.0")],
)
def test_three_readable_lines(run, arguments, wanted, given):
    code, out, err = run(*arguments)
    number = r"([0-9.]+(?:e-[0-9]+)?)"
    match = re.fullmatch(
        rf"{wanted} = {number} at {given}\n"
        rf"certified: {number} <= {wanted} <= {number}, in [0-9.e+]+ ms\n"
        rf"{SAID}\n",
        out,
    )
    assert (code, err) == (0, "")
    answer, lower, upper = map(float, match.groups())
    step = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    bounds = step.epsilon_bounds(1e-5) if wanted == "epsilon" else step.delta_bounds(1.0)
    assert lower <= bounds.lower <= bounds.upper <= upper == answer
    assert upper - lower <= 2e-3 * upper


CALIBRATE = ["calibrate", *("--sampling-probability", "0.01", "--steps", "1000")]
BUDGET = ["--epsilon", "2", "--delta", "1e-5"]
PROBABILITY = ["--parameter", "sampling-probability"]


def test_calibrate(run):
    code, out, err = run(*CALIBRATE, *BUDGET)
    match = re.fullmatch(
        r"noise_multiplier = ([0-9.]+)\n"
        r"certified: ([0-9.]+) <= epsilon <= ([0-9.]+), in [0-9.e+]+ ms\n"
        r"1000 steps of noise \1, q = 0.01, poisson sampling, add-or-remove-one\n",
        out,
    )
    assert (code, err) == (0, "")
    sigma, lower, upper = map(float, match.groups())
    step = 1000 * hs.Gaussian(noise_multiplier=sigma).poisson_sampled(0.01)
    assert 1.998 < lower <= step.epsilon(1e-5) <= upper <= 2.0


@pytest.mark.parametrize(
    ("command", "wanted", "given", "more"),
    [
        (EPSILON, "epsilon", {"delta": 1e-5, "noise_multiplier": 1.0}, {"limited_by"}),
        ([*CALIBRATE, *BUDGET], "noise_multiplier", {"epsilon": 2.0, "delta": 1e-5}, {"epsilon"}),
    ],
)
def test_json(run, command, wanted, given, more):
    options = ["--json", "--tolerance", "1e-2", "--adjacency", "add-one"]
    code, out, err = run(*command, *options)
    answer = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert set(answer) == {wanted, "lower", "upper", "seconds", "question"} | more
    assert answer["lower"] <= answer["epsilon"] == answer["upper"] <= given.get("epsilon", 9)
    assert answer["seconds"] > 0
    assert answer["question"] == given | {
        "wanted": wanted,
        "sampling_probability": 0.01,
        "steps": 1000,
        "sampling": "poisson",
        "adjacency": "add-one",
        "tolerance": 1e-2,
        "memory_limit": 2**30,
    }


@pytest.mark.parametrize(
    ("options", "parameter", "wanted"),
    [
        (["--noise-multiplier", "9", *BUDGET, "--parameter", "steps"], "steps", "epsilon"),
        (["--steps", "9", "--advantage", "0.1"], "noise_multiplier", "advantage"),
        (["--steps", "9", "--tpr", "0.1", "--fpr", "0.01"], "noise_multiplier", "tpr"),
        (
            [*("--noise-multiplier", "1", "--steps", "1"), *BUDGET, *PROBABILITY],
            "sampling_probability",
            "epsilon",
        ),
    ],
)
def test_calibrate_other_parameters_and_targets(run, options, parameter, wanted):
    code, out, _ = run("calibrate", *options, "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer[parameter] > 0
    assert answer[wanted] == answer["upper"] <= answer["question"][wanted]


def test_numbers_of_thousands_of_digits_are_refused_in_one_line(run):
    code, out, err = run(*EPSILON, "--steps", 5000 * "9")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("hockeystick: Invalid value for '--steps'")


@pytest.mark.parametrize(
    "arguments", [["--help"], *([name, "-h"] for name in cli._commands.commands)], ids=" ".join
)
def test_help_has_an_example(run, arguments):
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "Example: hockeystick " in " ".join(out.split())


def test_summaries_are_whole(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("--help")[1]
    listed = re.findall(r"^  ([a-z]+)  +([A-Z].*)$", out.partition("Commands:")[2], re.MULTILINE)
    assert [name for name, _ in listed] == sorted(cli._commands.commands)
    assert all(re.fullmatch(r"[^.]+\.", summary) for _, summary in listed), listed


@pytest.mark.parametrize("command", [cli._commands, *cli._commands.commands.values()])
def test_every_option_is_explained(command):
    assert all(each.help for each in command.params if each.param_type_name == "option")


@pytest.mark.parametrize(
    ("options", "words", "fits"),
    [
        (["-s", "1", "-i", "9", *PROBABILITY, "--epsilon", "200"], "everything fits", "everything"),
        (
            ["-s", "1", "-p", "1%", "--parameter", "steps", "--epsilon", "1e-4"],
            "not even one step fits",
            "nothing",
        ),
        (["-i", "1", "-p", "1e-9", "--epsilon", "200"], "everything fits", "everything"),
    ],
)
def test_all_or_nothing_is_said(run, options, words, fits):
    assert f": {words}" in run("calibrate", *options, "-d", "1e-5")[1]
    answer = json.loads(run("calibrate", *options, "-d", "1e-5", "--json")[1])
    assert answer["fits"] == fits


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (hs.CertificationError("out of reach", hs.Bounds(0.0, 1.0), "rounding"), "out of reach"),
        (MemoryError(), "MemoryError"),
        (ImportError("no\nsuch thing"), "no such thing"),
        (RecursionError("too deep"), "too deep"),
        (OverflowError("too large"), "too large"),
        (OSError(5, "Input/output error"), "Input/output error"),
    ],
)
def test_whatever_fails_fails_in_one_line(run, monkeypatch, error, message):
    def fail(*_arguments, **_options):
        raise error

    monkeypatch.setattr(hs.Composition, "epsilon_bounds", fail)
    assert run(*EPSILON) == (2, "", f"hockeystick: {message}\n")


def test_an_interrupt_is_not_an_error(run, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(hs.Composition, "epsilon_bounds", interrupt)
    code, out, err = run(*EPSILON)
    assert (code, out, err.strip()) == (130, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_answer_that_cannot_be_written_fails_in_one_line():
    command = [sys.executable, "-m", "hockeystick", *EPSILON]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch("hockeystick: .*No space left on device.*\n", done.stderr)


def test_version(run):
    assert run("--version") == (0, f"hockeystick {hs.__version__}\n", "")


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "hockeystick", *EPSILON, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["epsilon"] > 0


noise_multipliers = st.floats(1e-3, 1e12)


@given(noise_multipliers, st.floats(0, 1))
def test_decimals_are_rounded_outward(upper, share):
    lower = upper * share
    low, high = map(Fraction, outward(lower, upper))
    assert low <= Fraction(lower) <= Fraction(upper) <= high
    assert high - Fraction(upper) <= Fraction(upper) / 1000
    assert Fraction(lower) - low <= Fraction(upper) / 1000


def test_an_explanation_follows_the_answer(run):
    """A row for each method; in JSON, the same."""
    _, text, _ = run(*EPSILON, "--explain")
    assert re.search(r"^contour_integral .* chosen$", text, re.MULTILINE)
    _, text, _ = run(*EPSILON, "--explain", "--json")
    tables = json.loads(text)["methods"]
    assert [row["method"] for row in tables[0]] == hs._core.methods()


def test_a_sentence(run):
    code, out, _ = run(*EPSILON, "--sentence")
    run_of_it = hs.DPSGD(1.0, sampling_probability=0.01, steps=1000)
    assert (code, " ".join(out.split())) == (0, run_of_it.sentence(1e-5))
    assert max(map(len, out.splitlines())) <= 100
    _, out, _ = run(*EPSILON, "--sentence", "--json")
    assert json.loads(out)["sentence"] == run_of_it.sentence(1e-5)


def test_an_infinite_answer_is_json(run):
    """Python's own word for it is none of JSON's."""
    _, out, _ = run(*EPSILON, "--delta", "0", "--json")
    assert json.loads(out, parse_constant=pytest.fail)["epsilon"] == math.inf


@pytest.mark.parametrize(
    ("option", "value", "own"),
    [
        ("--sampling", "shuffle", "shuffled"),
        ("--sampling", "without-replacement", "fixed-size"),
        ("--sampling", "balls_in_bins", "random-allocation"),
        ("--adjacency", "swap-one", "replace-one"),
        ("--adjacency", "replace_oen", "replace-one"),
    ],
)
def test_a_value_that_is_near_another_or_a_word_of_others(run, option, value, own):
    code, _, err = run(*EPSILON, option, value)
    assert code == 2
    assert err.endswith(f". Did you mean '{own}'?\n")


def test_files_that_are_not_there_are_named_in_words(run):
    code, _, err = run("epsilon", "--run", "nothing.toml", "--delta", "1e-5")
    assert (code, err) == (2, "hockeystick: nothing.toml: No such file or directory\n")
