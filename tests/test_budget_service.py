# SPDX-License-Identifier: Apache-2.0
"""The manual's example service, with real servers on the loopback interface."""

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import hockeystick as hs
import loopback

ROOT = Path(__file__).parents[1]

for needed in ("uvicorn", "gunicorn", "uvicorn_worker"):
    pytest.importorskip(needed, reason="the extra service is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and forks")

STEP = hs.Laplace(noise_multiplier=10.0)
TENTHS = {"rho": "0.05"}  # ten of these steps, of 0.1^2 / 2 at most
WIDE = {"rho": "50000"}


def wanted(**entry):
    step = {"type": "Laplace", "noise_multiplier": 10}
    body = {"ledger": [{"mechanism": step, **entry}]}
    return loopback.request("POST", "/admit", json.dumps(body).encode())


ADMIT = wanted()
SPENT = loopback.request("GET", "/budget")


def sent(text, **headers):
    return loopback.request("POST", "/admit", text.encode(), **headers)


def statuses(responses):
    return Counter(each.status for each in responses)


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "ledger.json"


def spent(ledger):
    return sum(count for _, count in hs.ZCDPFilter.load(ledger).ledger)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_budget_is_spent_to_the_last_query_and_no_further(ledger, workers):
    with loopback.serving(workers, ledger=ledger, writers=2, **TENTHS) as server:
        assert statuses(server.asked([ADMIT] * 64, 16)) == {200: 10, 409: 54}
        (answer,) = server.asked([SPENT])
    assert spent(ledger) == 10
    found = json.loads(answer.body)
    assert 0.048 < found["spent"] <= 0.05
    assert (found["rho"], found["entries"], answer.status) == ("0.05", 1, 200)
    assert found["left"] < 0.002
    assert found["guarantee"]["epsilon"] == hs.ZCDP(0.05).epsilon(1e-9)


@pytest.mark.parametrize(("workers", "writers"), [(0, 4), (2, 1)])
def test_concurrent_requests_lose_nothing(ledger, workers, writers, samples):
    """Of few at a time, so that requests are put back and writers take turns."""
    some = 256 * samples(1)
    how = {"writers": writers, "most_at_once": 3}
    with loopback.serving(workers, ledger=ledger, **how, **WIDE) as server:
        assert statuses(server.asked([ADMIT] * some, 24)) == {200: some}
    assert spent(ledger) == some


def test_labels_and_entries_are_those_asked_for(ledger):
    with loopback.serving(ledger=ledger, **WIDE) as server:
        server.asked([wanted(label="P1", count=3), wanted(label="P2")])
    assert hs.ZCDPFilter.load(ledger).entries == ((STEP, 3, "P1"), (STEP, 1, "P2"))


BAD = {
    "[": "text must be JSON: Expecting value: line 1 column 2 (char 1)",
    "[" * 30_000: "text must be JSON nested less deeply",
    "\xff": "text must be JSON",
    "{}": "$.ledger must be there",
    '{"ledger": [{"mechanism": {"type": "Lapse"}}]}': "$.ledger[0].mechanism.type must be one of",
    '{"ledger": [], "ledger": []}': "text must not repeat a name",
    '{"ledger": [], "adjacency": "replace-one"}': "adjacency must be add-or-remove-one",
    '{"ledger": [{"mechanism": {"type": "Laplace", "noise_multiplier": -1}}]}': (
        "$.ledger[0].mechanism: noise_multiplier must be finite and in [0.001, 1e+12], got -1"
    ),
    '{"ledger": [{"count": -1, "mechanism": {"type": "Laplace", "noise_multiplier": 1}}]}': (
        "$.ledger[0]: count must be"
    ),
    '{"ledger": [{"mechanism": {"type": "Laplace", "noise_multiplier": NaN}}]}': (
        "text must hold finite numbers only, got NaN"
    ),
}


def test_bad_requests_are_refused_with_what_is_wrong(ledger):
    with loopback.serving(ledger=ledger, largest_body=50_000, **WIDE) as server:
        for body, message in BAD.items():
            (answer,) = server.asked([sent(body)])
            assert (answer.status, json.loads(answer.body)["error"][: len(message)]) == (
                400,
                message,
            )
        for path, body, status in (
            ("/admit", b" " * 60_000, 413),
            ("/admit", b"\xff", 400),
            ("/nothing", b"", 404),
        ):
            (answer,) = server.asked([loopback.request("POST", path, body)])
            assert answer.status == status
        assert statuses(server.asked([ADMIT])) == {200: 1}
    assert spent(ledger) == 1


def test_huge_questions_end_and_leave_the_others_alone(ledger):
    """A decision on this run would take many seconds."""
    steps = [hs.Laplace(1000 + k).poisson_sampled(0.5) for k in range(400)]
    huge = sent(hs.Composition((step, 1000) for step in steps).to_json())
    answers = []
    with loopback.serving(1, ledger=ledger, question_seconds=0.3, **WIDE) as server:
        thread = threading.Thread(target=lambda: answers.extend(server.asked([huge] * 2, 2)))
        thread.start()
        health = []
        while thread.is_alive():
            server.asked([loopback.request("GET", "/health")], heard=health)
        thread.join()
        assert statuses(server.asked([ADMIT] * 4, 4)) == {200: 4}
    assert statuses(answers) == {422: 2}
    assert len(health) > 20
    assert max(each.seconds for each in health) < 0.3
    assert spent(ledger) == 4


