# SPDX-License-Identifier: Apache-2.0
"""Runs of the C library merge equal mechanisms, in time that grows with their number."""

import json
import random

import pytest

import hockeystick as hs
from c_library import ADJACENCIES, BAD_ARGUMENT, STOPPED, WATCH, Refused, Run
from questions import seconds

REPLACE_SPECIAL = 1 + ADJACENCIES.index("replace-special")
HEAD = {
    "schema": "hockeystick.Accountant",
    "version": 1,
    "adjacency": "add-or-remove-one",
    "tolerance": 1e-3,
}


def text_of(entries):
    """The ledger of these mechanisms, objects of JSON, each with how often it runs."""
    ledger = [{"mechanism": one, "count": count} for one, count in entries]
    return json.dumps({**HEAD, "ledger": ledger})


def laplace(noise):
    return {"type": "Laplace", "noise_multiplier": noise}


def distinct(many):
    """Many Laplace mechanisms, none of them in the order of its noise."""
    noises = [1000 + k for k in range(many)]
    random.Random(7).shuffle(noises)
    return noises


def add_one_by_one(noises):
    run = Run()
    for noise in noises:
        run.add("laplace", noise_multiplier=noise)


@pytest.mark.parametrize("by", ["ledger", "calls"])
def test_the_work_of_adding_grows_with_the_number_of_terms(by):
    """16 times the terms take 16 to 20 times as long; by looking at each other term, 256 times."""

    def work(many):
        noises = distinct(many)
        if by == "calls":
            return seconds(lambda: add_one_by_one(noises))
        text = text_of([(laplace(noise), 1) for noise in noises])
        return seconds(lambda: Run().add_json(text))

    assert work(32_000) < 60 * work(2_000)


def drawn(rng):
    """A few mechanisms of several kinds, some of them equal, each with how often it runs."""
    noises = [rng.choice([3.0, 5.0, 8.0, 13.0]) for _ in range(12)]
    kinds = [
        hs.Laplace,
        hs.Gaussian,
        lambda noise: hs.Laplace(noise).poisson_sampled(0.1),
        lambda noise: hs.Gaussian(noise).poisson_sampled(0.01),
        lambda noise: hs.ExponentialMechanism(epsilon=1 / noise),
    ]
    return [(rng.choice(kinds)(noise), rng.randrange(4)) for noise in noises]


def ledger_of(terms):
    account = hs.Accountant()
    for mechanism, count in terms:
        account.compose(mechanism, count)
    return json.loads(account.to_json())["ledger"]


@pytest.mark.parametrize("seed", range(6))
def test_merged_runs_are_compositions(seed):
    """However a run is split and ordered, its bits are the same; Python composes the same."""
    rng = random.Random(seed)
    terms = drawn(rng)
    entries = [(entry["mechanism"], entry["count"]) for entry in ledger_of(terms)]
    whole = Run().add_json(text_of(entries)).ask("epsilon", [1e-3, 1e-6])
    single = [(one, 1) for one, count in entries for _ in range(count)]
    rng.shuffle(single)
    parts = Run()
    for k in range(0, len(single), 5):
        parts.add_json(text_of(single[k : k + 5]))
    assert parts.ask("epsilon", [1e-3, 1e-6]) == whole
    truth = hs.Composition(terms).epsilon_bounds([1e-3, 1e-6], tolerance=1e-6)
    for (lower, upper), least, most in zip(whole[1], truth.lower, truth.upper, strict=True):
        assert max(lower, least) <= min(upper, most)
        assert upper - lower <= 1e-3 * upper


def test_schemes_without_an_argument_have_one_order():
    """A batch size that is not known is no number, by which nothing can be ordered."""

    def bits(noises):
        run = Run()
        for noise in noises:
            run.add("shuffled(gaussian)", noise_multiplier=noise, batches=10, left_out=3)
        return run.ask("epsilon", [1e-5], adjacency=REPLACE_SPECIAL)

    noises = [0.9, 1.7, 1.1, 2.9, 1.3]
    assert bits(noises) == bits(noises[::-1]) == bits(sorted(noises))


def test_a_ledger_that_is_refused_adds_nothing():
    run = Run().add("gaussian", 10**9 - 1, noise_multiplier=1e6)
    before, gaussian = run.ask("delta", [1.0]), laplace(1e6) | {"type": "Gaussian"}
    for more in ([(laplace(5.0), 3), (gaussian, 1), (gaussian, 1)], [(gaussian, 2)]):
        with pytest.raises(Refused, match="count must be .* got 1000000001") as refusal:
            run.add_json(text_of(more))
        assert refusal.value.status == BAD_ARGUMENT
        assert run.ask("delta", [1.0]) == before


def test_the_watch_stops_the_first_question_about_many_terms():
    run = Run().add_json(text_of([(laplace(noise), 1) for noise in distinct(50_000)]))
    calls = []
    with pytest.raises(Refused) as refusal:
        run.ask("epsilon", [1e-5], watch=WATCH(lambda _: calls.append(1) or 1))
    assert refusal.value.status == STOPPED
    assert len(calls) == 1
