# SPDX-License-Identifier: Apache-2.0
"""A budget for each record: exact masks, and what is refused."""

import random
from fractions import Fraction

import numpy as np
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


@pytest.mark.parametrize(
    ("norms", "message"),
    [
        ([1.0], "norms must be one for each record"),
        ([1.0, -1.0], "norms must be in"),
        ([1.0, np.nan], "norms must be in"),
        ([1.0, 2000.0], "norms must be in"),
    ],
)
def test_bad_norms_are_refused(norms, message):
    budget = hs.IndividualFilter(mu=1, records=2, noise_multiplier=1.0)
    with pytest.raises(ValueError, match=f"^{message}"):
        budget.step(norms)


@pytest.mark.parametrize(
    "given",
    [{"mu": 0}, {"mu": 1e4}, {"records": 0}, {"noise_multiplier": 0}],
    ids=str,
)
def test_bad_budgets_are_refused(given):
    (name,) = given
    with pytest.raises(ValueError, match=f"^{name} must be"):
        hs.IndividualFilter(**{"mu": 1, "records": 2, "noise_multiplier": 1.0, **given})
