# SPDX-License-Identifier: Apache-2.0
"""`hockeystick compare`: every accountant in a line, whatever becomes of it."""

import json
import multiprocessing
import re
from functools import partial
from importlib.metadata import version
from time import perf_counter

import pytest

import hockeystick as hs
import made_up_peers
from hockeystick import cli
from hockeystick.cli import comparison, peers
from hockeystick.cli.peers import PEERS, Answer, Peer, Question
from hockeystick.cli.peers.child import Reply, ask

RUN = ["--noise-multiplier", "1.0", "--sampling-probability", "0.01", "--steps", "10000"]
EPSILON = [*RUN, "--delta", "1e-5"]  # 6.18771...
QUESTION = Question(((1.0, 0.01, 10_000),), "epsilon", 1e-5)


def compare(capfd, *arguments):
    """Exit code, stdout and stderr of ``hockeystick compare``, of its children too."""
    with pytest.raises(SystemExit) as exited:
        cli.main(["compare", *arguments])
    return exited.value.code, *capfd.readouterr()


def made_up(way, prepare):
    return Peer("click", way, prepare)  # a distribution that is installed


def answering(way, **answer):
    return made_up(way, partial(made_up_peers.answering, Answer(**answer)))


LOW = answering("low", upper=6.0)
HIGH = answering("high", lower=7.0, upper=8.0)
INTERVAL = answering("interval", lower=6.125, upper=6.25, estimate=6.1875)
CLOSE = answering("close", upper=6.2)


def at_once(peer, question, _):
    """What a process of its own would reply, as other tests ask it to."""
    return Reply(peer.prepare.args[0], 0.0) if peer.version else ask(peer, question, 60.0)


def adapters_that_are_installed(sampling="poisson"):
    return [peer for peer in PEERS if peer.version is not None and sampling in peer.samplings]


@pytest.mark.every(3)
@pytest.mark.parametrize("peer", adapters_that_are_installed(), ids=lambda peer: peer.label)
@pytest.mark.parametrize(("query", "at"), [("epsilon", 1e-5), ("delta", 1.0)])
@pytest.mark.filterwarnings("ignore")  # of other libraries
def test_adapters_answer_near_the_truth(peer, query, at):
    """A run of one plain and a hundred sampled steps; Renyi accounting is the furthest off."""
    question = Question(((1.0, 0.01, 100), (4.0, 1.0, 1)), query, at)
    run = 100 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
    run += hs.Gaussian(noise_multiplier=4.0)
    lower, upper = run.epsilon_bounds(at) if query == "epsilon" else run.delta_bounds(at)
    assert (query in peer.offers) == (peer.name != "opacus" or query == "epsilon")
    if query not in peer.offers:
        with pytest.raises(ValueError, match="epsilon only"):
            peer.prepare(question)
        return
    answer = peer.prepare(question)()
    assert lower < answer.upper < {"RDP": 20, "PRV": 1.2, "PLD": 1.001}[peer.way] * upper
    if answer.lower is not None:
        assert 0.8 * lower < answer.lower < answer.estimate < answer.upper


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("peer", "sampling"),
    [
        (peer, sampling)
        for sampling in ("fixed_size", "random_allocation")
        for peer in adapters_that_are_installed(sampling)
    ],
)
@pytest.mark.filterwarnings("ignore")  # of other libraries
def test_adapters_know_how_batches_are_drawn(peer, sampling):
    size = 1000 if sampling == "fixed_size" else None
    scheme = {"noise_multiplier": 2.0, "sampling_probability": 0.1, "steps": 20}
    lower, _ = hs.dpsgd_epsilon_bounds(
        **scheme,
        delta=1e-5,
        sampling=sampling,
        dataset_size=size,
        adjacency="replace-one" if size else "add-or-remove-one",
    )
    question = Question((tuple(scheme.values()),), "epsilon", 1e-5, sampling, size)
    answer = peer.prepare(question)()
    assert lower < answer.upper < 2 * lower


def test_peers_are_asked_only_about_batches_that_they_know(capfd):
    code, out, _ = compare(capfd, *RUN[:-1], "100", "--sampling", "shuffled", "--delta", "1e-5")
    assert code == 0
    ours, *others = out.splitlines()[1:]
    assert "certified" in ours
    assert {line.split()[-1] for line in others} <= {"offered", "installed"}


def test_the_peers_of_the_test_extra_are_installed():
    installed = {(peer.name, peer.way) for peer in adapters_that_are_installed()}
    expected = {("dp-accounting", "PLD"), ("dp-accounting", "RDP"), ("prv-accountant", "PRV")}
    assert expected <= installed


def test_one_peer_from_end_to_end(monkeypatch, capfd):
    monkeypatch.setattr(peers, "PEERS", (PEERS[1], answering("click", upper=9.0)))
    code, out, err = compare(capfd, *EPSILON, "--peer", "dp-accounting")
    assert (code, err) == (0, "")
    question, ours, rdp = out.splitlines()
    assert question == (
        "epsilon at delta = 1e-05, 10000 steps of noise 1.0, q = 0.01, poisson sampling, "
        "add-or-remove-one"
    )
    name, theirs = f"hockeystick {hs.__version__}", version("dp-accounting")
    bounds = re.fullmatch(
        rf"{name} +([0-9.]+) <= epsilon <= ([0-9.]+) +certified +[0-9.]+ m?s", ours
    )
    lower, upper = map(float, bounds.groups())
    assert 6.18 < lower < 6.187713 < upper < 6.20
    assert re.fullmatch(
        rf"dp-accounting {theirs} RDP +epsilon <= 6\.7\d+ +not certified +[0-9.]+ m?s", rdp
    )


