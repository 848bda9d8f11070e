# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with finitely many losses as values, and what they answer."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import hockeystick as hs
from exact.responses import Responses
from hockeystick import Adjacency
from questions import told

NOTHING = [
    hs.ApproximateDP(epsilon=0, delta=0),
    hs.DiscretePair(p=[0.5, 0.5], q=[0.5, 0.5]),
    hs.ExponentialMechanism(epsilon=0),
    hs.PermuteAndFlip(epsilon=0),
    hs.RandomizedResponse(noise_parameter=1, num_buckets=3),
    hs.RandomizedResponse(noise_parameter=0, num_buckets=1),
]


@pytest.mark.parametrize("mechanism", NOTHING, ids=repr)
def test_what_costs_nothing(mechanism):
    assert mechanism.simplified() is None
    for adjacency in Adjacency:
        assert mechanism.epsilon_bounds(1e-5, adjacency=adjacency) == (0.0, 0.0)


def test_sizes_are_predicted():
    assert isinstance(hs.DiscreteGaussian(sigma=6e4).terms[0][0], hs.GaussianBetween)
    with pytest.raises(ValueError, match="^truncation must be <= 1999998 where sigma is 1"):
        hs.DiscreteGaussian(sigma=1e9, truncation=10**7)
    assert hs.DiscreteGaussian(sigma=1.0, truncation=10**15).truncation == 10**15
    assert hs.DiscreteGaussian(sigma=1e12, truncation=10).sigma == 1e12


def test_distributions_of_every_form():
    pair = hs.DiscretePair(p=(0.25, 0.75), q=[0.5, 0.5])
    assert pair == hs.DiscretePair([Fraction(1, 4), Decimal("0.75")], [Fraction(1, 2)] * 2)
    assert pair == hs.DiscretePair(p=np.array([0.25, 0.75]), q=np.float32([0.5, 0.5]))
    counts = hs.DiscretePair(p=np.array([1, 3]), q=np.uint8([2, 2]))
    assert counts.p == (1, 3)
    assert all(type(x) is int for x in counts.p + counts.q)
    assert hs.DiscretePair(p=[1, 0], q=[0.5, 0.5]).p == (1.0, 0.0)
    assert pair.delta_bounds(0.0) == counts.delta_bounds(0.0)


def test_no_epsilon_is_lost_where_the_tilt_is_steep():
    """Untilted masses above the largest loss underflow; the losses below must be looked at."""
    truth = Responses(3.7100192434957098, 0.0, 813)
    run = 813 * hs.ExponentialMechanism(epsilon=3.7100192434957098)
    bounds = told(run.epsilon_bounds, delta=8.377578825808745e-20)
    assert truth.curve(bounds.upper) <= 8.377578825808745e-20


def flip(scores, epsilon):
    """Who is chosen how often, over all orders; scores may change by 1."""
    best = max(scores)
    heads = [math.exp(epsilon * (score - best) / 2) for score in scores]
    chosen = [0.0] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        reached = 1 / math.factorial(len(scores))
        for candidate in order:
            chosen[candidate] += reached * heads[candidate]
            reached *= 1 - heads[candidate]
    return chosen


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 6.0])
def test_permute_and_flip_is_dominated_by_its_pair(epsilon):
    """Every 3 candidates with scores on a grid; with 2, the bound is met."""
    at = [0.0, epsilon / 4, 0.9 * epsilon]
    laplace = [-math.expm1((e - epsilon) / 2) for e in at]
    mechanism = hs.PermuteAndFlip(epsilon=epsilon)
    for e, delta in zip(at, laplace, strict=True):
        assert mechanism.delta_bounds(e).upper == pytest.approx(delta, rel=2e-3)

    def deltas(scores, changes):
        p = flip(scores, epsilon)
        q = flip([s + c for s, c in zip(scores, changes, strict=True)], epsilon)
        pairs = list(zip(p, q, strict=True))
        return [sum(max(a - math.exp(e) * b, 0) for a, b in pairs) for e in at]

    for scores in itertools.product([0.0, 0.7, 1.5, 3.0], repeat=3):
        for changes in itertools.product([-1, 0.5, 1], repeat=3):
            for got, most in zip(deltas(scores, changes), laplace, strict=True):
                assert got <= most * (1 + 1e-12)
    worst = deltas([1.0, 0.0], [-1, 1])
    assert worst[0] == pytest.approx(laplace[0], rel=1e-12)