def test_a_body_that_does_not_come_is_not_waited_for(ledger):
    with loopback.serving(ledger=ledger, body_seconds=0.2, **WIDE) as server:
        slow = loopback.request("POST", "/admit", **{"Content-Length": "10"})
        assert statuses(server.asked([slow])) == {408: 1}


def test_requests_beyond_those_that_may_wait_are_refused(ledger):
    held = hs.ZCDPFilter.locked(ledger, **WIDE)
    limits = {"most_waiting": 2, "most_at_once": 1, "answer_seconds": 1.0}
    with loopback.serving(ledger=ledger, **limits, **WIDE) as server:
        with held:
            responses = server.asked([ADMIT] * 8, 8)
        assert statuses(responses) == {503: 8}
        deadline = time.monotonic() + 10
        while statuses(server.asked([ADMIT])) == {503: 1}:  # until those given up are put away
            assert time.monotonic() < deadline
    assert spent(ledger) == 2  # the run whose writer waited for the ledger is entered, if nobody's


def test_entries_of_few_mechanisms_do_not_fill_a_ledger(ledger):
    asked = [wanted(label=str(k % 3)) for k in range(30)]
    with loopback.serving(ledger=ledger, most_entries=6, most_at_once=1, **WIDE) as server:
        assert statuses(server.asked(asked)) == {200: 30}
    assert {label for _, _, label in hs.ZCDPFilter.load(ledger).entries} == {"0", "1", "2"}
    assert spent(ledger) == 30


def test_a_program_beside_the_service_erases_nothing(ledger):
    """It may enter into the ledger of the service, but not begin another in its place."""
    with loopback.serving(ledger=ledger, **WIDE) as server:
        assert statuses(server.asked([ADMIT])) == {200: 1}
        with pytest.raises(hs.StaleLedgerError, match="exists"):
            hs.ZCDPFilter(rho="50000").run(STEP).save(ledger)
        with hs.ZCDPFilter.locked(ledger) as beside:
            beside.run(STEP)
        assert statuses(server.asked([ADMIT])) == {200: 1}
    assert spent(ledger) == 3


def test_a_full_ledger_takes_no_more(ledger):
    with loopback.serving(ledger=ledger, most_entries=2, **WIDE) as server:
        asked = [wanted(label=str(k)) for k in range(3)]
        assert [each.status for each in server.asked(asked)] == [200, 200, 507]


def test_a_service_does_not_start_on_a_damaged_ledger(ledger):
    ledger.write_text('{"sha256": "0"}')
    with (
        pytest.raises((ConnectionError, EOFError)),
        loopback.serving(ledger=ledger, **WIDE) as server,
    ):
        server.asked([SPENT])
    assert ledger.read_text() == '{"sha256": "0"}'


def test_a_killed_worker_loses_nothing_acknowledged(ledger, samples):
    """And is replaced. What it had no time to acknowledge may be entered."""
    heard, lost, done = [], [], threading.Event()

    def ask():
        while not done.is_set():
            try:
                server.asked([ADMIT] * 8, heard=heard)
            except (OSError, EOFError):
                lost.append(1)

    kills, deadline = 0, time.monotonic() + 60
    with loopback.serving(2, ledger=ledger, **WIDE) as server:
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        while min(kills, len(lost)) < 3 * samples(1) and time.monotonic() < deadline:
            time.sleep(0.4)
            worker = server.workers()[0]
            if worker != server.process.pid:  # which is left alone while all are being replaced
                os.kill(worker, signal.SIGKILL)
                kills += 1
        done.set()
        for thread in threads:
            thread.join()
    assert min(kills, len(lost)) >= 2
    assert statuses(heard).keys() == {200}
    assert len(heard) <= spent(ledger) <= len(heard) + len(lost)


def test_a_service_that_ends_answers_what_it_took(ledger):
    answers = []
    with loopback.serving(2, ledger=ledger, **WIDE) as server:
        thread = threading.Thread(target=lambda: answers.extend(server.asked([ADMIT] * 16, 16)))
        thread.start()
        while not ledger.exists() or not spent(ledger):
            time.sleep(0.01)
    thread.join()
    assert statuses(answers) == {200: 16}
    assert spent(ledger) == 16


def test_memory_is_flat(ledger, request):
    """Less than 100 bytes for each of many requests, after some of each kind."""
    many = 20_000 if request.config.getoption("--deep") else 2_000
    kinds = ADMIT, SPENT, sent("{"), wanted(count=2)
    asked = [kinds[k % len(kinds)] for k in range(500)]
    with loopback.serving(1, ledger=ledger, **WIDE) as server:
        for _ in range(3):
            server.asked(asked, 16)
        before = server.memory()
        for _ in range(0, many, len(asked)):
            server.asked(asked, 16)
        assert server.memory() - before < 2**20 + 100 * many
