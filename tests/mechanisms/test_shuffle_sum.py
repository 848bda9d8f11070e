# SPDX-License-Identifier: Apache-2.0
"""The mean of the positive part of a sum of independent terms, in balls."""

import math
import random
from functools import reduce
from itertools import product

import pytest
from flint import arb, ctx

from hockeystick import _core

sampling = _core.sampling


@pytest.fixture(autouse=True)
def _precision():
    with ctx.workprec(160):
        yield


def convolved(one, other):
    """Sums of places, and their masses."""
    result = {}
    for (i, p), (j, q) in product(one.items(), other.items()):
        result[i + j] = result.get(i + j, arb(0)) + p * q
    return result


def positive_part(laws, spacing, less):
    """Of the sum of one term of each law."""
    total = reduce(convolved, laws)
    return sum(
        (p * (k * arb(spacing) - less) for k, p in total.items() if k * arb(spacing) > less), arb(0)
    )


def drawn(rng, far, weights=None):
    """Places of a law, and masses from the first of them on."""
    places = sorted(rng.sample(range(-9, 10), 4)) + ([far] if far > 1 else [])
    weights = [10 ** -rng.uniform(0, 1) for _ in places[:4]] + ([1e-9] if far > 1 else [])
    masses = [0.0] * (places[-1] - places[0] + 1)
    for place, weight in zip(places, weights, strict=True):
        masses[place - places[0]] = weight / sum(weights)
    return {p: arb(masses[p - places[0]]) for p in places}, places[0], masses


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("far", [1, 3000])
def test_the_mean_of_the_positive_part_is_that_of_all_sums(count, far):
    """From above, and by little."""
    rng = random.Random(count * far)
    for _ in range(30):
        spacing = 2.0 ** rng.randrange(-4, 5)
        law, first, masses = drawn(rng, far)
        less = rng.choice([0.0, rng.uniform(-20, 5) * spacing])
        exact = positive_part([law] * count, spacing, less)
        excess = rng.choice([0.0, 1e-7])
        found = sampling.mean_positive_part(
            spacing, [(first, masses, excess, count)], less, 0.0, 0.1 / spacing
        )
        exact += count * excess
        assert exact <= arb(found)
        # Of a sum beyond the window more is counted than there is.
        assert arb(found) <= exact * (1 + (1e-9 if far == 1 else 1e-2)) + spacing * 1e-13


@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_term_of_another_law(count):
    rng = random.Random(count)
    for _ in range(30):
        spacing = 2.0 ** rng.randrange(-4, 5)
        ((law, first, masses), (other, least, more)) = drawn(rng, 1), drawn(rng, 1)
        less = rng.uniform(-20, 20) * spacing
        exact = positive_part([law] * count + [other], spacing, less)
        terms = [(first, masses, 1e-9, count), (least, more, 1e-8, 1)]
        found = sampling.mean_positive_part(spacing, terms, less, 0.0, 1 / spacing)
        exact += count * arb(1e-9) + 1e-8
        assert exact <= arb(found) <= exact * (1 + 1e-9) + spacing * 1e-13


@pytest.mark.parametrize("less", [55.0, 40.0, -30.0])
def test_a_tail_is_known_to_relative_accuracy(less):
    """Of 64 terms of -1 and 1, the chance that the sum is above 55 is 1e-13."""
    at = int(less)
    wanted = ((math.comb(64, k), 2 * k - 64 - at) for k in range(65))
    exact = sum((arb(n) * x for n, x in wanted if x > 0), arb(0)) / 2**64
    found = sampling.mean_positive_part(1.0, [(-1, [0.5, 0.0, 0.5], 0.0, 64)], less, 0.0, 1.0)
    assert exact <= arb(found) <= exact * (1 + 1e-8)


def test_a_coarser_grid_costs_little():
    """Of 10^4 terms on a grid that is far finer than their sum needs."""
    masses = [0.5] + [0.0] * 199 + [0.5]
    found = sampling.mean_positive_part(2.0**-7, [(-100, masses, 0.0, 10**4)], 0.0, 0.3, 1.0)
    exact = 100 * 100 * 2.0**-7 / math.sqrt(2 * math.pi)
    assert exact <= found * (1 + 1e-4)
    assert found <= 1.02 * exact
