# SPDX-License-Identifier: Apache-2.0
"""Reports in random order: sums of blankets against all outcomes, and published numbers."""

import itertools
import math

import pytest
from flint import arb

import hockeystick as hs
from hockeystick.adjacency import Direction
from hockeystick.verify.curves import Composed
from hockeystick.verify.local import attained, proved
from mechanisms.test_shuffled_local import TRUTHS, delta_of, k_ary, laplace_rows

HOW = {"adjacency": "replace-one"}

pytestmark = pytest.mark.bits(160)


@pytest.mark.parametrize(("users", "epsilon0", "epsilon", "adaptive", "delta"), TRUTHS)
def test_published_laws_to_their_digits(users, epsilon0, epsilon, adaptive, delta):
    local = hs.ShuffledLocal(epsilon0=epsilon0, users=users, adaptive=adaptive)
    found = proved(local, Direction.REPLACE)(arb(epsilon))
    assert float(found) == pytest.approx(delta, rel=1e-14)
    assert found.rad() < 1e-30


@pytest.mark.parametrize("law", ["any", "k-ary", "laplace"])
@pytest.mark.parametrize("users", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.7])
def test_sums_are_over_all_values_of_all_terms(law, users, epsilon):
    """E (Z_1 + ... + Z_n)_+ / n, listed."""
    e, k = math.exp(1.0), 5
    choices = {"choices": k} if law == "k-ary" else {}
    local = hs.ShuffledLocal(epsilon0=1.0, users=users, randomizer=law, **choices)
    a = math.exp(epsilon)
    share = (1 - math.exp(-0.5)) / (e - 1)
    ends, third, same = {
        "any": (1 / (1 + e), 0.0, 0.0),
        "k-ary": (1 / (e + k - 1), 1 - a, (k - 2) / (e + k - 1)),
        "laplace": (share, e * (1 - a), (1 - (1 + e) * share) / e),
    }[law]
    values = [(e - a, ends), (1 - a * e, ends), (third, same), (0.0, 1 - 2 * ends - same)]
    truth = sum(
        max(sum(z for z, _ in row), 0.0) * math.prod(p for _, p in row)
        for row in itertools.product(values, repeat=users)
    )
    found = proved(local, Direction.REPLACE_BACK)(arb(epsilon))
    assert float(found) == pytest.approx(truth / users, rel=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.15, 0.4, 0.9])
def test_all_data_sets_of_few_users_lie_between(share):
    """k-ary response, and Laplace noise cut into cells: what is attained is attained by some."""
    epsilon = share * 1.2
    for local, rows, number in (
        (hs.ShuffledLocal(epsilon0=1.2, users=4, randomizer="k-ary", choices=4), k_ary(1.2, 4), 4),
        (hs.ShuffledLocal(epsilon0=1.2, users=4, randomizer="k-ary", choices=2), k_ary(1.2, 2), 2),
        (
            hs.ShuffledLocal(epsilon0=1.2, users=3, randomizer="laplace"),
            laplace_rows(1.2, [0.0, 1.0, 0.5], [0.0, 0.0625, 0.125, 0.25, 0.5]),
            3,
        ),
    ):
        worst = max(
            delta_of(rows[a], rows[b], [rows[i] for i in others], math.exp(epsilon))
            for a, b in ((0, 1), (1, 0))
            for others in itertools.combinations_with_replacement(range(number), local.users - 1)
        )
        above = proved(local, Direction.REPLACE)(arb(epsilon))
        below = max(float(one(arb(epsilon)).lower()) for one in attained(local))
        assert below <= worst * (1 + 1e-9) + 1e-15
        assert worst <= float(above.upper()) * (1 + 1e-9) + 1e-15


def test_the_largest_loss_and_what_is_refused():
    local = hs.ShuffledLocal(epsilon0=0.75, users=50)
    assert hs.verify(3 * local, delta=0.0, **HOW).upper == 2.25
    for adjacency in ("remove-one", "replace-special"):
        with pytest.raises(ValueError, match="^adjacency must be one that"):
            hs.verify(local, epsilon=0.1, adjacency=adjacency, fast=False)


def test_what_takes_too_many_sums_is_refused_before_they_are_made():
    many = hs.verify(3 * hs.ShuffledLocal(epsilon0=1.0, users=10_000), delta=1e-6, **HOW)
    assert many.reason == "it takes more work than is allowed: values of a curve at knots"


@pytest.mark.parametrize(
    ("users", "question"), [(10**6, {"delta": 1e-6}), (10_000, {"false_positive_rate": 0.01})]
)
def test_questions_that_take_too_many_values_are_refused_after_the_first(
    users, question, monkeypatch
):
    """Seconds are none of a test: the values of curves are counted."""
    made = []
    value = Composed.delta
    monkeypatch.setattr(Composed, "delta", lambda *given: made.append(1) or value(*given))
    found = hs.verify(
        1 * hs.ShuffledLocal(epsilon0=1.0, users=users), fast=False, **HOW, **question
    )
    assert found.reason.startswith("it takes more work than is allowed")
    assert len(made) == 1
