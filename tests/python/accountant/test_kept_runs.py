# SPDX-License-Identifier: Apache-2.0
"""An accountant that is asked after each of many distinct steps, and what it keeps for that."""

import copy
import pickle
import random
import threading

import pytest

import hockeystick as hs
from hockeystick import Accountant
from hockeystick.accountant import admission, kept_runs

DELTA = 1e-5
ADJACENCIES = ("add-or-remove-one", "add-one", "replace-one")


def schedule(number, seed=0):
    """Distinct sampled Gaussians, of which some come again."""
    rng = random.Random(seed)
    steps = []
    for _ in range(number):
        noise, rate = rng.uniform(0.8, 3), rng.uniform(0.001, 0.02)
        fresh = hs.Gaussian(noise_multiplier=noise).poisson_sampled(rate)
        steps.append(rng.choice([fresh, fresh, fresh, rng.choice(steps)]) if steps else fresh)
    return steps


def overlap(a, b):
    return max(a.lower, b.lower) <= min(a.upper, b.upper)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_answers_are_those_of_the_composition(adjacency):
    """To the accountant's tolerance, on both sides of where runs are kept and made anew."""
    acct = Accountant(adjacency=adjacency)
    rng = random.Random(1)
    before = 0.0
    for k, step in enumerate(schedule(110)):
        acct.compose(step, rng.choice((1, 1, 3)))
        found = acct.epsilon_bounds(DELTA)
        assert found.gap <= 1e-3 * found.upper
        assert found.upper >= before * (1 - 1e-3)
        before = found.upper
        if k % 9 == 0:
            exact = acct.composition.epsilon_bounds(DELTA, adjacency=adjacency, tolerance=1e-6)
            assert overlap(found, exact)
    asked = acct.delta_bounds(before)
    assert overlap(asked, acct.composition.delta_bounds(before, adjacency=adjacency))


def test_an_admission_is_decided_by_what_is_kept(monkeypatch):
    acct = Accountant()
    steps = schedule(400)
    for step in steps[:60]:
        acct.compose(step)
    epsilon = acct.composition.epsilon(DELTA)
    monkeypatch.setattr(admission, "_fits", None)
    admitted = sum(acct.admit(step, epsilon=1.3 * epsilon, delta=DELTA) for step in steps[60:])
    assert 0 < admitted < len(steps) - 60
    spent = acct.composition.epsilon_bounds(DELTA, tolerance=1e-6)
    assert spent.upper <= 1.3 * epsilon


def test_an_argument_may_be_named(monkeypatch):
    """A question that named delta was once answered from the start, at four times the price."""
    acct = Accountant()
    for step in schedule(60):
        acct.compose(step)
    known = acct.epsilon(DELTA), acct.epsilon_bounds(DELTA), acct.delta(1.0)
    monkeypatch.setattr(type(acct.composition), "epsilon", None)
    assert (acct.epsilon(delta=DELTA), acct.epsilon_bounds(delta=DELTA)) == known[:2]
    assert acct.delta(epsilon=1.0) == known[2]


def test_copies_and_what_was_saved_go_their_own_ways():
    acct = Accountant()
    first, second = schedule(60), schedule(60, seed=9)
    for step in first:
        acct.compose(step)
    acct.epsilon(DELTA)
    others = [
        copy.deepcopy(acct),
        pickle.loads(pickle.dumps(acct)),  # noqa: S301
        Accountant.from_json(acct.to_json()),
    ]
    for step in second:
        acct.compose(step)
        acct.epsilon(DELTA)
    for other in others:
        other.compose(first[0], 7)
        exact = other.composition.epsilon_bounds(DELTA, tolerance=1e-6)
        assert overlap(other.epsilon_bounds(DELTA), exact)
    exact = acct.composition.epsilon_bounds(DELTA, tolerance=1e-6)
    assert overlap(acct.epsilon_bounds(DELTA), exact)


def test_a_ledger_that_goes_another_way_is_told_apart():
    kept = kept_runs.KeptRuns()
    common, *ways = schedule(80), schedule(20, seed=4), schedule(20, seed=5)
    limits = hs.limits.Limits()
    for way in (*ways, [], *ways):
        acct = Accountant()
        for step in (*common, *way):
            acct.compose(step)
        found = kept.bounds("epsilon", DELTA, acct._entries, limits)
        assert overlap(found, acct.composition.epsilon_bounds(DELTA, tolerance=1e-6))


def test_other_mechanisms_are_asked_as_before():
    acct = Accountant()
    for k in range(40):
        acct.compose(hs.Laplace(noise_multiplier=50.0 + k))
    assert acct.epsilon_bounds(DELTA) == acct.composition.epsilon_bounds(DELTA)
    acct = Accountant()
    for step in schedule(50):
        acct.compose(step)
    acct.epsilon(DELTA)
    acct.compose(hs.Laplace(noise_multiplier=50.0))
    assert overlap(acct.epsilon_bounds(DELTA), acct.composition.epsilon_bounds(DELTA))


def test_threads_share_an_accountant():
    acct = Accountant()
    steps = schedule(200)
    for step in steps[:40]:
        acct.compose(step)
    wrong = []

    def ask():
        for _ in range(12):
            before = acct.composition
            found = acct.epsilon_bounds(DELTA)
            after = acct.composition
            least, most = (one.epsilon_bounds(DELTA) for one in (before, after))
            if not least.lower <= found.upper or not found.lower <= most.upper:
                wrong.append((least, found, most))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for step in steps[40:]:
        acct.compose(step)
    for thread in threads:
        thread.join()
    assert not wrong
