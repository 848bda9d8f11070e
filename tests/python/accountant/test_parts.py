# SPDX-License-Identifier: Apache-2.0
"""Runs on disjoint parts as text and in files: what is read is what was written."""

import json
from importlib.resources import files

import pytest

import hockeystick as hs
from hockeystick.accountant import parts

SCHEMA = json.loads((files(hs) / "run.schema.json").read_text(encoding="utf-8"))
NORTH, SOUTH = 50 * hs.Laplace(40.0), 4 * hs.Gaussian(5.0)
TOML = """
adjacency = "remove-one"
tolerance = 1e-4
[[ledger]]
mechanism = { type = "Gaussian", noise_multiplier = 3 }
[[parallel]]
[[parallel.ledger]]
label = "north"
count = 50
mechanism = { type = "Laplace", scale = 80, sensitivity = 2 }
[[parallel]]
[[parallel.ledger]]
count = 4
mechanism = { type = "Gaussian", noise_multiplier = 5.0 }
[[parallel]]
ledger = []
"""
RUNS = [
    hs.parallel(NORTH, SOUTH),
    hs.parallel(NORTH, SOUTH) + hs.Gaussian(3.0),
    2 * hs.parallel(hs.Laplace(1 / 3), hs.Gaussian(0.1 + 0.2).poisson_sampled(1e-3)),
    hs.parallel(hs.Laplace(2.0)),
    hs.parallel(hs.Composition()),
    hs.parallel(*(hs.Laplace(1.0 + k) for k in range(256))),
]


@pytest.mark.parametrize("run", RUNS)
def test_what_was_written_is_read_again(run):
    again = hs.DisjointParts.from_json(run.to_json())
    assert again == run
    assert again.to_json() == run.to_json()
    assert again.epsilon_bounds(1e-5) == run.epsilon_bounds(1e-5)


def test_a_file_says_what_runs_on_all_data_and_on_parts(tmp_path):
    (tmp_path / "run.toml").write_text(TOML, encoding="utf-8")
    found = parts.read(tmp_path / "run.toml")
    assert found.run == hs.parallel(NORTH, SOUTH) + hs.Gaussian(3.0)
    assert (found.adjacency, found.tolerance) == (hs.Adjacency.REMOVE_ONE, 1e-4)


def test_a_file_without_parts_is_that_of_an_accountant(tmp_path):
    account = hs.Accountant("replace-one", tolerance=1e-2).compose(NORTH)
    account.save(tmp_path / "run.json")
    assert parts.read(tmp_path / "run.json") == (NORTH, account.adjacency, 1e-2)


LAPLACE = '{"mechanism": {"type": "Laplace", "noise_multiplier": 2}}'


def test_other_objects_are_refused(tmp_path):
    with pytest.raises(TypeError, match="^text must be a str, got 3"):
        hs.DisjointParts.from_json(3)
    for read in (hs.Composition.from_json, hs.Accountant.from_json, hs.Accountant.read_text):
        with pytest.raises(ValueError, match=r"^\$\.parallel must not .*DisjointParts\.from_json"):
            read(RUNS[0].to_json())
    (tmp_path / "run.toml").write_text("parallel = 3", encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.toml: \$\.parallel must be an array, got 3"):
        parts.read(tmp_path / "run.toml")


def test_what_is_no_data_is_not_written():
    class Own(hs.Mechanism):
        arguments = property(lambda _: {})

        def dominating_pair(self, direction):
            return hs.Laplace(2.0).dominating_pair(direction)

    with pytest.raises(TypeError, match="^mechanism must be one of"):
        hs.parallel(Own(), NORTH).to_json()


def test_the_schema_says_so():
    validator = pytest.importorskip("jsonschema").Draft202012Validator(SCHEMA)
    one = {"ledger": [json.loads(LAPLACE)]}
    own = {"schema": "hockeystick.DisjointParts"}
    good = [json.loads(RUNS[1].to_json()), {"parallel": [one]}, {"parallel": [one, one], **one}]
    bad = [{}, own, {"parallel": []}, {"parallel": one}, {"parallel": [{}]}, {**one, **own}]
    assert all(validator.is_valid(each) for each in good)
    assert not any(validator.is_valid(each) for each in bad)
    for each in bad:
        with pytest.raises(ValueError, match=r"^\$"):
            parts.read_text(json.dumps(each))
