# SPDX-License-Identifier: Apache-2.0
"""Menus, shared samples and the best of runs: sums over all outcomes, and laws of numbers."""

import itertools
import math

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify.made import Number
from hockeystick.verify.sides import sides

PAIRS = [
    hs.DiscretePair(p=(0.75, 0.25), q=(0.25, 0.75)),
    hs.DiscretePair(p=(0.5, 0.25, 0.25), q=(0.125, 0.375, 0.5)),
]
EPSILONS = [-0.7, -0.1, 0.0, 0.2, 0.45, 0.9, 1.4]


def stick(outcomes, epsilon):
    """delta, from the masses of all outcomes."""
    return math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in outcomes)


def together(pairs):
    """All outcomes of several releases."""
    for drawn in itertools.product(*(zip(one.p, one.q, strict=True) for one in pairs)):
        yield math.prod(p for p, _ in drawn), math.prod(q for _, q in drawn)


@pytest.mark.parametrize("back", [False, True])
def test_a_shared_sample_is_one_coin_for_all_parts(back):
    run = hs.joint(*PAIRS).poisson_sampled(0.3)
    outcomes = [(0.3 * p + 0.7 * q, q) for p, q in together(PAIRS)]
    outcomes = [(q, p) for p, q in outcomes] if back else outcomes
    twice = [(p * s, q * t) for (p, q), (s, t) in itertools.product(outcomes, outcomes)]
    for epsilon in EPSILONS:
        adjacency = "add-one" if back else "remove-one"
        one, two = (
            hs.verify(n * run, epsilon=max(epsilon, 0.0), adjacency=adjacency, digits=12)
            for n in (1, 2)
        )
        assert float(one.middle) == pytest.approx(stick(outcomes, max(epsilon, 0.0)), abs=1e-13)
        truth = stick(twice, max(epsilon, 0.0))
        assert two.lower - 1e-13 <= truth <= two.upper + 1e-13
        assert one.enclosed is not False
        assert two.enclosed is not False


@pytest.mark.parametrize("parts", [(hs.Gaussian(1.0), hs.Laplace(2.0)), (hs.Laplace(1.0),) * 3])
@pytest.mark.parametrize("rate", [0.1, 0.2, 0.9])
def test_a_shared_sample_of_densities(parts, rate):
    """What `poisson_sampled_together` says is held by the exact curve of all parts."""
    run = sum((1 * part for part in parts), hs.Composition()).poisson_sampled_together(rate)
    for question in ({"epsilon": 0.1}, {"delta": 1e-4}, {"prior": 0.3}):
        result = hs.verify(run, digits=10, **question)
        assert result.known
        assert result.enclosed
        assert result.fast.upper - result.fast.lower <= 1e-2 * result.fast.upper


def test_a_menu_costs_as_its_worst_option_and_composed_lies_between():
    menu = hs.any_of(*PAIRS)
    for epsilon in (0.0, 0.3, 0.8):
        one = hs.verify(menu, epsilon=epsilon, adjacency="remove-one")
        most = max(stick(together([pair]), epsilon) for pair in PAIRS)
        assert float(one.middle) == pytest.approx(most, abs=1e-14)
        two = hs.verify(2 * menu, epsilon=epsilon, adjacency="remove-one")
        attained = max(stick(together([a, a]), epsilon) for a in PAIRS)
        assert two.lower <= attained * (1 + 1e-12)
        assert two.upper >= stick(together(PAIRS), epsilon)
        assert two.enclosed is not False


LAWS = [
    ({"runs": "poisson", "mean": 2.5}, lambda k: math.exp(-2.5) * 2.5**k / math.factorial(k)),
    ({"runs": "geometric", "mean": 4}, lambda k: 0.25 * 0.75 ** (k - 1) if k else 0.0),
    ({"runs": "fixed", "mean": 3}, lambda k: float(k == 3)),
    (
        {"runs": "binomial", "mean": 1.5, "trials": 5},
        lambda k: math.comb(5, k) * 0.3**k * 0.7 ** (5 - k),
    ),
]


@pytest.mark.parametrize(("of", "mass"), LAWS, ids=[of["runs"] for of, _ in LAWS])
def test_the_law_of_the_number(of, mass):
    with ctx.workprec(120):
        number = Number(hs.best_of(PAIRS[0], **of))
        for s in (0.0, 0.3, 0.9, 1.0):
            value = math.fsum(mass(k) * s**k for k in range(120))
            slope = math.fsum(k * mass(k) * s ** (k - 1) for k in range(1, 120))
            assert float(number.of(arb(s))) == pytest.approx(value, rel=1e-12, abs=1e-14)
            assert float(number.slope(arb(s))) == pytest.approx(slope, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.5, 1.0, 3.0])
def test_the_mean_of_negative_binomial_numbers(shape):
    """At 1 the slope is the mean, and none is 0."""
    with ctx.workprec(120):
        number = Number(hs.best_of(PAIRS[0], runs="negative_binomial", mean=7.5, shape=shape))
        assert abs(number.slope(arb(1)) - 7.5) < 1e-20
        assert abs(number.of(arb(1)) - 1) < 1e-20
        assert abs(number.of(arb(0))) < 1e-20


def best_of_all(pair, mass, order):
    """Masses of the output whose rank is the best, by sums over numbers of runs."""
    for at, outcome in enumerate(order):
        behind = order[at:]
        rests = ([one[j] for j in behind] for one in (pair.p, pair.q))
        yield tuple(
            math.fsum(
                mass(k) * (math.fsum(rest) ** k - (math.fsum(rest) - one[outcome]) ** k)
                for k in range(1, 80)
            )
            for rest, one in zip(rests, (pair.p, pair.q), strict=True)
        )
    yield mass(0), mass(0)


@pytest.mark.every(3)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize(("of", "mass"), LAWS, ids=[of["runs"] for of, _ in LAWS])
def test_no_ranking_costs_more_than_is_proved(of, mass, pair):
    """And what is attained is no more than the best ranking of the outcomes' losses."""
    with ctx.workprec(120):
        found = sides((1 * hs.best_of(pair, **of)).terms, Direction.REMOVE, 12)
        for epsilon in (-0.4, 0.0, 0.3, 1.0):
            deltas = [
                stick(best_of_all(pair, mass, order), epsilon)
                for order in itertools.permutations(range(len(pair.p)))
            ]
            assert max(deltas) <= float(found.proved.delta(arb(epsilon)).upper()) + 1e-12
            for one in found.attained:
                assert float(one.delta(arb(epsilon)).lower()) <= max(deltas) + 1e-12


def test_the_best_of_runs_of_many_sampled_steps_is_known_soon():
    """Few digits at each knot suffice, and below 0 the reverse keeps them."""
    run = hs.best_of(100 * hs.Gaussian(1.0).poisson_sampled(0.01), runs="geometric", mean=10)
    found = hs.verify(run, delta=1e-6, fast=False)
    fast = run.epsilon_bounds(1e-6)
    assert 1.2 < found.lower <= fast.upper
    assert fast.lower <= found.upper < 1.45
