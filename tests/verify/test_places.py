# SPDX-License-Identifier: Apache-2.0
"""Random allocation of few outcomes against sums over all outcomes of all places, in fractions."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify.curves import composed
from hockeystick.verify.laws import Atoms, law

STEPS = [
    hs.DiscretePair(p=(0.75, 0.25), q=(0.25, 0.75)),
    hs.DiscretePair(p=(0.5, 0.25, 0.25, 0.0), q=(0.125, 0.375, 0.25, 0.25)),
    hs.DiscretePair(p=(0.25, 0.5, 0.25), q=(0.0, 0.75, 0.25)),
]


def outcomes(step, steps, *, back):
    """Masses of every sequence of outcomes, with the record and without it, by the definition."""
    p, q = ([Fraction(x) for x in masses] for masses in (step.p, step.q))
    for drawn in itertools.product(range(len(p)), repeat=steps):
        without = math.prod((q[j] for j in drawn), start=Fraction(1))
        joined = sum(
            math.prod(
                (p[j] if i == place else q[j] for i, j in enumerate(drawn)), start=Fraction(1)
            )
            for place in range(steps)
        )
        yield (without, joined / steps) if back else (joined / steps, without)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("steps", [2, 3, 4])
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_an_epoch_is_the_sum_over_all_outcomes_of_all_places(step, steps, back):
    """Also of two epochs, and composed with another pair."""
    rng = random.Random(steps)
    one = list(outcomes(step, steps, back=back))
    way = Direction.ADD if back else Direction.REMOVE
    epoch = step.random_allocation(steps=steps)
    other = hs.DiscretePair(p=(0.5, 0.5), q=(0.375, 0.625))
    half = Fraction(1, 2)
    ends = [(half, Fraction(3, 8)), (half, Fraction(5, 8))]
    ends = [(q, p) for p, q in ends] if back else ends
    runs = [(1 * epoch, one), (epoch + other, [(a * x, b * y) for a, b in one for x, y in ends])]
    if len(one) <= 81:
        runs.append((2 * epoch, [(a * x, b * y) for a, b in one for x, y in one]))
    with ctx.workprec(200):
        for run, masses in runs:
            curve = composed(run.terms, way, 30)
            for epsilon in (0.0, rng.uniform(-1, 2), 2.5):
                alpha = arb(epsilon).exp()
                found = curve.delta(arb(epsilon))
                exact = sum(
                    (
                        (
                            arb(fmpq(a.numerator, a.denominator))
                            - alpha * arb(fmpq(b.numerator, b.denominator))
                        ).max(arb(0))
                        for a, b in masses
                    ),
                    arb(0),
                )
                assert found.overlaps(exact)
                assert found.rad() < 1e-25


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.ApproximateDP(epsilon=0.5, delta=1e-5),
        hs.ApproximateDP(epsilon=0.5, delta=0.0),
        hs.DiscreteLaplace(parameter=0.5, sensitivity=2),
        hs.DiscreteGaussian(sigma=1.0, truncation=4),
        hs.ExponentialMechanism(epsilon=1.0),
        *STEPS,
        STEPS[1].poisson_sampled(0.25),
        STEPS[1].random_allocation(steps=3),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", [Direction.REMOVE, Direction.ADD])
def test_masses_of_both_sides_sum_to_one(mechanism, way):
    """What is allocated reads the masses of the second side where the first has none, as well."""
    with ctx.workprec(150):
        ((_, pair),) = law(mechanism, way)
        assert isinstance(pair, Atoms)
        first = sum((p for _, p in pair.outcomes), pair.infinite)
        second = sum((p * (-loss).exp() for loss, p in pair.outcomes), pair.missed)
        for total in (first, second):
            assert total.contains(1)
            assert total.rad() < 1e-30


def test_too_many_outcomes_are_not_known():
    many = hs.DiscreteLaplace(parameter=0.1, sensitivity=9).random_allocation(steps=10**6)
    result = hs.verify(many, delta=1e-5, fast=False)
    assert not result.known
    assert "outcomes" in result.reason
