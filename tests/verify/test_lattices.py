# SPDX-License-Identifier: Apache-2.0
"""Laws on lattices only rise, and hardly."""

import math
from itertools import product as pairs

import numpy as np
import pytest
from flint import arb

from hockeystick.verify.balls import normal_tail
from hockeystick.verify.lattices import (
    Lattice,
    coarser,
    lognormal,
    positive_part,
    repeated,
    shuffle_term,
    trimmed,
)


def price(a, x):
    """E (N - x)_+ of a log-normal number of mean 1."""
    g = arb(x).log() / a + arb(a) / 2
    return float(normal_tail(g - a) - x * normal_tail(g))


@pytest.mark.parametrize("a", [0.05, 0.4, 1.5])
@pytest.mark.parametrize("tail", [1e-3, 1e-9])
def test_spread_numbers_are_above_at_every_price(a, tail):
    spread = lognormal(arb(a), 0.1, tail)
    assert 1 <= math.fsum(spread.masses) < 1 + 1e-9
    for x in np.exp(a * np.linspace(-4, 4, 30)):
        over = math.fsum(spread.masses * np.maximum(spread.places - x, 0)) + float(spread.left)
        assert over >= price(a, x) * (1 - 1e-12)
        assert over <= price(a, x) + 0.003 * a + 2 * float(spread.left)


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 1.1, 1.7])
def test_a_shuffled_term_is_above_at_every_price(alpha, back, replaces):
    """E X_+ is a price of one Gaussian step: where a batch is told, nothing else matters."""
    law = shuffle_term(arb(0.3), alpha, 0.05, 1e-10, replaces=replaces, back=back)
    assert 1 <= math.fsum(law.masses) < 1 + 1e-9
    assert list(law.places) == sorted(set(law.places))
    found = math.fsum(law.masses * np.maximum(law.places, 0)) + float(law.left)
    truth = price(0.3, alpha)
    assert truth * (1 - 1e-12) <= found <= truth * 1.001
    mean = math.fsum(law.masses * law.places) + float(law.left)
    assert 1 - alpha <= mean + 1e-12
    assert mean < 1 - alpha + 1e-6


def rising(values, step, bits=60):
    return Lattice(-1, step, [int(v * 2**bits) for v in values], bits, arb(0))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("less", [-0.5, 0.0, 1.25])
def test_sums_are_those_that_are_listed(count, less):
    values = (0.5, 0.25, 0.125, 0.125)
    total = repeated(rising(values, 0.5), count, 1000, 100.0, 1e-12)
    exact = sum(
        math.prod(values[k] for k in ks) * max(0.5 * sum(k - 1 for k in ks) - less, 0)
        for ks in pairs(range(4), repeat=count)
    )
    found = float(positive_part(total, less))
    assert exact * (1 - 1e-12) <= found <= exact * (1 + 1e-9) + 1e-10


@pytest.mark.parametrize("start", [-4, -3, 0, 5])
def test_coarser_lattices_keep_the_mean_and_rise(start):
    one = Lattice(start, 0.25, [2**40, 2**41, 2**39, 2**42, 2**40], 44, arb(0))
    wide = coarser(one)

    def mean(law):
        return sum(m * (law.start + k) * law.step for k, m in enumerate(law.masses)) / 2**44

    assert mean(wide) == mean(one)
    for less in np.linspace(start / 4 - 1, start / 4 + 2, 13):
        assert not positive_part(wide, float(less)) < positive_part(one, float(less))


def test_what_is_trimmed_is_paid_for():
    one = rising((0.25, 0.25, 0.25, 0.2499, 1e-4 / 2, 1e-4 / 2), 1.0)
    cut = trimmed(one, 0.0, 1e-3)
    assert len(cut.masses) < 6
    for less in np.linspace(-2, 5, 15):
        assert not positive_part(cut, float(less)) < positive_part(one, float(less))
