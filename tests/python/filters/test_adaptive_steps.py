# SPDX-License-Identifier: Apache-2.0
"""Filters hold, and the natural rule does not, where steps are chosen by outputs: all paths."""

import itertools
import random
from fractions import Fraction

import pytest
from flint import arb, ctx

import hockeystick as hs


def response(ratio):
    """Randomized response: P and Q of each output."""
    more, less = Fraction(ratio, 1 + ratio), Fraction(1, 1 + ratio)
    return [(more, less), (less, more)]


FAILS = [(Fraction(1, 3), Fraction(0)), (Fraction(2, 3),) * 2, (Fraction(0), Fraction(1, 3))]


def then(outputs, choose):
    return [(p * a, q * b) for k, (p, q) in enumerate(outputs) for a, b in choose(k)]


def delta(outputs, ratio):
    return sum(max(p - ratio * q, Fraction(0)) for p, q in outputs)


def test_stopping_at_the_composed_delta_is_no_filter():
    """Budget (log 2, 1/3): each list keeps it, and choosing between them by the output does not."""
    first, second, third = response(2), response(3), FAILS
    for fixed in (second, third):
        assert delta(then(first, lambda _, step=fixed: step), 2) == Fraction(1, 3)
    chosen = delta(then(first, lambda k: second if k == 0 else third), 2)
    assert chosen == Fraction(4, 9)
    assert chosen > Fraction(1, 3)


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


def test_the_menu_of_the_example_is_what_choosing_costs():
    first, second, third = response(2), response(3), FAILS
    best = max(
        delta(then(first, lambda k, pick=pick: (second, third)[pick[k]]), 2)
        for pick in itertools.product((0, 1), repeat=2)
    )
    assert best == Fraction(4, 9)