def test_a_line_for_each(monkeypatch, capfd):
    missing = Peer("no-such-library", "PLD", made_up_peers.hanging)
    monkeypatch.setattr(peers, "PEERS", (CLOSE, INTERVAL, LOW, HIGH, missing))
    monkeypatch.setattr(comparison, "ask", at_once)
    code, out, err = compare(capfd, *EPSILON)
    assert (code, err) == (0, "")
    lines = [re.sub(" +", " ", line.partition("click")[2]) for line in out.splitlines()[2:]]
    for line, start in zip(
        lines,
        [
            f" {version('click')} close epsilon <= 6.2 not certified ",
            f" {version('click')} interval 6.1250 <= epsilon <= 6.2500 not certified ",
            f" {version('click')} low epsilon <= 6 WRONG ",
            f" {version('click')} high 7.0000 <= epsilon <= 8.0000 WRONG ",
            "",
        ],
        strict=True,
    ):
        assert line.startswith(start)
    assert re.fullmatch("no-such-library PLD +not installed", out.splitlines()[-1])


def test_json(monkeypatch, capfd):
    missing = Peer("no-such-library", "PLD", made_up_peers.hanging)
    monkeypatch.setattr(peers, "PEERS", (LOW, INTERVAL, missing))
    monkeypatch.setattr(comparison, "ask", at_once)
    code, out, err = compare(capfd, *EPSILON, "--json", "--time-limit", "30")
    answer = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert answer["lower"] < answer["epsilon"] == answer["upper"] < 6.2
    assert answer["seconds"] > 0
    low, interval, none = answer["peers"]
    assert low.pop("seconds") >= 0
    assert low == {
        "name": "click",
        "version": version("click"),
        "way": "low",
        "epsilon": 6.0,
        "lower": None,
        "upper": 6.0,
        "certified": False,
        "wrong": True,
    }
    assert (interval["lower"], interval["upper"], interval["wrong"]) == (6.125, 6.25, False)
    assert none == {
        "name": "no-such-library",
        "version": None,
        "way": "PLD",
        "failure": "not installed",
    }
    assert answer["question"] == {
        "wanted": "epsilon",
        "delta": 1e-5,
        "noise_multiplier": 1.0,
        "sampling_probability": 0.01,
        "steps": 10_000,
        "sampling": "poisson",
        "tolerance": 1e-3,
        "memory_limit": 2**30,
        "time_limit": 30.0,
    }


def test_what_is_not_offered_is_said_in_its_row(monkeypatch, capfd):
    assert {peer.name for peer in PEERS if "delta" not in peer.offers} == {
        "opacus",
        "PLD_accounting",
    }
    one_sided = Peer("click", "RDP", made_up_peers.hanging, offers=("epsilon",))
    monkeypatch.setattr(peers, "PEERS", (one_sided,))
    code, out, _ = compare(capfd, *RUN, "--epsilon", "1")
    assert code == 0
    assert re.fullmatch(rf"click {version('click')} RDP +not offered", out.splitlines()[-1])


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("peer", "failure"),
    [
        (answering("inf", upper=float("inf")), "answers inf"),
        (answering("nan", upper=float("nan"), lower=0.0), "answers nan 0.0"),
        (
            made_up("error", partial(made_up_peers.raising, ArithmeticError("two\nlines"))),
            "raises ArithmeticError: two lines",
        ),
        (
            made_up("silent", partial(made_up_peers.raising, KeyError())),
            "raises KeyError: no message",
        ),
        (
            made_up("import", made_up_peers.unprepared),
            "raises ModuleNotFoundError: No module named 'numpy.old'",
        ),
        (made_up("end", made_up_peers.ending), "its process ended with code 3"),
        (Peer("no-such-library", "", made_up_peers.hanging), "not installed"),
        (Peer("click", "delta only", made_up_peers.hanging, ("delta",)), "not offered"),
    ],
    ids=lambda value: value.way if isinstance(value, Peer) else "",
)
def test_failures_are_answers(peer, failure):
    assert ask(peer, QUESTION, 60.0).failure == failure


def test_what_a_peer_prints_is_dropped(capfd):
    assert ask(CLOSE, QUESTION, 60.0).answer == Answer(upper=6.2)
    assert capfd.readouterr() == ("", "")


def test_a_peer_is_ended_at_its_time_limit():
    start = perf_counter()
    reply = ask(made_up("slow", made_up_peers.hanging), QUESTION, 0.25)
    assert reply.failure == "no answer within 0.25 s"
    assert perf_counter() - start < 60
    assert multiprocessing.active_children() == []


def test_imports_do_not_count_towards_the_time_limit():
    answer = Answer(upper=6.2)
    slow = made_up("slow", partial(made_up_peers.importing, 0.75, answer))
    assert ask(slow, QUESTION, 0.5).answer == answer


def test_an_interrupt_ends_the_peer(monkeypatch, capfd):
    class Interrupted:
        @staticmethod
        def poll(_seconds):
            raise KeyboardInterrupt

        @staticmethod
        def close():
            pass

    context = multiprocessing.get_context("spawn")
    pipe = context.Pipe
    monkeypatch.setattr(context, "Pipe", lambda **how: (Interrupted, pipe(**how)[1]))
    monkeypatch.setattr(peers, "PEERS", (made_up("slow", made_up_peers.hanging),))
    assert compare(capfd, *EPSILON)[0] == 130
    assert multiprocessing.active_children() == []
