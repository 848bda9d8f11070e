# SPDX-License-Identifier: Apache-2.0
"""The calculator cuts an epoch into batches as Python does, and its defaults are no errors."""

import shlex

import pytest

import hockeystick as hs
from hockeystick import cli
from web_tools import node

SIZES = {"batch_size": 256, "dataset_size": 60_000, "epochs": 10}
SAMPLINGS = {
    "allocation": "random_allocation",
    "allocation_once": "random_allocation",
    "shuffled": "shuffled",
    "shuffled_once": "shuffled",
    "cyclic": "cyclic",
}
SEEKS = ("epsilon", "delta", "noise", "count")


@pytest.fixture(scope="module")
def samplings():
    return node("schemes.mjs", given={})["samplings"]


def answers(links):
    return node("schemes.mjs", given={"links": links})["answers"]


def test_no_scheme_greets_with_an_error(samplings):
    asked = answers([f"sampling={name}&seek={seek}" for name in samplings for seek in SEEKS])
    errors = [one["error"] for one in asked if "error" in one]
    assert all("are not searched for" in message for message in errors)
    assert not any("error" in one for one in answers([f"sampling={name}" for name in samplings]))


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("name", SAMPLINGS)
def test_the_page_asks_what_python_does(name, drops):
    last = "dropped" if drops else "used"
    (asked,) = answers([f"sampling={name}&last={last}"])
    (part,) = asked["parts"]
    run = hs.DPSGD(1.0, **SIZES, sampling=SAMPLINGS[name], drop_last=drops)
    ((mechanism, count),) = run.terms
    made = {"noise_multiplier": 1.0, **part["parameters"]}
    assert part["count"] * made.pop("epochs", 1) == count
    expected = dict(mechanism.arguments)
    expected |= getattr(expected.pop("mechanism", None), "arguments", {})
    assert {key: expected.get(key) for key in made} == made


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("name", ["allocation", "shuffled", "cyclic"])
def test_its_command_runs(name, drops, capsys):
    last, adjacency = "dropped" if drops else "used", "replace-special"
    (asked,) = answers([f"sampling={name}&last={last}&noise=8&adjacency={adjacency}"])
    assert ("--drop-last" in asked["command"]) == drops
    with pytest.raises(SystemExit) as ended:
        cli.main(shlex.split(asked["command"].replace("\\\n", " "))[1:])
    assert ended.value.code == 0
    assert f"{2340 if drops else 2350} steps (10 epochs)" in capsys.readouterr().out


def test_the_two_numbers_that_would_do_are_said():
    link = "sampling=cyclic&length=steps&steps=2344"
    (steps, rate) = answers([link, "sampling=cyclic&size=rate&rate=256/60000"])
    assert "got 2344: 2115 or 2350 would do" in steps["error"]
    assert "1/234 or 1/235 would do" in rate["error"]


@pytest.mark.parametrize("name", ["poisson", "allocation", "fixed", "cyclic"])
def test_its_command_finds_a_length(name, capsys):
    """With the sizes of the page: an epoch of a scheme that cuts the data, else steps."""
    sizes = "batch=250" if name != "poisson" else "batch=256"
    (asked,) = answers([f"sampling={name}&seek=count&noise=8&{sizes}"])
    with pytest.raises(SystemExit) as ended:
        cli.main(shlex.split(asked["command"].replace("\\\n", " "))[1:])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert out.startswith("epochs = " if name in SAMPLINGS else "steps = ")
    assert int(out.split()[2]) > 0


def test_words_of_extremes():
    """No attack finds more than all, and the least rate is a number at an infinite factor."""
    found = node("schemes.mjs", given={"missed": [0.0, 0.3]})
    for said, share in zip(found["attacks"], ("100", "70.1"), strict=True):
        assert said.endswith(f"finds at most {share} % of those who are.")
    assert found["rate"] == pytest.approx(0.9)
