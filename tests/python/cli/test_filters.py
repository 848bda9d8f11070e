# SPDX-License-Identifier: Apache-2.0
"""Budgets that filters keep, on the command line."""

import json

import pytest

import hockeystick as hs

BUDGET = '{"schema": "hockeystick.GaussianFilter", "mu": "1"}'
STEP = ("--noise-multiplier", "10")


@pytest.fixture(autouse=True)
def budget(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "budget.json").write_text(BUDGET)


def test_it_prints_the_report(run):
    code, out, err = run("filter", "budget.json")
    assert (code, out, err) == (0, f"{hs.GaussianFilter(mu=1).report()}\n", "")


def test_it_says_how_often_a_step_fits_and_what_the_whole_keeps(run):
    _, out, _ = run("filter", "budget.json", *STEP, "--delta", "1e-6")
    assert "100 more fit of: 1 step of noise 10.0" in out
    assert "epsilon = 4.88656 at delta = 1e-06, whatever runs" in out
    hs.Accountant().compose(hs.Gaussian(10.0), 3).save("step.json")
    assert "33 more fit of" in run("filter", "budget.json", "--run", "step.json")[1]


def test_a_step_is_entered_if_it_fits(run):
    code, out, _ = run("filter", "budget.json", *STEP, "--enter", "--count", "99", "--label", "a")
    assert code == 0
    assert "1 more fit of" in out
    code, out, err = run("filter", "budget.json", *STEP, "--enter", "--count", "2")
    assert (code, out) == (2, "")
    assert "more than mu^2 = 1/100 that is left of mu^2 = 1; nothing was entered" in err
    held = hs.GaussianFilter.load("budget.json")
    assert held.entries == ((hs.Gaussian(10.0), 99, "a"),)


def test_json_rounds_so_that_nothing_promises_too_much(run):
    run("filter", "budget.json", *STEP, "--enter", "--count", "99")
    answer = json.loads(run("filter", "budget.json", *STEP, "-d", "1e-6", "--json")[1])
    assert answer["runs_left"] == 1
    assert (answer["measure"], answer["guarantee"]) == ("mu^2", "Gaussian(1.0)")
    assert answer["left"] < 0.01 < answer["left"] * (1 + 1e-12)
    assert answer["spent"] >= 0.99
    assert [row["count"] for row in answer["rows"]] == [99]
    assert answer["epsilon"] == answer["upper"] == hs.Gaussian(1.0).epsilon(1e-6)


def test_a_budget_in_toml_is_read_and_not_entered_into(run, tmp_path):
    (tmp_path / "b.toml").write_text('schema = "hockeystick.PureFilter"\nepsilon = "1/2"\n')
    code, out, _ = run("filter", "b.toml")
    assert (code, "budget epsilon = 0.5, 0.5 left" in out) == (0, True)
    code, _, err = run("filter", "b.toml", *STEP, "--enter")
    assert code == 2
    assert "b.toml" in err


def test_a_budget_for_each_record_is_asked_for_its_guarantee_alone(run, tmp_path):
    (tmp_path / "r.toml").write_text(
        'schema = "hockeystick.IndividualFilter"\nmu = "1/2"\nrecords = 9\nnoise_multiplier = 3\n'
    )
    code, out, err = run("filter", "r.toml", "--delta", "1e-6")
    assert (code, err) == (0, "")
    assert "mu=1/2 records=9 noise_multiplier=3.0 steps=0> add-or-remove-one" in out
    assert "epsilon = 2.25409 at delta = 1e-06, whatever runs" in out
    answer = json.loads(run("filter", "r.toml", "-d", "1e-6", "--json")[1])
    assert (answer["guarantee"], answer["steps"]) == ("Gaussian(2.0)", 0)
    assert "squares" not in answer  # which are not to be published
    for more in (STEP, ("--enter",)):
        code, out, err = run("filter", "r.toml", *more)
        assert (code, out) == (2, "")
        assert "a budget for each record charges the norms of records" in err
