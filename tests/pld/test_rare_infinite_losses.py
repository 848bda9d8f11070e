# SPDX-License-Identifier: Apache-2.0
"""Lower ends of unions of infinite losses that are as rare as doubles can say, in ball arithmetic.

Taking a relative error off a subnormal number rounds back to it, but n of them have a union that
is below their sum.
"""

import itertools

import pytest
from flint import arb, ctx

import hockeystick as hs

MASSES = (5e-324, 1e-323, 1.5e-323, 3.5e-323, 1e-322, 1.3e-320, 1e-315, 1e-310, 2.3e-308)
MASSES += (1e-305, 1e-303, 1e-300)
COUNTS = (1, 2, 3, 7, 11, 1000, 10**6, 10**9)
ESTIMATORS = ("connect_dots", "algorithm_2", "privacy_buckets")
pytestmark = pytest.mark.filterwarnings("ignore:epsilon is infinite")


def union(*parts):
    """Of independent events: (probability, how often) of each."""
    if len(parts) == 1 and parts[0][1] == 1:
        return arb(parts[0][0])
    return -sum((n * (-arb(t)).log1p() for t, n in parts), arb(0)).expm1()


@pytest.mark.parametrize("epsilon", [0.0, 0.0158])
@pytest.mark.parametrize("mass", MASSES)
def test_no_lower_end_is_above_the_union(mass, epsilon):
    for count in COUNTS:
        if epsilon * count > 100:  # a grid of so many steps is large
            continue
        run, beyond = count * hs.ApproximateDP(epsilon=epsilon, delta=mass), count * epsilon + 1
        with ctx.workprec(4600):
            truth = union((mass, count))
            for estimator in ESTIMATORS:
                law = run.pld(side="lower", estimator=estimator)
                ends = (law.delta(beyond), law.true_positive_rate(0.0))
                ends += (law.estimated_probabilistic_delta(beyond),)
                for end in ends:
                    assert arb(end) <= truth, (count, estimator)
                    assert end >= 0.8 * count * mass - 1e-306, (count, estimator)
            for bounds in (run.delta_bounds(beyond), run.true_positive_rate_bounds(0.0)):
                assert arb(bounds.lower) <= truth <= arb(bounds.upper)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_unions_of_two_laws(estimator):
    for first, second in itertools.product(MASSES, MASSES[::3]):
        one, two = (hs.ApproximateDP(epsilon=0.0158, delta=t) for t in (first, second))
        run = 2 * one + 3 * two
        parts = ((first, 2), (second, 3)) if first != second else ((first, 5),)
        with ctx.workprec(4600):
            law = run.pld(side="lower", estimator=estimator)
            assert arb(law.delta(1.0)) <= union(*parts)
            account = hs.Accountant().compose(2 * one)
            assert arb(account.delta_bounds(1.0).lower) <= union((first, 2))
            account.compose(3 * two)
            assert arb(account.delta_bounds(1.0).lower) <= union(*parts)
