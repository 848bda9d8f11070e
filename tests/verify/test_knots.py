# SPDX-License-Identifier: Apache-2.0
"""Laws at knots against the exact compositions that they must enclose."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Direction
from hockeystick.verify.curves import composed, of_laws
from hockeystick.verify.knots import Knots

STEPS = [
    hs.Gaussian(0.3),
    hs.Gaussian(1.0),
    hs.Gaussian(20.0),
    hs.Laplace(2.0),
    hs.ApproximateDP(0.5, 1e-3),
    hs.DiscretePair(p=(0.5, 0.25, 0.25, 0.0), q=(0.125, 0.375, 0.25, 0.25)),
]
WAYS = (Direction.REMOVE, Direction.ADD)
EPSILONS = [-1.3, -0.2, 0.0, 0.07, 0.5, 1.1, 2.9, 6.0]


def laws(step, way):
    """Of one release above and below."""
    one = composed([(step, 1)], way, 20)
    knots = Knots(one.delta, one.infinite)
    return knots.above(), knots.below()


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_compositions_lie_between(step, way):
    """And closely, but where nearly all of the loss is between two knots."""
    with ctx.workprec(160):
        above, below = laws(step, way)
        for count in (1, 4):
            exact = composed([(step, count)], way, 20)
            high, low = (of_laws([(((arb(1), each),), count)], 20) for each in (above, below))
            for epsilon in map(arb, EPSILONS):
                truth, most, least = (one.delta(epsilon) for one in (exact, high, low))
                assert not most < truth
                assert not least > truth
                if truth > 1e-4:  # but for a kink within a step
                    assert most - least < truth * 0.2 + 1e-3


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_they_are_laws(step, way):
    """No mass is negative, and all of P is there but for what lies 40 nats down."""
    with ctx.workprec(160):
        for each in laws(step, way):
            assert all(mass > 0 for _, mass in each.outcomes)
            assert each.infinite >= 0
            assert abs(sum((mass for _, mass in each.outcomes), each.infinite) - 1) < 1e-17
            assert sum(mass * (-loss).exp() for loss, mass in each.outcomes) < 1 + arb(10) ** -30


def test_the_power_is_not_below_any_line():
    with ctx.workprec(160):
        knots = Knots(composed([(hs.Laplace(1.0), 1)], Direction.REMOVE, 20).delta)
        assert float(knots.power(0.1)) == pytest.approx(0.1 * 2.718281828, rel=1e-3)
        assert float(knots.power(0.1)) >= 0.2718281828
