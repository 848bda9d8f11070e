# SPDX-License-Identifier: Apache-2.0
"""How many of independent coins show heads, in fractions."""

import random
from fractions import Fraction
from math import comb

import pytest

from hockeystick import _core

UNIT = Fraction(1, 2**53)


def law(rates, number=Fraction):
    """The probabilities of each number of heads."""
    masses = [number(1)]
    for rate in map(number, rates):
        masses = [
            (masses[j] if j < len(masses) else 0) * (1 - rate) + (masses[j - 1] if j else 0) * rate
            for j in range(len(masses) + 1)
        ]
    return masses


def check(rates, truth):
    found, cut = _core.runs.heads_law(rates)
    assert len(found) == len(truth)
    for mass, exact in zip(found, truth, strict=True):
        if mass == 0:
            assert exact < Fraction(1, 10**290)
        else:
            assert abs(Fraction(mass) - exact) <= Fraction(101, 100) * UNIT * exact
    lost = sum(exact for mass, exact in zip(found, truth, strict=True) if mass == 0)
    assert lost <= Fraction(cut)
    assert (cut > 0) == (lost > 0)


@pytest.mark.parametrize("seed", range(20))
def test_coins_of_any_kind(seed):
    rng = random.Random(seed)
    edges = [0.0, 1.0, 5e-324, 1 - 2**-53, 1e-200, 0.5]
    rates = [
        rng.choice(edges) if rng.random() < 0.2 else 10 ** rng.uniform(-12, 0)
        for _ in range(rng.randint(1, 40))
    ]
    check(rates, law(rates))


@pytest.mark.parametrize(
    ("rate", "number"), [(0.001, 8), (0.25, 200), (1e-3, 300), (0.9, 400), (1e-40, 20)]
)
def test_equal_coins(rate, number):
    q = Fraction(rate)
    truth = [comb(number, j) * q**j * (1 - q) ** (number - j) for j in range(number + 1)]
    check([rate] * number, truth)


def test_what_is_cut_is_counted():
    """Two heads with next to 1e-290, the least that is kept."""
    check([0.999e-145] * 2, law([0.999e-145] * 2))
