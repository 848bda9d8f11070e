# SPDX-License-Identifier: Apache-2.0
"""The work that one question may do, counted by the cost model: no view begins more."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.errors import best_bounds

work = _core.work


def test_without_a_limit_all_work_may_begin():
    assert work.left() == math.inf
    before = work.taken()
    assert work.take(3e6)
    assert work.taken() - before == 3e6


def test_an_infinite_cost_and_a_limit_that_is_no_number_are_not_counted():
    assert work.take(math.inf)
    assert work.within(math.nan, lambda: work.take(1.0))
    assert work.left() == math.inf


def test_what_costs_more_than_is_left_takes_nothing():
    def ask():
        return work.take(60.0), work.take(50.0), work.left(), work.take(40.0), work.left()

    assert work.within(100.0, ask) == (True, False, 40.0, True, 0.0)
    assert work.left() == math.inf


def test_an_infinite_limit_leaves_no_limit_behind():
    assert work.within(math.inf, lambda: (work.take(30.0), work.left())) == (True, math.inf)
    assert work.left() == math.inf
    assert work.take(1.0)


def test_a_question_about_delta_0_leaves_no_limit_behind():
    (2 * hs.ZCDP(rho=1.2)).delta(0.0)
    assert work.left() == math.inf


def test_a_nested_limit_takes_from_the_outer_one():
    def inner():
        return work.left(), work.take(30.0)

    def outer():
        assert work.within(1e9, inner) == (100.0, True)
        assert work.within(50.0, inner) == (50.0, True)
        return work.left()

    assert work.within(100.0, outer) == 40.0


RARE = 152 * hs.Gaussian(0.5054184944584791).poisson_sampled(1.5184582676621273e-05)
LATTICE = 36 * hs.DiscreteGaussian(sigma=5.4).poisson_sampled(0.00059)
MIXED = 5 * hs.Gaussian(1.5) + 6 * hs.Laplace(41.0) + 2000 * hs.Gaussian(1.2).poisson_sampled(7e-4)
ALLOCATED = 3 * hs.Gaussian(7.084290125454312).random_allocation(steps=73)
VIEWS = {
    "epsilon_bounds": (1e-9,),
    "delta_bounds": (0.1,),
    "true_positive_rate_bounds": (1e-3,),
    "tradeoff_bounds": ([1e-5, 1e-3, 0.1, 0.9],),
    "bayes_risk_bounds": (0.1,),
    "gdp_mu_bounds": (),
    "renyi_divergence_bounds": (8.0,),
    "zcdp_bounds": (),
    "probabilistic_delta_bounds": (0.1,),
    "loss_quantile_bounds": (0.999999,),
}
ASKED = [
    pytest.param(run, name, id=f"{label}-{name}")
    for label, run in (("r", RARE), ("l", LATTICE), ("m", MIXED), ("a", ALLOCATED))
    for name in VIEWS
]


@pytest.mark.parametrize(("run", "name"), ASKED)
def test_a_view_keeps_to_the_work_that_is_left(run, name):
    found = []
    for cost in (0.0, 2e5, 2e7):
        before = work.taken()
        found.append(work.within(cost, lambda: best_bounds(getattr(run, name), *VIEWS[name])))
        assert work.taken() - before <= cost
    for one in found[1:]:
        assert np.all(
            np.maximum(one.lower, found[0].lower) <= np.minimum(one.upper, found[0].upper)
        )
    if name != "tradeoff_bounds":
        assert found[2].upper - found[2].lower <= (found[0].upper - found[0].lower) * (1 + 1e-12)


def test_a_refusal_for_want_of_work_says_so():
    with pytest.raises(hs.CertificationError) as error:
        work.within(0.0, lambda: LATTICE.loss_quantile_bounds(0.999999))
    assert error.value.limited_by == "passes"


def test_cells_of_a_wide_loss_are_counted_before_they_are_made():
    """A cell for each nat of a loss that spans thousands of them: more than one question may do."""
    wide = hs.Gaussian(0.05).poisson_sampled(0.01)
    some = best_bounds(wide.loss_mean_bounds)
    none = work.within(2e5, lambda: best_bounds(wide.loss_mean_bounds))
    assert 1.94 < some.lower <= some.upper < 1.945
    assert none.lower == 0
    assert some.upper <= none.upper < 1.96  # by the moment of an order next to 1; unsampled 200


def test_panels_of_wide_sweeps_are_counted_while_they_are_made():
    """Between normals 750 deviations apart lie more panels than a forecast knows of."""
    group = (3 * hs.Gaussian(0.004).poisson_sampled(0.01)).group(3)
    before = work.taken()
    best = best_bounds(group.loss_quantile_bounds, 0.9)
    assert work.taken() - before < 9e9  # the limit of a question, and as much again
    assert (
        work.within(1e6, lambda: best_bounds(group.loss_quantile_bounds, 0.9)).upper >= best.upper
    )


def test_pairs_that_are_made_take_from_the_work_of_the_question():
    """A chain of neighbours takes thousands of deltas: what needs no curve bounds it then."""
    group = hs.Gaussian(0.05).poisson_sampled(0.9999).group(4)
    whole = hs.Gaussian(0.05).group(4).epsilon(1e-6, adjacency="replace-one")

    def ask():
        return best_bounds(group.epsilon_bounds, 1e-6, adjacency="replace-one")

    assert work.within(1e7, ask).upper <= whole * (1 + 1e-9)
