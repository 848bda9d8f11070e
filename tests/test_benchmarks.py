# SPDX-License-Identifier: Apache-2.0
"""The benchmark harness on solvers that are made up; no peer is needed and no time asserted."""

import json
import math
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import cases  # noqa: E402
import compare  # noqa: E402
import figures  # noqa: E402
import footprint  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import published  # noqa: E402
import report  # noqa: E402
import services  # noqa: E402
import transforms  # noqa: E402
import worker  # noqa: E402
from measure import Answer, Status  # noqa: E402

import hockeystick as hs  # noqa: E402

TRUTH = cases.Truth(Fraction(2), Fraction(1, 10**20))
RIGHT = Answer(lower=1.9995, upper=2.0005, estimate=2.0)
check = partial(measure.judge, truth=TRUTH, gap=1e-3)


class Bench:
    """A clock that stands still but for the solvers, and the order in which these were called."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def solver(self, name, *seconds, answers=(RIGHT,)):
        """Takes `seconds` in turn, the last ones over and over; so with the answers."""
        turn = iter(range(10**9))

        def ask():
            index = next(turn)
            self.calls.append(name)
            self.now += seconds[min(index, len(seconds) - 1)]
            answer = answers[min(index, len(answers) - 1)]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask

    def race(self, solvers, rounds=4, cap=900.0):
        """Against this clock."""
        return measure.race(solvers, check, rounds=rounds, cap=cap, clock=lambda: self.now)


def test_cases_are_well_formed():
    assert len({case.name for case in cases.CASES}) == len(cases.CASES)
    for case in cases.CASES:
        assert case.terms
        assert 0 < case.gap < 1
        assert case.at > 0
        assert case.query == "delta" or case.at < 1
        for sigma, q, count in case.terms:
            assert sigma > 0
            assert 0 < q <= 1
            assert count >= 1
        assert case.title in case.question


def test_every_case_has_a_truth_far_sharper_than_its_gap():
    truths = cases.truths()
    assert set(truths) == {case.name for case in cases.CASES}
    for case in cases.CASES:
        value, error = truths[case.name]
        assert 0 <= error < value * Fraction(case.gap) / 10**9


def test_truths_agree_with_the_reference_table():
    table = Path(__file__).parent / "reference" / "table.json"
    rows = {
        (tuple(map(tuple, row["terms"])), row["query"], row["at"]): row
        for row in json.loads(table.read_text())
        if row["direction"] == "add_remove"
    }
    truths = cases.truths()
    shared = [case for case in cases.CASES if (case.terms, case.query, case.at) in rows]
    assert shared
    for case in shared:
        row, (value, error) = rows[case.terms, case.query, case.at], truths[case.name]
        assert abs(value - Fraction(row["truth"])) <= error + Fraction(row["error"])


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("prepare", [peers.hockeystick, peers.transform_engine])
def test_hockeystick_answers(case, prepare):
    easy = replace(case, gap=max(case.gap, 1e-2))
    verdict = measure.judge(prepare(easy)(), cases.truths()[case.name], easy.gap)
    assert verdict.status is Status.CERTIFIED


def test_the_narrowest_case_is_answered_within_its_gap():
    case = min(cases.CASES, key=lambda case: case.gap)
    assert case.gap == 1e-9
    verdict = measure.judge(peers.hockeystick(case)(), cases.truths()[case.name], case.gap)
    assert verdict.status is Status.CERTIFIED


def test_libraries_are_told_apart_by_their_labels():
    ours = [library for library in peers.LIBRARIES if library.name == "hockeystick"]
    assert [each.label for each in ours] == [
        f"hockeystick {hs.__version__}",
        f"hockeystick {hs.__version__}, transform engine",
    ]
    assert [*peers.installed()][: len(ours)] == [each.label for each in ours]


def test_a_library_that_is_missing_is_named_once(monkeypatch):
    absent = [peers.Library("no-such-library", peers.hockeystick, way) for way in ("", "again")]
    monkeypatch.setattr(peers, "LIBRARIES", (*peers.LIBRARIES[:1], *absent))
    assert peers.missing() == ["no-such-library"]
    assert len(peers.installed()) == 1


def test_the_second_row_is_of_the_transform_engine():
    """Which is an order of magnitude wider here, at the same gap asked for."""
    case = next(case for case in cases.CASES if case.name == "dpsgd")
    default, transform = (f(case)() for f in (peers.hockeystick, peers.transform_engine))
    assert 0 < default.upper - default.lower < (transform.upper - transform.lower) / 3


def test_the_order_flips_every_round():
    bench = Bench()
    bench.race({"a": bench.solver("a", 1.0), "b": bench.solver("b", 1.0)})
    assert bench.calls == [*"ab", *"ab", *"ba", *"ab", *"ba"]  # the first calls, then four rounds


def test_median_and_band_leave_out_the_first_call():
    bench = Bench()
    outcome = bench.race({"a": bench.solver("a", 9.0, 3.0, 1.0, 2.0, 8.0)})["a"]
    assert outcome.samples == [3.0, 1.0, 2.0, 8.0]
    assert outcome.middle == 2.5
    assert outcome.band == (1.0, 8.0)


def test_fast_calls_are_repeated_within_a_sample():
    bench = Bench()
    outcome = bench.race({"a": bench.solver("a", 1 / 1024)}, rounds=2)["a"]
    assert outcome.calls == 11
    assert outcome.samples == [1 / 1024, 1 / 1024]
    assert len(bench.calls) == measure.WARM_UP_CALLS + 2 * 11


def test_a_slow_library_gets_fewer_rounds_in_both_orders():
    bench = Bench()
    solvers = {"fast": bench.solver("fast", 1.0), "slow": bench.solver("slow", 10.0)}
    outcomes = bench.race(solvers, rounds=8, cap=110.0)  # 55 s each: 1 + 2 * 2 slow calls
    assert len(outcomes["fast"].samples) == 8
    assert len(outcomes["slow"].samples) == 4
    order = "".join(name[0] for name in bench.calls[2:])
    assert order == "fssf" + "ff" + "fssf" + "ff"


def test_a_library_too_slow_for_rounds_keeps_its_first_call():
    bench = Bench()
    outcome = bench.race({"a": bench.solver("a", 10.0)}, cap=25.0)["a"]
    assert outcome.samples == [10.0]
    assert outcome.verdict.counts


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (RIGHT, Status.CERTIFIED),
        (Answer(lower=1.9, upper=2.1), Status.WIDE),
        (Answer(lower=-1.0, upper=2.0), Status.WIDE),
        (Answer(upper=2.5), Status.UPPER),
        (Answer(upper=math.nextafter(2, 0)), Status.WRONG),
        (Answer(lower=1.0, upper=1.5), Status.WRONG),
        (Answer(lower=math.nextafter(2, 3), upper=3.0), Status.WRONG),
        (Answer(upper=math.inf), Status.FAILED),
        (Answer(lower=math.nan, upper=3.0), Status.FAILED),
    ],
)
def test_the_judge(answer, status):
    verdict = check(answer)
    assert verdict.status is status
    assert verdict.counts == (status not in {Status.WRONG, Status.FAILED})


def test_width_and_distances_are_relative_to_the_truth():
    verdict = check(Answer(lower=1.0, upper=4.0, estimate=1.5))
    assert (verdict.width, verdict.distance, verdict.estimate_distance) == (1.5, 1.0, -0.25)


@pytest.mark.parametrize("answers", [(Answer(upper=1.0),), (RIGHT, RIGHT, Answer(upper=1.0))])
def test_a_wrong_answer_is_shown_as_wrong_and_has_no_ratio(answers):
    bench = Bench()
    wrong = bench.solver("wrong", 1.0, answers=answers)
    outcomes = bench.race({"right": bench.solver("right", 5.0), "wrong": wrong})
    assert not outcomes["wrong"].verdict.counts
    assert len(outcomes["wrong"].samples) < 4
    row = report.table(outcomes).splitlines()[-1]
    assert "WRONG" in row
    assert "(1 s)" in row
    assert "0.2" not in row


def test_an_exception_is_a_result():
    bench = Bench()
    failing = bench.solver("b", 1.0, answers=(ValueError("too | small"),))
    outcomes = bench.race({"a": bench.solver("a", 1.0), "b": failing})
    assert "failed: raises: ValueError: too / small" in report.table(outcomes)
    assert bench.calls.count("b") == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_a_call_beyond_its_share_is_broken_off():
    outcome = measure.race({"a": lambda: time.sleep(60)}, check, rounds=2, cap=0.01)["a"]
    assert outcome.verdict == measure.Verdict(status=Status.FAILED, text="over 0.01 s")
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_ratios_are_bold_where_the_bands_are_apart():
    bench = Bench()
    solvers = {
        "a": bench.solver("a", 2.0, 2.0, 3.0, 2.0),
        "b": bench.solver("b", 8.0),
        "c": bench.solver("c", 2.5),
    }
    _, _, a, b, c = report.table(bench.race(solvers)).splitlines()
    assert [row.split("|")[5].strip() for row in (a, b, c)] == ["1", "**4**", "1.25"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(7.25e-6, "7.25 us"), (9.999e-4, "1 ms"), (0.0123, "12.3 ms"), (1.5, "1.5 s"), (123, "123 s")],
)
def test_seconds(value, text):
    assert report.seconds(value) == text


@pytest.mark.parametrize("rounds", [-2, 0, 1, 7])
def test_rounds_are_even(rounds):
    with pytest.raises(ValueError, match=f"rounds must be even and >= 2, got {rounds}"):
        measure.race({}, check, rounds=rounds)


def test_the_page_has_a_place_for_every_case_and_the_method():
    page = (BENCHMARKS / "README.md").read_text()
    assert report.METHOD in page
    for case in cases.CASES:
        assert "new text" in report.replaced(page, case.name, "new text\n")
    with pytest.raises(ValueError, match="must hold <!-- begin none -->"):
        report.replaced(page, "none", "")


def test_published_comparisons_are_well_formed():
    assert len({comparison.name for comparison in published.COMPARISONS}) == 3
    asked = {(c.name, count) for c in published.COMPARISONS for count in c.counts}
    assert set(published.truths()) == asked
    for truth in published.truths().values():
        assert 0 <= truth.error < truth.value / 10**6


def comparison(name):
    return next(each for each in published.COMPARISONS if each.name == name)


@pytest.mark.parametrize("name", ["gaussian", "sampled-gaussian", "sampled-laplace"])
@pytest.mark.parametrize("method", [published.certified, published.connect_dots])
def test_our_answers_to_published_comparisons(name, method):
    asked = comparison(name)
    for count in asked.counts[:3]:
        verdict = measure.judge(method(asked, count)(), published.truths()[name, count], 0.25)
        assert verdict.status is Status.CERTIFIED


def test_a_step_is_put_on_the_grid_before_it_is_composed():
    """A thousand Gaussians merged into one would be almost exact on this grid."""
    upper = published.connect_dots(comparison("gaussian"), 1000)().upper
    truth = published.truths()["gaussian", 1000].value
    assert 0.01 < (Fraction(upper) - truth) / truth < 0.02


def test_published_truths_agree_with_wider_ones():
    """The bounds that stand in for an oracle, against a second grid."""
    asked = comparison("sampled-laplace")
    value, error = published.truths()["sampled-laplace", 1000]
    run = 1000 * asked.step
    for side, sign in (("lower", 1), ("upper", -1)):
        estimate = run.pld(discretization_interval=1e-5, side=side).epsilon(published.DELTA)
        assert sign * (value - Fraction(estimate)) >= -error
        assert estimate == pytest.approx(float(value), rel=2e-4)


def test_the_figures_are_drawn(tmp_path, monkeypatch):
    asked = replace(comparison("gaussian"), counts=(100, 250))
    ours = {"certified": published.certified, "connect the dots": published.connect_dots}
    monkeypatch.setattr(figures, "methods", lambda _: ours)
    outcomes = figures.measure(asked, rounds=2, cap=2.0)
    assert {count: set(by_name) for count, by_name in outcomes.items()} == {
        count: set(ours) for count in asked.counts
    }
    above, below = figures.errors_of(
        {n: by_name["connect the dots"] for n, by_name in outcomes.items()}
    )
    assert set(above) == set(below) == set(asked.counts)
    assert all(0 < error < 0.1 for error in [*above.values(), *below.values()])
    figures.draw_hockey_sticks(tmp_path)
    figures.draw_estimates(asked, tmp_path)
    figures.draw_race(asked, outcomes, tmp_path)
    names = {"hockey-sticks.png", "gaussian.png", "gaussian-race.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert all(3_000 < path.stat().st_size < 60_000 for path in tmp_path.iterdir())
    assert "250 steps" in figures.block(asked, outcomes, "here")


def test_wrong_and_failed_answers_have_no_error_in_a_figure():
    answers = {
        1: Answer(lower=1.9, upper=2.2),
        2: Answer(upper=2.5),
        3: Answer(upper=1.0),
        4: Answer(upper=math.inf),
    }
    above, below = figures.errors_of(
        {count: measure.Outcome(verdict=check(answer)) for count, answer in answers.items()}
    )
    assert above == {1: pytest.approx(0.1), 2: pytest.approx(0.25)}
    assert below == {1: pytest.approx(0.05)}


def test_the_page_shows_every_figure():
    page = (BENCHMARKS / "README.md").read_text()
    for each in published.COMPARISONS:
        assert "new text" in report.replaced(page, f"published {each.name}", "new text\n")
    shown = set(re.findall(r"\]\(figures/(.*?)\)", page))
    kept = {path.name for path in (BENCHMARKS / "figures").iterdir()}
    assert shown == kept
    assert all(path.stat().st_size < 60_000 for path in (BENCHMARKS / "figures").iterdir())


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
        (services.throughput(50), Status.CERTIFIED),
    ):
        for ask in service.asks.values():
            verdict = services.judge(ask(), service.truths, service.gap)
            assert verdict.status is status
            assert 0 <= verdict.distance < 1e-3
            assert not (service.truths.lower > service.truths.upper).any()


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


def test_transforms_are_judged_and_tabled():
    """Ours encloses an exact point of a cyclic square; a value a little off is wrong."""
    x, truth = transforms.sequence(64)
    answer = transforms.certified(x)()
    assert transforms.judge(answer, truth, x.size).status is Status.CERTIFIED
    assert answer.upper - answer.lower < 1e-11 * truth
    for factor, status in [(1, Status.UPPER), (1 + 1e-12, Status.WRONG)]:
        plain = Answer(upper=answer.estimate * factor)
        assert transforms.judge(plain, truth, x.size).status is status
    check = partial(transforms.judge, truth=truth, size=x.size)
    bench = Bench()
    asks = {
        "ours": bench.solver("ours", 1e-3, answers=(answer,)),
        "other": bench.solver("other", 2e-3, answers=(Answer(upper=answer.estimate),)),
        "bad": bench.solver("bad", 1e-3, answers=(Answer(upper=1.0),)),
    }
    outcomes = measure.race(asks, check, rounds=4, clock=lambda: bench.now)
    row = transforms.table({x.size: outcomes}).splitlines()[-1]
    assert "| 2^6" in row
    assert "2 ms (2 ms to 2 ms), 2.00, 2.00" in row
    assert "WRONG" in row


def test_the_page_has_a_place_for_transforms():
    page = (BENCHMARKS / "README.md").read_text()
    assert report.replaced(page, transforms.MARKER, "new") != page
