# SPDX-License-Identifier: Apache-2.0
"""Privacy buckets: masses moved to an end of their cells, on the safe side of the exact curve."""

from itertools import pairwise

import pytest
from flint import arb, ctx

import exact
from discretize import curves
from exact.curve import PRECISION
from exact.pair import Pair

ALL = [*curves.cases(), *curves.wide_cases(), *curves.bounded_cases(), *curves.beyond_cases()]
OTHER = {"buckets_upper": "upper", "buckets_lower": "lower"}
assert_safe = {"buckets_upper": curves.assert_above, "buckets_lower": curves.assert_below}


@pytest.mark.every(5)
@pytest.mark.parametrize("estimator", curves.BUCKETS)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_on_the_safe_side_of_the_exact_curve(case, estimator):
    assert_safe[estimator](case, estimator)


def moved(estimator, pair, losses):
    """Where the mass of each cell goes, and what goes to +inf."""
    cells = [pair.p(arb(a), arb(b)) for a, b in pairwise(losses)]
    below, above = pair.p_below(arb(losses[0])), pair.p_above(arb(losses[-1]))
    if estimator == "buckets_upper":
        return [below, *cells], above
    return [*cells, above], arb(0)


@pytest.mark.every(4)
@pytest.mark.parametrize("estimator", curves.BUCKETS)
@pytest.mark.parametrize("case", curves.cases(), ids=str)
def test_masses_are_those_of_the_cells(case, estimator):
    """To rounding, from outside: the curve is one of losses rounded, and of nothing else."""
    pmf = case.pmf(estimator)
    assert list(pmf.index) == list(case.index)
    if pmf.loss_error > 1e-12:  # edges so ill-conditioned that a cell's mass is not sharp
        return
    with ctx.workprec(PRECISION):
        masses, beyond = moved(estimator, Pair(case.step, case.direction), case.losses())
        outward = 1 if estimator == "buckets_upper" else -1
        total = arb(0)
        for mass, truth in [*zip(pmf.mass, masses, strict=True), (pmf.infinity_mass, beyond)]:
            # An edge may be off by the loss error, and takes what lies there along.
            excess = outward * (arb(mass) - truth)
            assert abs(excess) <= truth * 1e-11 + arb(1e-12)
            total += excess
        assert total >= -1e-12
        assert total <= 1e-12


@pytest.mark.parametrize(("step", "direction"), curves.SMOOTH)
def test_what_rounding_up_takes_from_q_goes_to_minus_infinity(step, direction):
    """All of Q, to rounding; that what lies below the first loss is counted twice is the tail."""
    case = curves.uniform(step, direction, 40)
    pmf = case.pmf("buckets_upper")
    with ctx.workprec(PRECISION):
        q_mass = case.curve("buckets_upper").q_mass() + arb(pmf.reverse_infinity_mass)
        first = arb(case.losses()[0])
        twice = Pair(step, direction).p_below(first) * (-first).exp()
        assert q_mass >= 1
        assert q_mass <= 1 + twice + arb(1e-10)


@pytest.mark.parametrize("estimator", curves.BUCKETS)
@pytest.mark.parametrize(("step", "direction"), curves.SMOOTH)
def test_gap_falls_with_the_interval_and_is_the_widest(step, direction, estimator):
    coarse, fine = (curves.uniform(step, direction, points) for points in (100, 400))
    wide, narrow = (curves.area(case, estimator) for case in (coarse, fine))
    assert wide / 5 < narrow < wide / 3.4
    assert curves.area(coarse, OTHER[estimator]) < wide / 5


@pytest.mark.parametrize("estimator", curves.BUCKETS)
@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
def test_cells_of_one_point_in_the_middle(direction, estimator):
    """Two points, nearly all mass beyond them."""
    case = curves.Case(exact.Step(0.3, 0.5), direction, 0.125, (0, 1))
    assert_safe[estimator](case, estimator)
