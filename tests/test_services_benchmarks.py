# SPDX-License-Identifier: Apache-2.0
"""The benchmarks beside the race of libraries: services, footprint and releases."""

import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import admission
import cases
import compare
import footprint
import measure
import sampling
import services
from measure import Status

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

MANY = services.Answers(lower=np.array([1.0, 2.0]), upper=np.array([1.001, 2.0]))


@pytest.mark.parametrize(
    ("lower", "upper", "status"),
    [
        ([1.0, 1.999], [1.001, 2.001], Status.CERTIFIED),
        ([1.0, 1.9], [1.001, 2.001], Status.WIDE),
        (None, [1.0, 2.5], Status.UPPER),
        (None, [1.5, math.nextafter(2, 0)], Status.WRONG),
        ([1.0, math.nextafter(2, 3)], [1.5, 2.5], Status.WRONG),
        ([1.0, -math.inf], [1.5, 2.5], Status.FAILED),
        (None, [math.nan, 2.5], Status.FAILED),
    ],
)
def test_the_judge_of_many_answers_goes_by_the_worst(lower, upper, status):
    answers = services.Answers(np.array(upper), None if lower is None else np.array(lower))
    assert services.judge(answers, MANY, 1.1e-3).status is status


def test_our_answers_to_services_are_certified(monkeypatch):
    ours = {"hockeystick": "ours"}
    monkeypatch.setattr(services, "_labels", lambda: ours)
    for service, status in (
        (services.calibration(), Status.UPPER),
        (services.curve(), Status.CERTIFIED),
        (services.laplace_curve(), Status.CERTIFIED),
        (services.throughput(50), Status.CERTIFIED),
    ):
        for ask in service.asks.values():
            verdict = services.judge(ask(), service.truths, service.gap)
            assert verdict.status is status
            assert 0 <= verdict.distance < 1e-3
            assert not (service.truths.lower > service.truths.upper).any()


def test_our_answers_to_random_allocations_are_certified():
    for run in sampling.RACES.values():
        lower, upper = map(Fraction, run.bounds(sampling.DELTA, sampling.NARROW))
        truth = cases.Truth((lower + upper) / 2, (upper - lower) / 2)
        ask = sampling.ours(run)
        for _ in range(2):
            assert measure.judge(ask(), truth, sampling.GAP).status is Status.CERTIFIED
    head, _, *rows = sampling.times(2, seed=2).splitlines()
    assert head.startswith("| questions |")
    assert sum(int(row.split("|")[2]) for row in rows) == 4


def test_the_page_has_the_table_of_admissions():
    kept = json.loads((BENCHMARKS / "results" / "services.json").read_text(encoding="utf-8"))
    records = kept["admission"]["records"]
    assert [*records["ways"]] == ["; ".join(way) for way in admission.ways()]
    assert admission.text(records) in (BENCHMARKS / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and forks")
def test_admissions_are_raced(monkeypatch):
    for needed in ("gunicorn", "uvicorn_worker"):
        pytest.importorskip(needed, reason="the extra service is not installed")
    monkeypatch.setattr(admission, "WORKERS", {"two workers": {"workers": 2}})
    text, records = admission.measured(2, requests=20, many=40)
    for rounds in records["ways"].values():
        assert all(0 < each["p50"] <= each["p99"] and each["rate"] > 0 for each in rounds)
    assert all(2**24 < held < 2**28 for held in records["held"])
    assert text.count("\n| ") == 2 + len(admission.ways())


def test_peaks_grow_with_every_step_and_are_not_those_of_the_parent():
    held = np.ones(2**24)  # 128 MiB, which getrusage would pass on
    peaks = list(footprint.child_peaks().values())
    assert len(peaks) == 4
    assert 2**20 < peaks[0] < peaks[1] < peaks[2] <= peaks[3]
    assert peaks[0] < held.nbytes


def test_the_page_lists_every_file():
    page = (BENCHMARKS / "README.md").read_text()
    assert all(f"`{path.name}`" in page for path in BENCHMARKS.glob("*.py"))


class Version:
    """A worker that is made up: takes `seconds` in turn and notes when it is asked."""

    def __init__(self, name, order, *seconds, status="CERTIFIED"):
        self.name, self.order, self.status = name, order, status
        self.seconds = iter([*[1.0] * measure.WARM_UP_CALLS, *seconds])

    def sample(self, _case, calls):
        """Its turn."""
        self.order.append(self.name)
        assert calls == 1
        return compare.Sample(self.status, "an | answer", 1e-4, next(self.seconds))


def test_versions_take_turns_and_ratios_are_of_neighbours():
    order = []
    base = Version("b", order, 1.0, 2.0, 4.0)
    head = Version("h", order, 2.0, 3.0, 5.0)
    found = compare.race("dpsgd", base, head, rounds=3)
    assert "".join(order[2 * measure.WARM_UP_CALLS :]) == "bh" + "hb" + "bh"
    assert found.ratios == [2.0, 1.5, 1.25]
    assert compare.row("dpsgd", found) == (
        "| dpsgd | 2 s | 1.0e-04 | 3 s | 1.0e-04 | **1.500** | 1.250 to 2.000 |"
    )


def test_a_version_that_is_wrong_has_no_ratio():
    order = []
    base = Version("b", order, 1.0, status="WRONG")
    found = compare.race("dpsgd", base, Version("h", order, 2.0), rounds=9)
    assert len(found.base) == len(found.head) == 1
    assert found.ratios == []
    assert "| WRONG: an / answer |" in compare.row("dpsgd", found)


def test_two_versions_are_raced(monkeypatch, capsys):
    """Here the installed one against itself, whose ratio exceeds any absurd limit."""
    monkeypatch.setattr(compare, "unpack", lambda *_: None)
    monkeypatch.setattr(compare, "build", lambda *_: None)
    monkeypatch.setattr(compare, "begin", lambda: None)
    monkeypatch.setattr(compare, "commit", lambda _: "0123456789abcdef")
    options = ["--case", "gaussians", "--rounds", "2", "--limit", "1e-9"]
    monkeypatch.setattr(sys, "argv", ["compare.py", "v0", *options])
    with pytest.raises(SystemExit, match="slower by more than 1e-09: gaussians"):
        compare.main()
    page = capsys.readouterr().out
    time, width, ratio = r"[\d.]+ [mu]?s", r"[\d.]+e-\d+", r"[*\d.]+"
    columns = ("gaussians", time, width, time, width, ratio, rf"{ratio} to {ratio}")
    line = r" \| ".join(columns)
    assert re.search(rf"^\| {line} \|$", page, re.MULTILINE)
    assert "v0 is 0123456789ab; 2 rounds; " in page


def test_a_worker_takes_the_library_it_is_given_and_no_other(tmp_path):
    with pytest.raises(ValueError, match="hides the one to be measured"):
        compare.Worker(tmp_path)
    (tmp_path / "hockeystick").mkdir()
    (tmp_path / "hockeystick" / "__init__.py").touch()
    with compare.Worker(tmp_path) as empty:
        found = empty.sample("dpsgd", 1)
    assert not found.counts
    assert "has no attribute" in found.text
