# SPDX-License-Identifier: Apache-2.0
"""Filters hold where steps are chosen by outputs: all paths."""

import random

import pytest
from flint import arb, ctx

import hockeystick as hs


def adversary(rng, left, depth):
    """A random tree of pure steps that uses up what is left of mu^2 on every path."""
    if depth == 0 or left < 1e-6:
        return None
    share = left * (rng.choice([0.2, 0.5, 0.9]) if depth > 1 else 1.0)
    epsilon = loss_within(share)
    cost = mu_squared(epsilon)
    return epsilon, [adversary(rng, left - cost, depth - 1) for _ in range(2)]


def mu_squared(epsilon):
    budget = hs.GaussianFilter(mu=100).run(hs.ApproximateDP(epsilon, 0))
    return float(budget.spent) ** 2


def loss_within(square):
    low, high = 0.0, 30.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if mu_squared(middle) <= square else (low, middle)
    return low


def outcomes(tree):
    if tree is None:
        return [(arb(1), arb(1))]
    epsilon, after = tree
    e = arb(epsilon).exp()
    own = [(e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))]
    return [
        (p * a, q * b) for (p, q), rest in zip(own, after, strict=True) for a, b in outcomes(rest)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_chosen_within_mu_stays_below_its_gaussian(seed):
    """Adaptive trees of randomized responses, enumerated, against the filter's guarantee."""
    rng = random.Random(seed)
    mu = rng.choice([0.3, 1.0, 2.0])
    tree = adversary(rng, mu**2 * (1 - 1e-9), 4)
    guarantee = hs.GaussianFilter(mu=mu).guarantee
    with ctx.workprec(200):
        found = outcomes(tree)
        for epsilon in (0.0, 0.2, 0.7, 1.5):
            ratio = arb(epsilon).exp()
            for way in (0, 1):
                one = sum((max(x[way] - ratio * x[1 - way], arb(0)) for x in found), arb(0))
                assert one <= guarantee.delta(epsilon) * (1 + 1e-9)
