# SPDX-License-Identifier: Apache-2.0
"""One ledger on disk, many threads of many processes: nothing is lost and nothing overspent."""

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import groupby

import pytest

import hockeystick as hs
from hockeystick import Accountant

STEP = hs.Laplace(noise_multiplier=10.0)
OTHER = hs.Gaussian(noise_multiplier=50.0)

# Eight threads that admit until told otherwise, and say so once it is on the disk.
WORKER = """
import sys, threading
import hockeystick as hs

path, epsilon, most = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
step = hs.Laplace(noise_multiplier=10.0)

def work():
    for _ in range(most):
        with hs.Accountant.locked(path) as acct:
            admitted = acct.admit(step, epsilon=epsilon, delta=1e-9)
        if not admitted:
            return
        sys.stdout.write("+")
        sys.stdout.flush()

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

LATEST = 120  # seconds for all processes of one ledger


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


def start(path, epsilon, most):
    arguments = [sys.executable, "-c", WORKER, str(path), str(epsilon), str(most)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def finished(worker):
    """How many admissions it acknowledged."""
    said, _ = worker.communicate(timeout=LATEST)
    return said.count("+")


def spent(path):
    return sum(count for _, count in Accountant.load(path).ledger)


def test_four_processes_spend_a_budget_to_the_last_query(path):
    """Of 32 threads that want more, ten tenths are admitted."""
    workers = [start(path, 1.0, 100) for _ in range(4)]
    acknowledged = [finished(worker) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert sum(acknowledged) == spent(path) == 10
    acct = Accountant.load(path)
    assert acct.would_exceed(STEP, epsilon=1.0, delta=1e-9)
    assert not acct.would_exceed(hs.Composition(), epsilon=1.0, delta=1e-9)


def test_four_processes_lose_nothing(path, samples):
    each = -(-samples(1) // 4)  # 1024 in all, at most
    workers = [start(path, 1e4, each) for _ in range(4)]
    assert sum(map(finished, workers)) == spent(path) == 32 * each


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_killed_processes_lose_nothing_acknowledged(path, samples):
    """Of each killed thread at most the admission that it had no time to acknowledge."""
    chance = random.Random(7)
    for _ in range(min(samples(1), 20)):
        path.unlink(missing_ok=True)
        workers = [start(path, 8.0, 4) for _ in range(4)]
        while not path.exists():
            time.sleep(0.005)
        for worker in workers[:2]:
            time.sleep(0.02 + 0.1 * chance.random())
            worker.send_signal(signal.SIGKILL)
        acknowledged = sum(map(finished, workers))
        assert [worker.returncode for worker in workers[2:]] == [0, 0]
        assert acknowledged <= spent(path) <= acknowledged + 2
        acct = Accountant.load(path)
        assert not acct.would_exceed(hs.Composition(), epsilon=8.0, delta=1e-9)
        with Accountant.locked(path, timeout=10) as again:  # nobody dead holds the lock
            assert again.ledger == acct.ledger


def test_a_new_ledger_has_what_was_given(path):
    given = {"adjacency": hs.Adjacency.REMOVE_ONE, "tolerance": 1e-4}
    with Accountant.locked(path, **given) as acct:
        assert acct.ledger == ()
    assert (Accountant.load(path).adjacency, Accountant.load(path).tolerance) == tuple(
        given.values()
    )
    with Accountant.locked(path, **given) as acct, pytest.raises(RuntimeError, match="this thread"):
        Accountant.locked(path).__enter__()
    with Accountant.locked(path) as acct:
        assert acct.adjacency is hs.Adjacency.REMOVE_ONE
    for wrong in ({"adjacency": hs.Adjacency.ADD_ONE}, {"tolerance": 1e-3}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be that of the ledger in"):
            Accountant.locked(path, **wrong).__enter__()


def test_an_error_enters_nothing(path):
    with Accountant.locked(path) as acct:
        acct.compose(STEP)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="^count"), Accountant.locked(path) as acct:
        acct.compose(STEP).compose(STEP, count=-1)
    assert path.read_bytes() == before
    with Accountant.locked(path):
        pass
    assert path.read_bytes() == before


def test_a_file_that_others_changed_is_refused(path):
    Accountant().compose(STEP).save(path)
    mine, theirs = Accountant.load(path), Accountant.load(path)
    theirs.compose(OTHER).save(path)
    theirs.compose(OTHER).save(path)
    before = path.read_bytes()
    with pytest.raises(hs.StaleLedgerError, match=r"ledger\.json was changed .* load it again"):
        mine.compose(STEP).save(path)
    assert path.read_bytes() == before
    mine.save(path.with_name("copy.json"))
    with Accountant.locked(path) as acct:
        acct.compose(STEP)
    assert acct.ledger == ((STEP, 1), (OTHER, 2), (STEP, 1))
    acct.compose(STEP).save(path)
    path.unlink()
    with pytest.raises(hs.StaleLedgerError):
        acct.save(path)


def test_others_wait_only_so_long(path):
    held, done = threading.Event(), threading.Event()

    def hold():
        with Accountant.locked(path):
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"locked by others for 0\.1 seconds.*ledger\.json"):
        Accountant.locked(path, timeout=0.1).__enter__()
    assert 0.1 <= time.monotonic() - start < 5
    done.set()
    thread.join()
    with Accountant.locked(path, timeout=0):
        pass
    with pytest.raises(ValueError, match="^timeout must be finite and >= 0"):
        Accountant.locked(path, timeout=-1.0).__enter__()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_in_the_block_neither_saves_nor_unlocks(path):
    with Accountant.locked(path) as acct:
        acct.compose(STEP)
        block = Accountant.locked(path.with_name("other.json"))
        other = block.__enter__().compose(STEP)
        child = os.fork()
        if child == 0:
            try:
                other.compose(STEP)
                block.__exit__(None, None, None)
            except RuntimeError as error:
                os._exit(0 if "its own process" in str(error) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        with pytest.raises(RuntimeError, match="this thread"):
            Accountant.locked(path.with_name("other.json")).__enter__()
        block.__exit__(None, None, None)
    assert (spent(path), spent(path.with_name("other.json"))) == (1, 1)


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_who_waits_has_his_turn(path, timeout):
    """Others that ask for the lock as soon as they let go of it do not keep it among themselves."""
    order, begin = [], threading.Barrier(2)

    def work(name):
        begin.wait()
        for _ in range(20):
            with Accountant.locked(path, timeout=timeout):
                order.append(name)
                time.sleep(0.01)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, "ab"))
    assert max(order.index(name) for name in "ab") <= 8
    runs = [len(list(run)) for _, run in groupby(order)]
    assert max(runs[:-1]) <= 8  # the last is of whom the other left alone


# Holds the lock in a thread while the main one forks a child, which outlives both.
PARENT = """
import os, sys, threading, time
import hockeystick as hs

