# SPDX-License-Identifier: Apache-2.0
"""A budget is spent to the last query that fits, and never beyond, by however many threads."""

import copy
import itertools
import math
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick import Accountant

STEP = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01)
TENTHS = [
    hs.ApproximateDP(epsilon=0.1, delta=0.0),
    hs.Laplace(noise_multiplier=10.0),
    hs.ExponentialMechanism(epsilon=0.1),
    hs.DiscreteLaplace(parameter=0.1),
]


def admitted(acct, mechanism, **budget):
    return next(k for k in itertools.count() if not acct.admit(mechanism, **budget))


@pytest.mark.parametrize("query", TENTHS, ids=lambda query: type(query).__name__)
@pytest.mark.parametrize("budget", [1, 1.0, "1", "1.0", Decimal(1), Fraction(1)], ids=repr)
def test_ten_tenths_are_one(query, budget):
    """At a delta of 1e-9 ten of them have an epsilon of 0.9999994 and less."""
    acct = Accountant()
    assert admitted(acct, query, epsilon=budget, delta=1e-9) == 10
    assert acct.ledger == ((query, 10),)


@pytest.mark.parametrize("part", [1e-4, 1e-7, 1e-9])
def test_the_last_part_in_1e9_is_decided(part):
    run = 1000 * STEP
    lower, upper = run.epsilon_bounds(1e-5, tolerance=1e-10)
    acct = Accountant().compose(STEP, 999)
    assert not acct.would_exceed(STEP, epsilon=upper * (1 + part), delta=1e-5)
    assert acct.would_exceed(STEP, epsilon=lower * (1 - part), delta=1e-5)


def test_exact_budgets_are_rounded_down():
    """The double nearest to 0.7 lies below it, that nearest to 0.1 above."""
    assert Fraction(0.7) < Fraction("0.7")
    assert Fraction(0.1) > Fraction("0.1")
    for text in ("0.7", "0.1", "7/10", "1e-3"):
        number = hs.accountant.admission.amount("epsilon", text)
        assert number <= Fraction(text) < math.nextafter(number, 1)
    assert hs.accountant.admission.amount("epsilon", Decimal("0.1")) < 0.1


@pytest.mark.parametrize("text", ["1e1000000000", "-1e1000000000", "1e400", "1e-1000000000"])
def test_budgets_of_any_exponent_are_told_at_once(text):
    """As fractions, they would have more digits than memory holds."""
    small = text.startswith("1e-")
    for value in (text, Decimal(text)):
        if small:
            assert hs.accountant.admission.amount("epsilon", value) == 0
        else:
            with pytest.raises(ValueError, match="^epsilon must be a finite number, got "):
                Accountant().would_exceed(STEP, epsilon=value, delta=1e-5)


def test_threads_admit_what_one_would(samples):
    """Two different queries take turns, so that what one thread finds another has changed."""
    queries = (hs.Laplace(noise_multiplier=20.0), hs.Gaussian(noise_multiplier=30.0))
    for _ in range(samples(2)):
        acct = Accountant()
        admissions = []
        start = threading.Barrier(8)

        def work(query, acct=acct, admissions=admissions, start=start):
            start.wait()
            while acct.admit(query, epsilon=1.0, delta=1e-6):
                admissions.append(query)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, queries * 4))
        total = sum(count for _, count in acct.ledger)
        assert total == len(admissions)
        assert acct.composition == sum(1 * query for query in admissions)
        assert acct.composition.delta(1.0, tolerance=1e-6) <= 1e-6
        assert all(acct.would_exceed(query, epsilon=1.0, delta=1e-6) for query in queries)


def test_copies_are_their_own():
    acct = Accountant().compose(STEP)
    for same in (copy.copy(acct), copy.deepcopy(acct), pickle.loads(pickle.dumps(acct))):  # noqa: S301
        assert same.ledger == acct.ledger
        assert same.admit(STEP, epsilon=1.0, delta=1e-5)
        assert (same.ledger, acct.ledger) == (((STEP, 2),), ((STEP, 1),))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_of_its_parent():
    acct = Accountant().compose(STEP)
    held, done = threading.Event(), threading.Event()

    def hold():
        with acct._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if acct.compose(STEP).ledger == ((STEP, 2),) else 1)
    code = os.waitpid(child, 0)[1]
    done.set()
    thread.join()
    assert code == 0


