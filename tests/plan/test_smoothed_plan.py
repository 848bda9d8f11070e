# SPDX-License-Identifier: Apache-2.0
"""How contours of atoms are planned: whatever it is, delta lies within what they find."""

import itertools
import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Adjacency, _core
from questions import core_answer
from rare_runs import terms


def losses_of(sigma, q):
    """Loss, P- and Q-mass of outcomes that remove a record, but for less than 1e-60."""
    sigma, q = arb(sigma), arb(q)
    reach = range(-int(17 * float(sigma)) - 2, int(17 * float(sigma)) + 4)
    weights = {x: (-(arb(x) ** 2) / (2 * sigma**2)).exp() for x in reach}
    total = sum(weights.values(), arb(0))
    for x in reach:
        if x - 1 not in weights:
            continue
        base, moved = weights[x] / total, weights[x - 1] / total
        mass = (1 - q) * moved + q * base
        yield (mass / moved).log(), mass, moved


def delta(sigma, q, count, epsilon):
    """Sum of all P - e^epsilon Q above epsilon, of `count` steps."""
    law = sorted(losses_of(sigma, q), key=lambda outcome: float(outcome[1].mid()))
    threshold, total = arb(epsilon).exp(), arb(0)
    ways = {1: 1, 2: 2, 3: 6}
    for chosen in itertools.combinations_with_replacement(law, count):
        p, r, number = arb(1), arb(1), ways[count]
        for _, group in itertools.groupby(chosen, key=id):
            number //= ways.get(len(list(group)), 1)
        for _, mass, moved in chosen:
            p, r = p * mass, r * moved
        gained = number * (p - threshold * r)
        if gained > 0:
            total += gained
    return total


FEW = [
    (0.6765, 3.34e-6, 3, 2.9e-9),
    (0.4475, 4.26e-6, 2, 4.9e-12),
    (0.3917, 5.76e-4, 3, 8.1e-9),
    (1.04, 2.7e-5, 2, 9.8e-11),
    (0.5, 0.3, 3, 1e-5),
    (0.9, 1e-3, 2, 1e-14),
]


@pytest.mark.parametrize(("sigma", "q", "count", "goal"), FEW)
def test_few_steps_are_enclosed(sigma, q, count, goal):
    with ctx.workprec(300):
        step = hs.DiscreteGaussian(sigma=sigma).poisson_sampled(q)
        answer = core_answer([terms(step, count)], "epsilon", goal)
        assert delta(sigma, q, count, answer.upper) <= arb(goal) * (1 + 1e-12)
        assert delta(sigma, q, count, answer.lower) >= arb(goal) * (1 - 1e-12)
        assert answer.converged


# sigma, q, count, (top, least, tilt): closed where no question is; the last are bounded by Chernoff
CLOSED = [
    (0.5, 1e-3, 2, (2.0, 0.0, 0.0)),
    (0.5, 1e-3, 3, (2.0, -0.1, 0.0)),
    (0.5, 1e-3, 3, (4.0, 2.0, 6.0)),
    (0.5, 1e-2, 3, (3.0, 1.5, 1.5)),
    (1.0, 0.2, 2, (1.5, 0.0, 0.0)),
]


@pytest.mark.parametrize("may_decay", [False, True])
@pytest.mark.parametrize("closed", CLOSED, ids=str)
def test_steps_closed_below_a_question_are_not_believed(closed, may_decay):
    """Whatever a plan closes, delta lies within; beyond the reach of the split from above alone."""
    sigma, q, count, closing = closed
    step = hs.DiscreteGaussian(sigma=sigma).poisson_sampled(q)
    epsilons = [0.2 * closing[0] * i for i in range(1, 9)]
    with ctx.workprec(300):
        truths = [delta(sigma, q, count, epsilon) for epsilon in epsilons]
        deltas = [float(truth.mid()) for truth in truths]
        found, _, _ = _core.plan.closed_atoms(
            terms(step, count),
            planned_for=0.4 * closing[0],
            closing=closing,
            may_decay=may_decay,
            epsilons=epsilons,
            deltas=deltas,
        )
        for truth, (lower, upper) in zip(truths, found, strict=False):
            assert arb(lower) <= truth <= arb(upper)
    for epsilon, (lower, upper) in zip(epsilons, found[len(epsilons) :], strict=True):
        assert lower <= epsilon * (1 + 1e-12)
        assert upper >= epsilon * (1 - 1e-12)
    assert found[1][0] > 0 or closing[2] > 0


@pytest.mark.parametrize("top", [0.5, 1.2, 1.6])
def test_a_step_is_not_its_own_company(top):
    """All finite losses of this pair are positive: only those of the other step are certain."""
    p, q = (0.3, 0.5, 0.2, 0.0), (0.2, 0.15, 0.05, 0.6)
    pair = hs.DiscretePair(p=p, q=q)
    epsilons = [0.3 * k for k in range(1, 10)]
    found, _, _ = _core.plan.closed_atoms(
        terms(pair, 2), planned_for=1.0, closing=(top, 0.0, 0.0), epsilons=epsilons, deltas=[]
    )
    for epsilon, (lower, upper) in zip(epsilons, found, strict=True):
        pairs = [
            (a * c, b * d) for a, b in zip(p, q, strict=True) for c, d in zip(p, q, strict=True)
        ]
        truth = sum(max(0.0, a - math.exp(epsilon) * b) for a, b in pairs)
        assert lower <= truth * (1 + 1e-12)
        assert truth <= upper * (1 + 1e-12)


@pytest.mark.parametrize("count", [1000, 10**5])
def test_many_steps_closed_by_chernoffs_inequality_agree_with_open_ones(count):
    step = hs.DiscreteGaussian(sigma=0.5).poisson_sampled(1e-3)
    closing = _core.plan.closing_at(terms(step, count), 2.5, -40.0)
    asked = {"planned_for": 2.5, "epsilons": [1.5, 2.5], "deltas": []}
    closed, _, _ = _core.plan.closed_atoms(terms(step, count), closing=closing, **asked)
    run = count * step
    for epsilon, (lower, upper) in zip(asked["epsilons"], closed, strict=True):
        low, high = run.delta_bounds(epsilon, adjacency=Adjacency.ADD_OR_REMOVE_ONE, tolerance=1e-4)
        assert lower <= high
        assert low <= upper
        assert upper - lower < 0.1 * upper


def test_samples_end_where_moments_have_decayed():
    """Few are left of those that smoothing alone needs; both find the same."""
    step = hs.DiscreteGaussian(sigma=8.0).poisson_sampled(1e-3)
    open_at_the_top = (float("inf"), 0.0, 0.0)
    rows = {}
    for may_decay in (False, True):
        rows[may_decay] = _core.plan.closed_atoms(
            terms(step, 10**5),
            planned_for=0.2,
            closing=open_at_the_top,
            may_decay=may_decay,
            epsilons=[0.15, 0.2, 0.25],
            deltas=[],
        )
    long, short = rows[False], rows[True]
    assert short[2] > 0 == long[2]
    assert short[1] < 0.2 * long[1]
    for (low, high), (lower, upper) in zip(long[0], short[0], strict=True):
        assert max(low, lower) <= min(high, upper)
        assert upper - lower < 1.1 * (high - low)
