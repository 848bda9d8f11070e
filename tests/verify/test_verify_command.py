# SPDX-License-Identifier: Apache-2.0
"""`hockeystick verify`, and --verify."""

import json

import pytest

from hockeystick import cli

RUN = ["--noise-multiplier", "10", "--steps", "100"]


def said(arguments, capsys, code=0):
    with pytest.raises(SystemExit) as exited:
        cli.main(arguments)
    assert exited.value.code == code
    return capsys.readouterr()


def test_verify_shows_the_ball_and_the_verdict(capsys):
    out = said(["verify", *RUN, "--delta", "1e-5", "--digits", "20"], capsys).out
    assert out.startswith("epsilon = 4.37717809568122460855 +/- ")
    assert "encloses it" in out


def test_verify_as_json(capsys):
    out = said(["verify", *RUN, "--fpr", "0.1", "--json"], capsys).out
    answer = json.loads(out)
    assert answer["quantity"] == "true_positive_rate"
    assert answer["enclosed"] is True
    assert answer["lower"] <= float(answer["middle"]) <= answer["upper"]


@pytest.mark.parametrize("question", [["epsilon", "--delta", "1e-5"], ["delta", "--epsilon", "2"]])
def test_an_answer_is_verified(question, capsys):
    out = said([*question, *RUN, "--verify"], capsys).out
    assert "certified" in out
    assert "encloses it" in out
    answer = json.loads(said([*question, *RUN, "--verify", "--json"], capsys).out)
    assert answer["verified"]["enclosed"] is True


def test_one_question_is_to_be_asked(capsys):
    assert "give exactly one of" in said(["verify", *RUN], capsys, code=2).err
