# SPDX-License-Identifier: Apache-2.0
"""Ledgers of the Python package mean the same to the C library, and damaged ones mean nothing."""

import json
import random

import pytest

import hockeystick as hs
import random_runs
from c_library import BAD_ARGUMENT, Refused, Run

ALONE = [
    random_runs.mechanism(term)
    for name, term in random_runs.unsampled().items()
    if name not in {"RandomizedResponse", *random_runs.NOISES}
]
MECHANISMS = [
    *ALONE,
    *(one.poisson_sampled(0.1) for one in ALONE if hasattr(one, "poisson_sampled")),
]


def ledger(*mechanisms, adjacency="add-or-remove-one", count=3):
    account = hs.Accountant(adjacency=adjacency)
    for k, mechanism in enumerate(mechanisms):
        account.compose(mechanism, count, label="\u00e9t\u00e9 \U0001f600" if k % 2 else "")
    return account


def held(account, delta=1e-3):
    """The answer of the library overlaps that of the accountant."""
    bounds = account.epsilon_bounds(delta)
    ((lower, upper),) = Run().add_json(account.to_json()).ask("epsilon", [delta])[1]
    assert max(lower, bounds.lower) <= min(upper, bounds.upper)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_each_mechanism_is_read(mechanism):
    held(ledger(mechanism))


@pytest.mark.parametrize("adjacency", ["replace-one", "replace-special"])
def test_the_adjacency_is_that_of_the_ledger(adjacency):
    held(ledger(hs.Gaussian(2.0), hs.RandomizedResponse(0.5), adjacency=adjacency), delta=0.1)


def test_a_run_keeps_its_adjacency():
    run = Run().add("gaussian", noise_multiplier=1.0)
    with pytest.raises(Refused, match="adjacency"):
        run.add_json(ledger(hs.Gaussian(2.0), adjacency="replace-one").to_json())


def text_with(*, without=(), **changes):
    value = json.loads(ledger(hs.Gaussian(2.0), hs.Laplace(3.0)).to_json())
    del value["sha256"]
    value |= changes
    return json.dumps({name: x for name, x in value.items() if name not in without})


DAMAGED = {
    "schema": text_with(schema="other"),
    "version": text_with(version=2),
    "missing": text_with(without=("tolerance",)),
    "unknown": text_with(more=1),
    "adjacency": text_with(adjacency="neighbours"),
    "no list": text_with(ledger=5),
    "no entry": text_with(ledger=[5]),
    "tolerance": text_with(tolerance=2.0),
    "entry": text_with(ledger=[{"mechanism": {"type": "Gaussian"}, "count": 1}]),
    "type": text_with(ledger=[{"mechanism": {"type": "Nope"}, "count": 1}]),
    "count": text_with(
        ledger=[{"mechanism": {"type": "Gaussian", "noise_multiplier": 1}, "count": 0.5}]
    ),
    "text for number": text_with(
        ledger=[{"mechanism": {"type": "Gaussian", "noise_multiplier": "1"}, "count": 1}]
    ),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_ledger_is_refused_as_in_python(text):
    with pytest.raises(Refused) as refusal:
        Run().add_json(text)
    assert refusal.value.status == BAD_ARGUMENT
    with pytest.raises(ValueError):  # noqa: PT011, each says where
        hs.Accountant.from_json(text)


def test_a_change_breaks_the_seal():
    text = ledger(hs.Gaussian(2.0)).to_json()
    assert Run().add_json(" " + text.replace(", ", ",  "))
    with pytest.raises(Refused, match="sha256"):
        Run().add_json(text.replace("2.0", "3.0"))


def test_no_damage_does_more_than_be_refused(samples):
    """Bytes changed and dropped at random: an error, or a ledger whose seal holds."""
    drawn, found = random.Random(1), set()
    text = ledger(*MECHANISMS).to_json().encode()
    for _ in range(samples(500)):
        damaged = bytearray(text)
        for _ in range(drawn.choice([1, 1, 3, 30])):
            at = drawn.randrange(len(damaged))
            damaged[at : at + drawn.choice([0, 1, 1, 20])] = drawn.choice(
                [b"", b"{", b"]", b'"', b"9", b"\x00", b"\xff", b"\\u12", b"[[", b"1e999", b"-"]
            )
        try:
            Run().add_json(bytes(damaged))
        except Refused as refusal:
            found.add(refusal.status)
    assert found == {BAD_ARGUMENT}