MANY = [hs.Laplace(noise_multiplier=100 + k / 3) for k in range(20)]
NEXT = [hs.DiscreteLaplace(parameter=1 / (90 + k)) for k in range(12)]
GROWING = {
    "additive": (MANY, NEXT, {}),
    "two directions": (
        [hs.Gaussian(noise_multiplier=5 + k).poisson_sampled(0.1) for k in range(18)],
        [mechanism.poisson_sampled(0.2) for mechanism in MANY[:6]],
        {},
    ),
    "one direction more": (MANY, [mechanism.poisson_sampled(0.2) for mechanism in NEXT], {}),
    "replacement": (NEXT + MANY, MANY, {"adjacency": hs.Adjacency.REPLACE_ONE}),
    "infinite losses": (
        MANY + [hs.ApproximateDP(epsilon=0.01, delta=1e-9)] * 3,
        [hs.ApproximateDP(epsilon=0.02, delta=1e-9)] * 3,
        {},
    ),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", GROWING)
@pytest.mark.parametrize("part", [0.98, 0.9999, 1.0001, 1.02])
def test_rough_answers_decide_as_close_ones_would(kind, part):
    base, others, given = GROWING[kind]
    run = sum((1 * mechanism for mechanism in base), hs.Composition())
    whole = run + sum((1 * mechanism for mechanism in others), hs.Composition())
    lower, upper = whole.epsilon_bounds(1e-7, **given)
    acct = Accountant(**given).compose(run)
    budget = {"epsilon": part * (lower if part < 1 else upper), "delta": 1e-7}
    outcomes = []
    for mechanism in others:
        before = acct.composition
        outcomes.append(acct.admit(mechanism, **budget))
        then = before + mechanism
        least, most = then.epsilon_bounds(1e-7, **given)
        assert least <= budget["epsilon"] if outcomes[-1] else most > budget["epsilon"]
    assert (part > 1) == all(outcomes)


def test_the_rho_of_many_mechanisms_tells_that_a_large_budget_holds(monkeypatch):
    acct = Accountant().compose(hs.Composition((mechanism, 1) for mechanism in MANY))
    rho = (acct.composition + NEXT[0]).zcdp_bounds().upper
    told = {"epsilon": 1.012 * hs.ZCDP(rho).epsilon_bounds(1e-6).upper, "delta": 1e-6}
    assert not acct.would_exceed(NEXT[0], epsilon=1.0, delta=0)
    monkeypatch.setattr(hs.Composition, "epsilon_bounds", None)
    assert acct.admit(NEXT[0], **told)
    with pytest.raises(TypeError):
        acct.admit(NEXT[1], **told)


def test_a_locked_ledger_is_kept_between_blocks(tmp_path):
    run = hs.Composition((mechanism, 1) for mechanism in MANY)
    with Accountant.locked(tmp_path / "ledger.json") as acct:
        acct.compose(run)
    kept = []
    for mechanism in NEXT[:3]:
        with Accountant.locked(tmp_path / "ledger.json") as acct:
            assert acct.admit(mechanism, epsilon=1.0, delta=1e-6)
            kept.append(acct._kept)
        assert acct._kept is not kept[0]
    assert all(each is kept[0] for each in kept)
    assert acct.composition == sum((1 * mechanism for mechanism in NEXT[:3]), run)


FREE = hs.ApproximateDP(epsilon=0.0, delta=0.0)


@pytest.mark.parametrize(
    ("ledger", "mechanism", "count", "error", "name"),
    [
        ((STEP, 10**9), STEP, 1, ValueError, "count"),
        ((FREE, 10**9), FREE, 1, ValueError, "count"),
        ((STEP, 1), 10 * STEP, 10**8, ValueError, "count"),
        ((STEP, 1), 10**9 * STEP + FREE, 1, ValueError, "count"),
        ((STEP, 1), STEP, 10**9 + 1, ValueError, "count"),
        ((STEP, 1), STEP, -1, ValueError, "count"),
        ((STEP, 1), STEP, 1.5, TypeError, "count"),
        ((STEP, 1), STEP, True, TypeError, "count"),
        ((STEP, 1), 2, 1, TypeError, "mechanism"),
        ((STEP, 1), "Gaussian", 1, TypeError, "mechanism"),
        ((STEP, 1), None, 1, TypeError, "mechanism"),
    ],
)
def test_what_cannot_be_composed_is_no_question(ledger, mechanism, count, error, name):
    acct = hs.Accountant().compose(*ledger)
    errors = []
    for ask in (
        lambda: acct.compose(mechanism, count),
        lambda: acct.would_exceed(mechanism, count, epsilon=1e4, delta=0.5),
        lambda: acct.admit(mechanism, count, epsilon=1e4, delta=0.5),
    ):
        with pytest.raises(error, match=f"^{name} must be ") as caught:
            ask()
        errors.append(str(caught.value))
    assert len(set(errors)) == 1
    assert acct.ledger == (ledger,)
    assert acct.composition == ledger[1] * ledger[0]


@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "replace-one"])
@pytest.mark.parametrize(
    "query",
    [*TENTHS[:2], STEP, 3 * STEP + hs.Gaussian(20.0)],
    ids=lambda query: type(query).__name__,
)
def test_what_remains_is_what_is_admitted(query, adjacency):
    acct = Accountant(adjacency=adjacency).compose(hs.Gaussian(noise_multiplier=10.0))
    budget = {"epsilon": 1.5, "delta": 1e-6}
    most = acct.remaining(query, **budget)
    assert most > 0
    assert not acct.would_exceed(query, most, **budget)
    assert acct.would_exceed(query, most + 1, **budget)
    assert acct.admit(query, most, **budget)
    assert acct.remaining(query, **budget) == 0
    assert acct.remaining(hs.Composition(), **budget) == 10**9


def test_ends_of_what_remains():
    acct = Accountant().compose(hs.Gaussian(noise_multiplier=1e12), 999_999_000)
    budget = {"epsilon": 100.0, "delta": 1e-6}
    assert acct.remaining(hs.Gaussian(noise_multiplier=1e12), **budget) == 1000
    assert acct.remaining(2 * hs.Gaussian(noise_multiplier=1e12), **budget) == 500
    assert acct.compose(hs.Gaussian(0.05)).remaining(STEP, **budget) == 0
    with pytest.raises(TypeError, match="^mechanism must be a mechanism or a composition, got 3$"):
        acct.remaining(3, **budget)
    assert sum(count for _, count in acct.ledger) == 999_999_001
