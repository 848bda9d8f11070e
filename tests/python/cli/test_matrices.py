# SPDX-License-Identifier: Apache-2.0
"""Matrix mechanisms on the command line."""

import json

import pytest

import hockeystick as hs

NOISE = ("--noise-multiplier", "5")
BANDED = ("--coefficients", "1,0.5,0.375", "--steps", "2000", "--min-separation", "500")


def answer_of(run, *arguments):
    code, out, err = run("matrix", *arguments, *NOISE, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_every_strategy(run, tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("1,0,0\n1 1 0\n1,1,1\n")
    column = tmp_path / "column.txt"
    column.write_text("1\n0.5\n0.375\n")
    schedule = {"noise_multiplier": 5.0, "min_separation": 500}
    toeplitz = hs.MatrixMechanism.toeplitz([1, 0.5, 0.375], steps=2000, **schedule)
    cases = [
        (BANDED, toeplitz),
        (("--strategy", str(column), *BANDED[2:]), toeplitz),
        (
            ("--scales", "0.3,0.1", "--decays", ".9,.99", *BANDED[2:]),
            hs.MatrixMechanism.buffered([0.3, 0.1], [0.9, 0.99], steps=2000, **schedule),
        ),
        (
            ("--leaves", "1000", "--restarts", "5"),
            hs.MatrixMechanism.tree(leaves=1000, restarts=5, noise_multiplier=5.0),
        ),
        (
            ("--strategy", str(matrix)),
            hs.MatrixMechanism([[1, 0, 0], [1, 1, 0], [1, 1, 1]], noise_multiplier=5.0),
        ),
    ]
    for arguments, mechanism in cases:
        answer = answer_of(run, *arguments, "--delta", "1e-6")
        assert (answer["lower"], answer["upper"]) == tuple(mechanism.epsilon_bounds(1e-6))
        question = answer["question"]
        ends = question["sensitivity_lower"], question["sensitivity_upper"]
        assert ends == tuple(mechanism.sensitivity_bounds())
        answer = answer_of(run, *arguments, "--epsilon", "1")
        assert answer["delta"] == mechanism.delta(1.0)


def test_groups_that_take_turns(run):
    answer = answer_of(run, *BANDED, "--sampling-probability", "0.04", "--delta", "1e-6")
    whole = hs.MatrixMechanism.toeplitz(
        [1, 0.5, 0.375], steps=2000, noise_multiplier=5.0, min_separation=500
    )
    assert answer["epsilon"] == whole.amplified(0.04).epsilon(1e-6)
    assert answer["question"]["sampling_probability"] == 0.04


def test_it_says_the_sensitivity(run):
    _, out, _ = run("matrix", *BANDED, *NOISE, "--delta", "1e-6")
    assert out.splitlines()[2] == (
        "sensitivity in [2.35849, 2.35850], 4 participations, add-or-remove-one"
    )


@pytest.mark.parametrize("text", ["", "1 2\n3\n", "1 x\n"])
def test_a_file_of_no_strategy_is_refused(run, tmp_path, text):
    path = tmp_path / "strategy.txt"
    path.write_text(text)
    code, out, err = run("matrix", "--strategy", str(path), "--steps", "3", *NOISE, "-d", "0")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "must" in err
