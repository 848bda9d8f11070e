# SPDX-License-Identifier: Apache-2.0
"""What may be chosen by looking at outputs, and what may not: runs enumerated path by path."""

import itertools
from fractions import Fraction

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Accountant


def response(epsilon):
    """Randomized response, worst of all that is epsilon-DP, as (P, Q) of each output."""
    e = arb(epsilon).exp()
    return [(e / (1 + e), 1 / (1 + e)), (1 / (1 + e), e / (1 + e))]


def given_away(delta):
    """With that probability, the output says of which of the two it is."""
    return [(arb(delta), arb(0)), (1 - arb(delta), 1 - arb(delta)), (arb(0), arb(delta))]


def delta_of(outputs, epsilon):
    """The hockey-stick divergence of a run given by the probabilities of all that it may say."""
    return sum((max(p - arb(epsilon).exp() * q, arb(0)) for p, q in outputs), arb(0))


def then(outputs, choose):
    """Each output, followed by those of the mechanism that is chosen after it."""
    return [(p * a, q * b) for k, (p, q) in enumerate(outputs) for a, b in choose(k)]


def test_what_is_chosen_by_outputs_may_cost_more_than_the_budget():
    """Every step is admitted, and delta is one and a half times the budget: no filter is promised.

    Enumerated in ball arithmetic, all parameters taken at their exact values.
    """
    first, large, small = 0.01, 0.9900027295, 9.99999e-7
    after = [hs.ApproximateDP(large, 0.0), hs.ApproximateDP(0.0, small)]
    budget = {"epsilon": 1.0, "delta": 1e-6}
    for second in after:
        acct = Accountant()
        assert acct.admit(hs.ApproximateDP(first, 0.0), **budget)
        assert not acct.would_exceed(second, **budget)
        assert acct.admit(second, **budget)
    with ctx.workprec(200):
        paths = (response(large), given_away(small))
        fixed = [delta_of(then(response(first), lambda _, path=path: path), 1) for path in paths]
        assert all(delta <= arb(1e-6) for delta in fixed)
        chosen = delta_of(then(response(first), lambda k: paths[k]), 1)
        assert arb(1.4974e-6) < chosen < arb(1.4976e-6)


def stopping_rules(steps):
    """All rules of when to stop one step that is repeated at most so often, by what came out."""
    if steps == 0:
        return [None]
    shorter = stopping_rules(steps - 1)
    return [None, *itertools.product(shorter, shorter)]


def stopped(rule):
    """Of (2/3, 1/3), until the rule stops it."""
    third = Fraction(1, 3)
    step = [(2 * third, third), (third, 2 * third)]
    if rule is None:
        return [(Fraction(1), Fraction(1))]
    return [
        (p * a, q * b) for (p, q), rest in zip(step, rule, strict=True) for a, b in stopped(rest)
    ]


@pytest.mark.parametrize(
    "ratio", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(7)]
)
def test_one_step_may_stop_whenever_it_likes(ratio):
    """The guarantee of the largest count holds for all 677 rules of at most four steps."""

    def delta(rule):
        return sum(max(p - ratio * q, 0) for p, q in stopped(rule))

    rules = stopping_rules(4)
    whole = None
    for _ in range(4):
        whole = (whole, whole)
    assert len(rules) == 677
    assert max(map(delta, rules)) == delta(whole)
