# SPDX-License-Identifier: Apache-2.0
"""The mean of the positive part of a sum of independent terms, in balls."""

import math
import random
from functools import reduce
from itertools import product

import numpy as np
import pytest
from flint import arb

from hockeystick import _core

sampling = _core.sampling

pytestmark = pytest.mark.bits(160)


def convolved(one, other):
    """Sums of places, and their masses."""
    result = {}
    for (i, p), (j, q) in product(one.items(), other.items()):
        result[i + j] = result.get(i + j, arb(0)) + p * q
    return result


def positive_part(laws, less):
    """Of the sum of one term of each law."""
    total = reduce(convolved, laws)
    return sum((p * (arb(x) - less) for x, p in total.items() if x > less), arb(0))


def moved(law, gain, loss):
    """gain X_+ - loss X_-, of places for which that is exact."""
    places = {}
    for x, p in law.items():
        to = x * (loss if x < 0 else gain)
        places[to] = places.get(to, arb(0)) + p
    return places


def drawn(rng, far):
    """Places and masses of a law, whole numbers of 16ths, so that their sums are exact."""
    places = sorted(rng.sample(range(-144, 145), 4))
    places = [*places[:3], abs(places[3]) + 145] + ([far * 16] if far else [])
    weights = [10 ** -rng.uniform(0, 1) for _ in places[:4]] + ([1e-9] if far else [])
    masses = [w / sum(weights) for w in weights]
    return [x / 16 for x in places], masses


def exact_law(places, masses):
    return {x: arb(m) for x, m in zip(places, masses, strict=True)}


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("far", [0, 3000])
def test_the_mean_of_the_positive_part_is_that_of_all_sums(count, far):
    """From above, and by as little as the normal variable adds."""
    rng = random.Random(count * (far + 1))
    for _ in range(20):
        places, masses = drawn(rng, far)
        less = rng.choice([0.0, rng.uniform(-20, 20)])
        excess = rng.choice([0.0, 1e-7])
        exact = positive_part([exact_law(places, masses)] * count, less) + count * arb(excess)
        term = (places, masses, excess, count, 1.0, 1.0)
        for smooth, width in ((0.2, 0.5), (0.02, 0.05)):
            found = sampling.mean_positive_part([term], less, smooth, 0.1)
            assert exact <= arb(found)
            assert arb(found) <= exact * (1 + width) + 1e-2 * width


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("gain", "loss"), [(1.0, 1.0), (1.75, 0.25), (0.25, 5.0), (3.0, 0.0)])
def test_terms_of_two_laws_with_gains_and_losses(count, gain, loss):
    rng = random.Random(repr((count, gain)))
    for _ in range(20):
        (places, masses), (other, more) = drawn(rng, 0), drawn(rng, 0)
        less = rng.uniform(-20, 20)
        laws = [moved(exact_law(places, masses), gain, loss)] * count + [exact_law(other, more)]
        exact = positive_part(laws, less) + count * gain * arb(1e-9) + 1e-8
        terms = [(places, masses, 1e-9, count, gain, loss), (other, more, 1e-8, 1, 1.0, 1.0)]
        found = sampling.mean_positive_part(terms, less, 0.05, 1.0)
        assert exact <= arb(found) <= exact * 1.1 + 1e-3


@pytest.mark.parametrize("less", [60.0, 55.0, 40.0, -30.0])
def test_a_tail_is_known_to_relative_accuracy(less):
    """Of 64 terms of -1 and 1, the chance that the sum is above 55 is 1e-13."""
    at = int(less)
    wanted = ((math.comb(64, k), 2 * k - 64 - at) for k in range(65))
    exact = sum((arb(n) * x for n, x in wanted if x > 0), arb(0)) / 2**64
    term = ([-1.0, 1.0], [0.5, 0.5], 0.0, 64, 1.0, 1.0)
    found = sampling.mean_positive_part([term], less, 0.02, 1.0)
    assert exact <= arb(found) <= exact * 1.1


@pytest.mark.parametrize("less", [k / 8 for k in range(480, 512, 3)])
@pytest.mark.parametrize("unit", [1.0, 0.83])
def test_samples_where_a_lattice_comes_back_count(less, unit):
    """Sums of 300 terms of -1 and 1 are 2 apart: the transform is as large again far out."""
    wanted = ((math.comb(300, k), (2 * k - 300) * arb(unit) - less) for k in range(301))
    exact = sum((n * x for n, x in wanted if x > 0), arb(0)) / 2**300
    term = ([-unit, unit], [0.5, 0.5], 0.0, 300, 1.0, 1.0)
    found = sampling.mean_positive_part([term], less, 0.02, 0.1)
    assert exact <= arb(found) <= exact * 1.01


@pytest.mark.parametrize("seed", range(8))
def test_many_terms_of_many_places(seed):
    """Their sums are a convolution."""
    rng = random.Random(seed)
    places = [k / 64 for k in range(-40, 61)]
    weights = [rng.random() * math.exp(-abs(x) * 2) for x in places]
    masses = [w / sum(weights) for w in weights]
    law = {round(64 * x): m for x, m in zip(places, masses, strict=True)}
    sums = np.array([1.0])
    one = np.array([law[k] for k in range(-40, 61)])
    for _ in range(50):
        sums = np.convolve(sums, one)
    at = (np.arange(len(sums)) - 40 * 50) / 64
    less = float(at @ sums) + rng.uniform(2, 6) * math.sqrt(float((at**2) @ sums))
    exact = float(np.maximum(0, at - less) @ sums)
    found = sampling.mean_positive_part([(places, masses, 0.0, 50, 1.0, 1.0)], less, 0.02, 0.1)
    assert exact * (1 - 1e-9) <= found <= exact * 1.004


def test_a_mean_of_many_terms_is_that_of_a_normal_variable():
    term = ([-1.0, 1.0], [0.5, 0.5], 0.0, 2**19, 1.0, 1.0)
    found = sampling.mean_positive_part([term], 0.0, 0.05, 1.0)
    exact = math.sqrt(2**19 / (2 * math.pi))
    assert exact <= found * (1 + 1e-5)
    assert found <= 1.01 * exact


def test_a_large_term_is_cut_where_it_lifts_the_sum_by_itself():
    """What lies above is a line, of which the mean is taken: exact, and few samples suffice."""
    rare = ([-1.0, 1.0, 1e6], [0.5, 0.5, 1e-12], 0.0, 4, 1.0, 1.0)
    found = sampling.mean_positive_part([rare], 3.5, 0.02, 1.0)
    exact = positive_part([exact_law(*rare[:2])] * 4, 3.5)
    assert exact <= arb(found) <= exact * 1.1


def test_a_bound_that_is_small_enough_needs_no_line():
    term = ([-1.0, 1.0], [0.5, 0.5], 1e-9, 64, 1.0, 1.0)
    exact = sampling.mean_positive_part([term], 40.0, 0.02, 1.0)
    enough = sampling.mean_positive_part([term], 40.0, 0.02, 1.0, 1e-3)
    assert exact < enough <= 1e-3


def test_no_sum_above_what_is_taken_off():
    """Then the excess is all there is."""
    term = ([-1.0, 1.0], [0.5, 0.5], 1e-9, 8, 3.0, 1.0)
    found = sampling.mean_positive_part([term], 25.0, 0.1, 1.0)
    assert arb(24) * 1e-9 <= found <= 24.001e-9
