# SPDX-License-Identifier: Apache-2.0
"""The ledger, and its way through JSON."""

import hashlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import Accountant, Adjacency

A = hs.Gaussian(noise_multiplier=2.0)
S = A.poisson_sampled(0.01)

noise_multipliers = st.floats(1e-3, 1e12)
gaussians = noise_multipliers.map(lambda sigma: hs.Gaussian(noise_multiplier=sigma))
sampled = st.builds(lambda g, q: g.poisson_sampled(q), gaussians, st.floats(0, 1))


def text(**changes):
    value = json.loads(Accountant().compose(S, count=5).to_json())
    del value["sha256"]
    return json.dumps(value | changes)


def entry(**changes):
    mechanism = {"type": "Gaussian", "noise_multiplier": 1.0} | changes
    return [{"mechanism": mechanism, "count": 1}]


def test_the_ledger_keeps_the_order_and_merges_neighbours():
    acct = Accountant()
    assert acct.compose(A).compose(A, count=2).compose(S, count=3).compose(A) is acct
    assert acct.ledger == ((A, 3), (S, 3), (A, 1))
    assert acct.composition == 4 * A + 3 * S


def test_entries_of_one_mechanism_and_label_become_one():
    acct = Accountant().compose(A).compose(S, label="x").compose(A, count=2).compose(S)
    before = acct.composition
    assert acct.merge() is acct
    assert acct.entries == ((A, 3, ""), (S, 1, "x"), (S, 1, ""))
    assert acct.composition == before
    assert Accountant.from_json(acct.to_json()).composition == before
    assert Accountant().merge().ledger == ()


@given(
    st.lists(st.tuples(gaussians | sampled, st.integers(0, 10**6))),
    st.sampled_from(Adjacency),
    st.floats(1e-11, 0.5),
)
def test_json_round_trip_is_exact(entries, adjacency, tolerance):
    acct = Accountant(adjacency=adjacency, tolerance=tolerance)
    for mechanism, count in entries:
        acct.compose(mechanism, count=count)
    copy = Accountant.from_json(acct.to_json())
    assert copy.ledger == acct.ledger
    assert copy.composition == acct.composition
    assert (copy.adjacency, copy.tolerance) == (adjacency, tolerance)
    assert copy.to_json() == acct.to_json()


def test_json_is_stable():
    value = json.loads(Accountant().compose(S, count=5).to_json())
    rest = json.dumps(value | {"sha256": None}, sort_keys=True, separators=(",", ":"))
    rest = rest.replace('"sha256":null,', "")
    assert value.pop("sha256") == hashlib.sha256(rest.encode()).hexdigest()
    assert value == {
        "schema": "hockeystick.Accountant",
        "version": 1,
        "adjacency": "add-or-remove-one",
        "tolerance": 0.001,
        "ledger": [
            {
                "mechanism": {
                    "type": "PoissonSampled",
                    "mechanism": {"type": "Gaussian", "noise_multiplier": 2.0},
                    "sampling_probability": 0.01,
                },
                "count": 5,
            }
        ],
    }


def test_long_values_and_names_are_cut():
    for bad, message in (
        (text(ledger="x" * 10**6), r"^\$\.ledger must be an array, got 'x{499}\.\.\.$"),
        (text(**{"x" * 10**6: 1}), r"^\$\.x{80} must not be there; known are .{10,80}$"),
    ):
        with pytest.raises(ValueError, match=message):
            Accountant.from_json(bad)


def test_a_changed_number_is_noticed():
    sealed = Accountant().compose(S, count=1000).to_json()
    with pytest.raises(
        ValueError, match=r"^\$\.sha256 .* was changed or damaged, got '[0-9a-f]{64}'"
    ):
        Accountant.from_json(sealed.replace("1000", "100"))
    reordered = json.dumps(json.loads(sealed), indent=2, sort_keys=True)
    assert Accountant.from_json(reordered).ledger == ((S, 1000),)


def test_long_ledgers_are_read_in_linear_time():
    long = Accountant.from_json(
        text(ledger=[entry(noise_multiplier=1 + k)[0] for k in range(5000)])
    )
    start = time.process_time()
    assert len(Accountant.from_json(long.to_json()).ledger) == 5000
    assert time.process_time() - start < 5  # 0.2 s; adding one by one took a minute


def test_admission_uses_bounds_wider_than_asked_for():
    acct = Accountant(tolerance=1e-10)
    limit = {"memory_limit": 2**20}
    with pytest.raises(hs.CertificationError):
        acct.compose(hs.Laplace(20.0).poisson_sampled(0.3), 1000).epsilon(1e-5, **limit)
    assert acct.would_exceed(S, 0, epsilon=100.0, delta=1e-5, **limit) is False
    assert acct.would_exceed(S, 0, epsilon=1e-3, delta=1e-5, **limit) is True
