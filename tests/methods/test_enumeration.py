# SPDX-License-Identifier: Apache-2.0
"""Tails and quantiles of losses listed one by one: to rounding, and right next to atoms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.sums import BITS, sums, tail
from hockeystick import _core

P, Q = (0.5, 0.3, 0.2), (0.3, 0.3, 0.4)
PAIR = hs.DiscretePair(p=P, q=Q)
RESPONSE = hs.ApproximateDP(epsilon=0.5, delta=1e-3)
NOISE = hs.DiscreteLaplace(parameter=0.3, sensitivity=2)


def one_way(name):
    """The run's tail and quantiles in the direction of the law, and the law."""
    run, terms = RUNS[name]

    def ask(query, point, **arguments):
        return getattr(run, query)(point, adjacency=hs.Adjacency.REMOVE_ONE, **arguments)

    return ask, terms()


pytestmark = pytest.mark.bits(BITS)


def pair_law(p=P, q=Q):
    total_p, total_q = (sum(map(arb, weights), arb(0)) for weights in (p, q))
    return [
        ((arb(x) / total_p / (arb(y) / total_q)).log(), arb(x) / total_p)
        for x, y in zip(p, q, strict=True)
    ]


def response_law(epsilon=0.5, delta=1e-3):
    high = (1 - arb(delta)) / (1 + (-arb(epsilon)).exp())
    return [(arb(epsilon), high), (-arb(epsilon), 1 - arb(delta) - high)]


def noise_law(a=0.3, shift=2):
    """Losses -shift a, ..., shift a in steps of 2 a; both ends hold a geometric tail."""
    r = (-arb(a)).exp()
    tail_mass = r / (1 + r)  # of noise >= 1
    return [
        (shift * arb(a), 1 - tail_mass),
        *(((shift - 2 * k) * arb(a), (1 - r) / (1 + r) * r**k) for k in range(1, shift)),
        (-shift * arb(a), tail_mass * r ** (shift - 1)),
    ]


