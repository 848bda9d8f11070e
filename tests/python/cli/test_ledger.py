# SPDX-License-Identifier: Apache-2.0
"""The report of a ledger on the command line."""

import json

import pytest

import hockeystick as hs

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
QUESTION = ["--delta", "1e-6", "--budget", "3"]


@pytest.fixture
def acct(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    acct = hs.Accountant().compose(STEP, 1000, label="model").compose(hs.Laplace(10.0), 5)
    acct.save("ledger.json")
    return acct


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_it_prints_the_report(acct, run, form):
    report = acct.report(delta=1e-6, budget=3)
    expected = str(report) if form == "text" else getattr(report, form)()
    assert run("ledger", "ledger.json", *QUESTION, "--format", form) == (0, expected + "\n", "")
    if form == "text":
        assert run("ledger", "ledger.json", *QUESTION)[1] == expected + "\n"


def test_json_has_the_numbers(acct, run):
    code, out, _ = run("ledger", "ledger.json", "-d", "1e-6", "--format", "json")
    report = acct.report(delta=1e-6)
    answer = json.loads(out)
    assert code == 0
    assert (answer["lower"], answer["epsilon"]) == tuple(report.bounds)
    assert answer["upper"] == answer["epsilon"]
    assert (answer["delta"], answer["budget"]) == (1e-6, None)
    assert answer["adjacency"] == "add-or-remove-one"
    assert answer["rows"] == [row._asdict() for row in report.rows]


def test_it_reports_in_rho(acct, run):
    report = acct.report(rho="600")
    assert run("ledger", "ledger.json", "--rho", "600") == (0, f"{report}\n", "")
    answer = json.loads(run("ledger", "ledger.json", "--rho", "600", "--format", "json")[1])
    assert (answer["lower"], answer["rho"]) == tuple(report.bounds)
    assert "delta" not in answer
    assert [row["rho"] for row in answer["rows"]] == [row.rho for row in report.rows]
