# SPDX-License-Identifier: Apache-2.0
"""Budgets of zero-concentrated and of pure DP, spent to the last bit and no further."""

from decimal import Decimal
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick.accountant.exact_costs import rational_loss, rational_rho


def rho(budget):
    return {"rho": budget}


def pure(budget):
    return {"epsilon": budget, "delta": 0}


GAUSSIAN = hs.Gaussian(noise_multiplier=2.0)
DISCRETE_GAUSSIAN = hs.DiscreteGaussian(sigma=4.0, sensitivity=2)
LAPLACE = hs.Laplace(noise_multiplier=10.0)


@pytest.mark.parametrize(
    ("mechanism", "budget", "adjacency", "fit"),
    [
        (hs.ZCDP(0.1 / 3), rho(0.1), "add-or-remove-one", 3),
        (hs.ZCDP(0.25), rho(1), "replace-one", 4),
        (hs.ZCDP(0.1), rho("1.0"), "add-or-remove-one", 9),  # ten times 0.1, a double, is above 1
        (hs.ZCDP(0.1), rho(Fraction(0.1) * 10), "add-or-remove-one", 9),  # rounded down to 1
        (GAUSSIAN, rho(1), "add-or-remove-one", 8),
        (GAUSSIAN, rho(Decimal(1)), "replace-one", 2),
        (GAUSSIAN, rho(1), "replace-special", 8),
        (DISCRETE_GAUSSIAN, rho(1), "remove-one", 8),
        (DISCRETE_GAUSSIAN, rho(1), "replace-one", 2),
        (LAPLACE, rho(0.0484), "add-or-remove-one", 10),
        (hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.01), rho(2), "add-or-remove-one", 3),
        (hs.ApproximateDP(epsilon=0.1, delta=1e-9), rho(100), "add-or-remove-one", 0),
        (LAPLACE, pure(1), "add-or-remove-one", 10),
        (LAPLACE, pure("1.0"), "replace-one", 5),
        (hs.Laplace(noise_multiplier=0.1), pure(30), "replace-special", 3),  # 0.1 is above 1/10
        (hs.ApproximateDP(epsilon=0.1 / 3, delta=0.0), pure(0.1), "replace-one", 3),
        (hs.ExponentialMechanism(epsilon=0.1), pure(1), "add-or-remove-one", 9),
        (hs.DiscreteLaplace(parameter=0.125), pure(1), "remove-one", 8),
        (hs.DiscreteLaplace(parameter=0.125), pure(1), "replace-one", 4),
        (GAUSSIAN, pure(100), "add-or-remove-one", 0),
        (hs.ApproximateDP(0.1, 1e-7), {"epsilon": 1.0, "delta": 1e-6}, "remove-one", 10),
        (hs.ApproximateDP(0.1, 1e-7), {"epsilon": 0.3, "delta": 1e-6}, "replace-one", 3),
    ],
    ids=repr,
)
def test_a_budget_is_spent_to_the_last_query(mechanism, budget, adjacency, fit):
    acct = hs.Accountant(adjacency=adjacency)
    assert acct.remaining(mechanism, **budget) == fit
    assert [acct.admit(mechanism, **budget) for _ in range(fit + 2)].count(True) == fit
    assert acct.remaining(mechanism, **budget) == 0
    assert acct.would_exceed(mechanism, **budget)
    assert not acct.would_exceed(hs.Composition(), **budget)
    exact = rational_rho if "rho" in budget else rational_loss
    is_exact = exact(1 * mechanism, hs.Adjacency(adjacency)) is not None
    if (is_exact or budget.get("delta")) and all(
        isinstance(part, int | float) for part in budget.values()
    ):
        often = hs.calibrate(lambda n: n * mechanism, adjacency=adjacency, **budget)
        assert often == fit  # the same question in other words
    if "rho" in budget and fit:
        assert acct.zcdp_bounds().lower <= float(budget["rho"])
        assert acct.report(**budget).rows[-1].remaining >= 0


def test_the_fraction_lies_within_the_certified_bounds():
    run = 3 * hs.ZCDP(0.1) + 5 * hs.Gaussian(1.3) + 7 * hs.DiscreteGaussian(sigma=3.1)
    for adjacency in hs.Adjacency:
        exact = rational_rho(run, adjacency)
        lower, upper = run.zcdp_bounds(adjacency=adjacency)
        assert Fraction(lower) <= exact <= Fraction(upper)
    assert rational_rho(run + hs.Laplace(1.0), hs.Adjacency.REMOVE_ONE) is None
    assert rational_rho(hs.DiscreteGaussian(2.0, truncation=9) + run, hs.Adjacency.ADD_ONE) is None


@pytest.mark.parametrize("adjacency", list(hs.Adjacency), ids=str)
def test_the_largest_loss_lies_within_the_certified_bounds(adjacency):
    kinds = [
        hs.Laplace(noise_multiplier=1.3),
        hs.ApproximateDP(epsilon=0.3, delta=0.0),
        hs.ExponentialMechanism(epsilon=0.7),
        hs.DiscreteLaplace(parameter=0.1),
    ]
    for run in (*(3 * kind for kind in kinds), sum(kinds, hs.Composition())):
        lower, upper = run.epsilon_bounds(0, adjacency=adjacency)
        assert Fraction(lower) <= rational_loss(run, hs.Adjacency(adjacency)) <= Fraction(upper)
    assert rational_loss(run + hs.ApproximateDP(0.1, 1e-9), hs.Adjacency.ADD_ONE) is None
