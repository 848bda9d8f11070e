# SPDX-License-Identifier: Apache-2.0
"""Questions about runs that files describe."""

import json

import pytest

import hockeystick as hs

RUN = 1000 * hs.Gaussian(1.0).poisson_sampled(0.01) + 5 * hs.Laplace(10.0)
TOML = """
adjacency = "remove-one"
tolerance = 1e-4
[[ledger]]
count = 1000
mechanism = { type = "PoissonSampled", sampling_probability = 0.01, mechanism.type = "Gaussian", mechanism.noise_multiplier = 1.0 }
[[ledger]]
count = 5
mechanism = { type = "Laplace", noise_multiplier = 10.0 }
"""  # noqa: E501


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text(TOML, encoding="utf-8")


@pytest.mark.parametrize(
    ("wanted", "given", "value"), [("epsilon", "delta", 1e-6), ("delta", "epsilon", 1.0)]
)
def test_a_run_is_asked_as_its_file_says(run, wanted, given, value):
    question = [wanted, "--run", "run.toml", f"--{given}", str(value)]
    code, out, _ = run(*question, "--json")
    answer = json.loads(out)
    options = {"adjacency": "remove-one", "tolerance": 1e-4}
    bounds = getattr(RUN, f"{wanted}_bounds")(value, **options)
    assert (code, answer["lower"], answer[wanted]) == (0, *bounds)
    limits = {"wanted": wanted, given: value, **options, "memory_limit": 2**30}
    if wanted == "delta":
        limits["smallest"] = 1e-30
    assert answer["question"] == limits | {"run": "run.toml"}
    code, out, _ = run(*question)
    assert code == 0
    said = "DP-SGD: 1,000 steps, noise 1, q = 0.01 + 5 times Laplace, noise 10, remove-one"
    assert out.splitlines()[-1] == said


STEP = ["--parameter", "steps", "-s", "1", "-p", "0.01", "--epsilon", "3", "--delta", "1e-6"]


def test_what_was_spent_counts_in_a_calibration(run):
    code, out, _ = run("calibrate", "--spent", "run.toml", *STEP, "--json")
    answer = json.loads(out)
    steps = answer["steps"]
    both = RUN + steps * hs.Gaussian(1.0).poisson_sampled(0.01)
    options = {"adjacency": "remove-one", "tolerance": 1e-4}
    assert code == 0
    assert (answer["lower"], answer["epsilon"]) == tuple(both.epsilon_bounds(1e-6, **options))
    assert 2.999 < answer["epsilon"] <= 3
    assert answer["question"]["spent"] == "run.toml"
    assert answer["question"]["adjacency"] == "remove-one"
    _, out, _ = run("calibrate", "--spent", "run.toml", *STEP)
    assert out.startswith(f"steps = {steps}\n")
    assert out.endswith(", after run.toml\n")
    hs.Accountant("replace-one").compose(RUN).save("other.json")  # else under the last file's own
    budget = ["--epsilon", "9", "-d", "1e-6"]
    for command in ((*STEP, "--adjacency", "replace-one"), ("--run", "other.json", *budget)):
        code, _, err = run("calibrate", "--spent", "run.toml", *command)
        assert (code, "must be that of run.toml, 'remove-one'" in err) == (2, True)
    _, out, _ = run("calibrate", "--run", "other.json", *budget)
    assert out.endswith(", noise 10, replace-one\n")


def test_nothing_fits_after_too_much(run):
    hs.Accountant().compose(10 * RUN).save("ledger.json")
    code, out, err = run("calibrate", "--spent", "ledger.json", *STEP)
    assert (code, out) == (2, "")
    assert "epsilon must be above that of --spent, got 3.0: ledger.json alone costs" in err
    assert err.count("\n") == 1


def test_how_often_a_run_fits(run):
    budget = ["--epsilon", "9", "-d", "1e-6"]
    _, out, _ = run("calibrate", "--run", "run.toml", *budget, "--json")
    answer = json.loads(out)
    count = answer["count"]
    options = {"adjacency": "remove-one", "tolerance": 1e-4}
    bounds = (count * RUN).epsilon_bounds(1e-6, **options)
    assert (answer["lower"], answer["epsilon"]) == tuple(bounds)
    assert answer["epsilon"] <= 9 < ((count + 1) * RUN).epsilon(1e-6, **options)
    assert answer["question"]["run"] == "run.toml"
    code, _, err = run("calibrate", "--run", "run.toml", *budget, "--parameter", "steps")
    assert (code, "use --parameter count" in err) == (2, True)
    code, _, err = run("calibrate", *budget, "--parameter", "count", "-s", "1")
    assert (code, "give the run by --run" in err) == (2, True)


def test_a_file_is_verified_and_drawn(run, tmp_path):
    pytest.importorskip("flint")
    code, out, _ = run("verify", "--run", "run.toml", "-d", "1e-6")
    assert (code, "encloses it" in " ".join(out.split())) == (0, True)
    picture = ["plot", "tradeoff", "--run", "run.toml", "--output", str(tmp_path / "a.png")]
    assert run(*picture)[0] == 0
    assert (tmp_path / "a.png").stat().st_size > 1000


PARTS = hs.parallel(50 * hs.Laplace(40.0), 4 * hs.Gaussian(5.0))


def test_disjoint_parts_are_asked(run, tmp_path):
    (tmp_path / "parts.json").write_text(PARTS.to_json(), encoding="utf-8")
    code, out, _ = run("epsilon", "--run", "parts.json", "-d", "1e-6", "--json")
    answer = json.loads(out)
    assert (code, answer["lower"], answer["epsilon"]) == (0, *PARTS.epsilon_bounds(1e-6))
    _, out, _ = run("delta", "--run", "parts.json", "--epsilon", "1")
    said = "on disjoint parts: 4 times Gaussian, noise 5; 50 times Laplace, noise 40"
    assert out.splitlines()[-1] == f"{said}, add-or-remove-one"
    spent = ["calibrate", "--spent", "parts.json", "-p", "1", "-i", "1", "-d", "1e-6"]
    _, out, _ = run(*spent, "--epsilon", "3", "--json")
    found = hs.calibrate(hs.Gaussian, epsilon=3.0, delta=1e-6, spent=PARTS)
    assert json.loads(out)["noise_multiplier"] == pytest.approx(found, rel=1e-3)
