# SPDX-License-Identifier: Apache-2.0
"""A budget for each record: exact masks, and what is refused."""

import pickle
import random
from fractions import Fraction

import pytest

import hockeystick as hs


def test_a_record_takes_part_as_long_as_its_squares_fit():
    """As the filter for one record says, record by record, for norms of few bits."""
    rng = random.Random(4)
    norms = [rng.randint(0, 64) / 64 for _ in range(40)]
    budget = hs.IndividualFilter(mu="0.3", records=40, noise_multiplier=7.5)
    spent, most = [Fraction(0)] * 40, Fraction(3, 10) ** 2
    for _ in range(30):
        mask = budget.step(norms)
        for i, norm in enumerate(norms):
            cost = (Fraction(norm) / Fraction(7.5)) ** 2
            assert mask[i] == (spent[i] + cost <= most)
            spent[i] += cost if mask[i] else 0
        norms = norms[1:] + norms[:1]


def test_norms_are_rounded_up():
    budget = hs.IndividualFilter(mu=1, records=1, noise_multiplier=1.0)
    assert not budget.step([1 + 2**-30]).any()
    assert budget.step([1 - 2**-30]).all()  # as 1
    assert not budget.step([2**-40]).any()  # as 2^-20
    assert budget.step([0.0]).all()
    assert budget.guarantee == hs.Gaussian(1.0)


def taken(**more):
    budget = hs.IndividualFilter(mu="0.3", records=3, noise_multiplier=10, **more)
    budget.step([1.0, 0.5, 0.1])
    return budget


def test_files_keep_what_each_record_has_spent(tmp_path):
    path, one = tmp_path / "records.json", taken()
    one.save(path)
    other = hs.IndividualFilter.load(path)
    assert repr(other) == "<IndividualFilter mu=3/10 records=3 noise_multiplier=10.0 steps=1>"
    copied = pickle.loads(pickle.dumps(one))  # noqa: S301, our own
    assert other.to_json() == one.to_json() == copied.to_json()
    for _ in range(12):
        assert (other.step([1.0, 0.5, 0.1]) == one.step([1.0, 0.5, 0.1])).all()
    with pytest.raises(hs.StaleLedgerError, match="exists"):
        taken().save(path)


def test_locked_files_are_saved_where_a_step_was_charged(tmp_path):
    path, budget = tmp_path / "records.json", {"mu": 1, "records": 2, "noise_multiplier": 2.0}
    for most in range(1, 6):
        with hs.IndividualFilter.locked(path, **budget) as held:
            assert held.step([1.0, 0.0]).tolist() == [most <= 4, True]
    assert hs.IndividualFilter.load(path).steps == 5
    with (
        pytest.raises(ValueError, match=r"^records must be that of .*, 2, got 3"),
        hs.IndividualFilter.locked(path, records=3),
    ):
        pass


def test_it_answers_as_its_guarantee():
    budget = taken()
    assert budget.epsilon(1e-6) == pytest.approx(hs.Gaussian(1 / 0.3).epsilon(1e-6), rel=1e-12)
    assert budget.delta(1.0) == budget.guarantee.delta(1.0)
    assert budget.epsilon_bounds(1e-6).upper == budget.epsilon(1e-6)