def hold():
    with hs.Accountant.locked(sys.argv[1]):
        held.set()
        time.sleep(60)

held = threading.Event()
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_child_of_the_dead_holds_no_lock(path):
    arguments = [sys.executable, "-W", "ignore", "-c", PARENT, str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        try:
            parent.kill()
            parent.wait()
            with Accountant.locked(path, timeout=10) as acct:
                acct.compose(STEP)
        finally:
            os.kill(child, signal.SIGKILL)
    assert spent(path) == 1


def test_a_file_that_appears_in_the_block_is_not_replaced(tmp_path):
    path = tmp_path / "ledger.json"

    def enter():
        with hs.Accountant.locked(path) as ledger:
            ledger.compose(hs.Gaussian(1.0))
            hs.Accountant().compose(hs.Laplace(1.0)).save(path)  # within this thread's lock

    with pytest.raises(hs.StaleLedgerError):
        enter()
    assert hs.Accountant.load(path).ledger == ((hs.Laplace(1.0), 1),)


def test_a_ledger_beside_a_block_is_not_erased(path):
    """Neither before it nor within it nor after it, by this thread or by another."""
    with Accountant.locked(path) as ledger:
        ledger.compose(STEP, 7)
    stranger = Accountant().compose(OTHER)
    with pytest.raises(hs.StaleLedgerError, match="exists"):
        stranger.save(path)
    with Accountant.locked(path) as ledger:
        ledger.compose(STEP)
        with pytest.raises(hs.StaleLedgerError, match="exists"):
            stranger.save(path)
    with pytest.raises(hs.StaleLedgerError, match="exists"):
        stranger.save(path)
    assert spent(path) == 8


def test_a_save_waits_for_the_block_of_another_thread(path):
    """So that it sees what the block has entered."""
    entered, outcome = threading.Event(), []

    def save():
        entered.wait()
        try:
            Accountant().compose(OTHER).save(path)
        except hs.StaleLedgerError as error:
            outcome.append(error)

    thread = threading.Thread(target=save)
    thread.start()
    with Accountant.locked(path) as ledger:
        entered.set()
        time.sleep(0.1)
        assert not path.exists()
        ledger.compose(STEP)
    thread.join()
    assert len(outcome) == 1
    assert Accountant.load(path).ledger == ((STEP, 1),)


def test_what_overwrites_within_a_block_ends_the_block(path):
    def enter():
        with Accountant.locked(path) as ledger:
            ledger.compose(STEP)
            Accountant().compose(OTHER).save(path, overwrite=True)

    Accountant().save(path)
    with pytest.raises(hs.StaleLedgerError, match="was changed since"):
        enter()
    assert Accountant.load(path).ledger == ((OTHER, 1),)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of an open file
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_interrupt_while_a_lock_is_let_go_of_frees_it(tmp_path, monkeypatch):
    """Only its object knows of it then."""
    path = tmp_path / "ledger.json"

    def interrupted(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(hs._files, "_unlock", interrupted)
        with suppress(KeyboardInterrupt), hs.Accountant.locked(path):
            pass
    gc.collect()
    with hs.Accountant.locked(path, timeout=5) as ledger:
        ledger.compose(hs.Laplace(1.0))
    assert hs.Accountant.load(path).ledger == ((hs.Laplace(1.0), 1),)
