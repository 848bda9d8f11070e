# SPDX-License-Identifier: Apache-2.0
"""The benchmarks beside the race of libraries: services, footprint and releases."""

import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import admission
import cases
import compare
import footprint
import measure
import report
import sampling
import services
import worker
from hockeystick import _core
from measure import Answer, Status

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

TRUTH = cases.Truth(Fraction(2), Fraction(1, 10**20))
RIGHT = Answer(lower=1.9995, upper=2.0005, estimate=2.0)
check = partial(measure.judge, truth=TRUTH, gap=1e-3)


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


def test_width_and_distance_of_many_answers_are_the_largest():
    answers = services.Answers(lower=np.array([0.5, 1.0]), upper=np.array([1.25, 3.0]))
    verdict = services.judge(answers, MANY, 1e-3)
    assert (verdict.width, verdict.distance, verdict.text) == (1.0, 0.5, "3.0")


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


def test_two_threads_answer_the_questions_of_one_in_their_order():
    one, two = (ask() for ask in services.throughput(21).asks.values())
    assert len({*one.upper.tolist()}) == 21
    assert (one.upper == two.upper).all()
    assert (one.lower == two.lower).all()


def test_the_note_on_throughput_is_of_neighbouring_rounds():
    def outcome(*samples):
        return measure.Outcome(verdict=check(RIGHT), samples=[*samples])

    outcomes = {"one": outcome(2.0, 3.0, 8.0), "two": outcome(1.0, 2.0, 5.0)}
    note = services._rates(outcomes, 6)
    assert note.startswith("2 questions a second on one thread, 3 on two: 1.60 times as many")
    assert "(1.50 to 2.00)" in note


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


def test_the_table_of_admissions_is_of_neighbouring_rounds():
    def rounds(*rates):
        return [{"rate": rate, "p50": 1e-3, "p99": 2e-3} for rate in rates]

    apps = dict(zip(admission.APPS, (rounds(10, 30), rounds(20, 20), rounds(40, 60)), strict=True))
    found = {"; ".join(way): apps[way.app] for way in admission.ways()}
    row = admission.table(found).splitlines()[2]
    assert row == "| one worker | admission | 20 | 10 to 30 | 0.38 | 1 ms | 2 ms |"


def test_peaks_grow_with_every_step_and_are_not_those_of_the_parent():
    held = np.ones(2**24)  # 128 MiB, which getrusage would pass on
    peaks = list(footprint.child_peaks().values())
    assert len(peaks) == 4
    assert 2**20 < peaks[0] < peaks[1] < peaks[2] <= peaks[3]
    assert peaks[0] < held.nbytes


def test_the_footprint_is_over_numpy(monkeypatch):
    taken = {"numpy": [1.0, 2.0, 3.0], "numpy, hockeystick": [1.25, 2.5, 3.125]}
    peaks = {"import numpy": 10, "import hockeystick": 12, "a": 12, "b": 15}
    monkeypatch.setattr(footprint, "import_times", lambda _: taken)
    monkeypatch.setattr(
        footprint, "child_peaks", lambda: {k: v * 2.0**20 for k, v in peaks.items()}
    )
    text, samples = footprint.measured(2)
    assert "| numpy, hockeystick | 2.5 s | 1.25 s to 3.12 s | 3 | 250 ms |" in text
    assert "| import hockeystick | 12.0 |  |\n| a | 12.0 | 0.0 |\n| b | 15.0 | 3.0 |" in text
    assert samples["import_seconds"] == taken
    assert f"| together | {sum(samples['disk_bytes'].values()) / 2**20:.1f} |" in text
    assert all(2**17 < size < 2**28 for size in samples["disk_bytes"].values())


def test_the_page_has_a_place_for_every_service():
    page = (BENCHMARKS / "README.md").read_text()
    for name in (*services.SERVICES, "footprint"):
        assert "new text" in report.replaced(page, f"services {name}", "new text\n")


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


def test_kernels_are_raced(monkeypatch, capsys):
    monkeypatch.setattr(compare, "begin", lambda: None)
    options = ["--kernel", "scalar", "--case", "gaussians", "--rounds", "2"]
    monkeypatch.setattr(sys, "argv", ["compare.py", *options])
    compare.main()
    page = capsys.readouterr().out
    assert re.search(r"^\| case \| scalar \| width \| head \|.*\n.*\n\| gaussians \| ", page)
    assert f"head is the kernel {_core.kernel()}; 2 rounds; " in page


def test_a_worker_takes_the_kernel_it_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("HOCKEYSTICK_KERNEL", raising=False)
    says = "import os\nraise SystemExit(3 if 'HOCKEYSTICK_KERNEL' not in os.environ else 4)"
    (tmp_path / "hockeystick.py").write_text(says)
    for kernel, status in [("", 3), ("scalar", 4)]:
        with pytest.raises(ValueError, match=f"exit status {status}"):
            compare.Worker(tmp_path, kernel)


def test_a_kernel_is_of_no_commit(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["compare.py", "v0", "--kernel", "scalar"])
    with pytest.raises(SystemExit):
        compare.arguments()


def test_a_worker_takes_the_library_it_is_given_and_no_other(tmp_path):
    with pytest.raises(ValueError, match="hides the one to be measured"):
        compare.Worker(tmp_path)
    (tmp_path / "hockeystick").mkdir()
    (tmp_path / "hockeystick" / "__init__.py").touch()
    with compare.Worker(tmp_path) as empty:
        found = empty.sample("dpsgd", 1)
    assert not found.counts
    assert "has no attribute" in found.text


def test_a_worker_that_ends_is_an_error(tmp_path):
    (tmp_path / "hockeystick.py").write_text("raise SystemExit(3)")
    with pytest.raises(ValueError, match="a worker ended with exit status 3"):
        compare.Worker(tmp_path)


def test_a_case_that_fails_is_a_sample():
    found = worker.sample("no such case", 1)
    assert (found["status"], found["seconds"]) == ("FAILED", 0.0)


@pytest.fixture
def clone(tmp_path):
    def git(*words):
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tmp_path, *name, *words], check=True, capture_output=True)  # noqa: S607

    git("init")
    (tmp_path / "file").write_text("old")
    git("add", "file")
    git("commit", "-m", "one")
    return tmp_path, git


def test_the_last_tag_is_compared_with(clone, tmp_path):
    root, git = clone
    assert compare.default_ref(root) == "HEAD~20"
    with pytest.raises(ValueError, match="REF must name a commit of this clone, got 'HEAD~20'"):
        compare.commit("HEAD~20", root)
    git("tag", "v1")
    (root / "file").write_text("new")
    git("commit", "-a", "-m", "two")
    assert compare.default_ref(root) == "v1"
    compare.unpack("v1", tmp_path / "old", root)
    assert (tmp_path / "old" / "file").read_text() == "old"
    assert (root / "file").read_text() == "new"