RUNS = {
    "pairs": (10 * PAIR, lambda: [(10, pair_law())]),
    "pairs reversed": (10 * hs.DiscretePair(p=Q, q=P), lambda: [(10, pair_law(Q, P))]),
    "with infinite losses": (12 * RESPONSE, lambda: [(12, response_law())]),
    "noise": (6 * NOISE, lambda: [(6, noise_law())]),
    "all": (
        4 * PAIR + 3 * RESPONSE + 2 * NOISE,
        lambda: [(4, pair_law()), (3, response_law()), (2, noise_law())],
    ),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("epsilon", [0.0123, 0.77, 2.05, 3.55])
def test_tail(name, epsilon):
    ask, terms = one_way(name)
    truth = tail(terms, arb(epsilon))
    bounds = ask("probabilistic_delta_bounds", epsilon, tolerance=1e-11)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1e-12 * float(truth)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("level", [1e-9, 0.313, 0.5, 0.9873])
def test_quantile(name, level):
    """Where the mass up to an atom reaches the level."""
    ask, terms = one_way(name)
    bounds = ask("loss_quantile_bounds", level, deviations=1e-11)
    nudge = arb(1e-11)
    assert 1 - tail(terms, arb(bounds.upper) + nudge) >= level
    assert 1 - tail(terms, arb(bounds.lower) - nudge) < level
    assert any(bounds.lower <= loss <= bounds.upper for loss, _ in sums(terms))
    assert bounds.gap <= 1e-12


@pytest.mark.parametrize("steps", [1, 7, 20])
@pytest.mark.parametrize("k", [-2, 0, 1, 3])
def test_an_atom_at_epsilon_does_not_count_where_losses_are_exact(steps, k):
    """L = 0.5 (2 j - n) is a double, as is its sum."""
    epsilon = 0.5 * max(0, steps - 2 * abs(k))
    high = (1 - arb(1e-3)) / (1 + arb(-0.5).exp())
    finite = sum(
        math.comb(steps, j) * high**j * (1 - arb(1e-3) - high) ** (steps - j)
        for j in range(steps + 1)
        if Fraction(2 * j - steps, 2) > epsilon
    )
    truth = finite + 1 - (1 - arb(1e-3)) ** steps
    bounds = (steps * RESPONSE).probabilistic_delta_bounds(epsilon, tolerance=1e-11)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1e-12


def test_a_quantile_on_an_exact_atom_is_exact():
    assert (20 * RESPONSE).loss_quantile_bounds(0.5) == (3.0, 3.0)


def test_an_atom_that_rounding_does_not_tell_from_epsilon_carries_both_answers():
    ask, terms = one_way("pairs")
    atom = 5 * pair_law()[0][0] + 2 * pair_law()[2][0]
    with pytest.raises(hs.CertificationError) as caught:
        ask("probabilistic_delta", float(atom))
    bounds = caught.value.bounds
    above, upto = tail(terms, atom + 1e-12), tail(terms, atom - 1e-12)
    assert bounds.lower <= above < upto <= bounds.upper
    assert float(above) - bounds.lower <= 1e-12
    assert bounds.upper - float(upto) <= 1e-12
    assert caught.value.limited_by == "rounding"


def test_tails_far_out_keep_their_digits():
    steps = 900
    run = steps * hs.ApproximateDP(epsilon=0.5, delta=0.0)
    with ctx.workprec(800):
        truth = tail([(steps, response_law(0.5, 0.0))], arb(445.2))
    bounds = run.probabilistic_delta_bounds(445.2, tolerance=1e-9)
    assert bounds.lower <= truth <= bounds.upper
    assert truth < 1e-150
    assert bounds.gap <= 1e-9 * float(truth)


def test_nothing_lies_beyond_the_sum_of_the_largest():
    largest = 5 * math.log(2)
    assert (5 * PAIR).probabilistic_delta_bounds(largest + 1e-13) == (0.0, 0.0)
    assert (5 * PAIR).probabilistic_delta(largest - 1e-13) == pytest.approx(0.4**5, rel=1e-12)


def test_more_sums_than_are_listed_are_asked_of_the_grid():
    weights = np.array([1, 2, 4, 7, 9, 15]) / 38
    run = 200 * hs.DiscretePair(p=weights, q=weights[::-1])
    bounds = run.loss_quantile_bounds(0.5, deviations=0.1)
    assert bounds.lower <= 1.05 * run.loss_mean()
    assert bounds.upper >= 0.95 * run.loss_mean()
    assert bounds.gap > 1e-9


def test_the_listing_keeps_to_the_memory_limit():
    """406351 sums take some 32 MB."""
    run = 900 * PAIR
    assert run.probabilistic_delta_bounds(100.0).gap <= 1e-9
    assert run.probabilistic_delta_bounds(100.0, memory_limit=2**24, tolerance=0.1).gap > 1e-9


def delta_of(terms, epsilon):
    gained = arb(0)
    for loss, mass in sums(terms):
        if loss > epsilon:
            gained += mass * (1 - (epsilon - loss).exp())
    finite = math.prod((sum((p for _, p in law), arb(0)) ** n for n, law in terms), start=arb(1))
    return gained + 1 - finite


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("epsilon", [0.0123, 0.77, 2.05])
def test_delta_to_rounding(name, epsilon):
    """Tighter than a transform's rounding allows."""
    ask, terms = one_way(name)
    truth = delta_of(terms, arb(epsilon))
    bounds = ask("delta_bounds", epsilon, tolerance=1.1e-12)
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= 1.1e-12 * float(truth)


@pytest.mark.parametrize(("count", "epsilon"), [(10, 0.1), (20, 0.5), (7, 0.3)])
@pytest.mark.parametrize("excess", [0.0, 1e-9, 1e-4])
def test_epsilon_next_to_the_infinity_mass(count, epsilon, excess):
    """The sum of deltas barely exceeds the mass at infinity."""
    leak = 1e-6
    delta = count * leak * (1 + excess)
    run = count * hs.ApproximateDP(epsilon=epsilon, delta=leak)
    bounds = run.epsilon_bounds(delta, tolerance=1e-9)
    assert bounds.gap <= 1e-9 * bounds.upper
    terms = [(count, response_law(epsilon, leak))]
    nudge = arb(10) ** -20  # the truth at an end that is an atom
    assert delta_of(terms, arb(bounds.lower) - nudge) >= delta
    assert delta_of(terms, arb(bounds.upper) + nudge) <= delta
    assert bounds.upper <= count * epsilon * (1 + 1e-12)


def test_no_delta_of_an_array_is_above_1():
    """All but 1e-26 of the mass is at losses above 1."""
    pair = hs.DiscretePair(p=(0.7, 0.3), q=(1e-20, 1)).dominating_pair(hs.Direction.REMOVE)
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 24}
    found = _core.delta_bounds([[(pair, 50)]], [0.0, 1e-3, 1.0], method="enumeration", **limits)
    for answer in map(found.__getitem__, range(3)):
        assert 1 - 1e-12 < answer.lower <= answer.upper <= 1


@pytest.mark.parametrize("count", [1, 5, 20])
def test_the_error_of_a_delta_is_the_formula(count):
    """Of exact losses: masses' own 18 u each, five roundings for each of them, and 16 u of sums."""
    u = 2.0**-53
    pair = _core.dominating_pair("approximate_dp", [0.5, 0.0])
    limits = {"tolerance": 1e-9, "memory_limit": 1 << 28, "method": "enumeration"}
    (found,) = _core.delta_bounds([[(pair, count)]], [0.2], **limits)
    masses = 1.01 * (count * 18 + 5 * count + 8) + 8
    booked = 2 * (masses + 16) + 8
    assert found.upper / found.lower - 1 == pytest.approx(booked * u, abs=4 * u)
