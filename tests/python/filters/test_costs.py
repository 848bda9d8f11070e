# SPDX-License-Identifier: Apache-2.0
"""What steps are charged by each filter, and which are refused."""

import math
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick.filters import costs

STEP = hs.Gaussian(2.0)
REPLACED = {"adjacency": "replace-one"}


def test_gaussians_are_charged_exactly_in_every_adjacency():
    assert hs.GaussianFilter(mu=1).runs_left(STEP) == 4
    assert hs.GaussianFilter(mu=1, adjacency="replace-special").runs_left(STEP) == 4
    assert hs.GaussianFilter(mu=1, **REPLACED).runs_left(STEP) == 1
    assert hs.ZCDPFilter(rho=1, **REPLACED).runs_left(hs.DiscreteGaussian(sigma=2)) == 2
    assert hs.RenyiFilter(order=2, budget=1, **REPLACED).runs_left(STEP) == 1


def test_sampling_does_not_help_with_mu_of_all_rates():
    """Nor is it counted for less than nothing: what is sampled is charged as what is not."""
    for sampled in (STEP.poisson_sampled(0.01), STEP.random_allocation(steps=10)):
        assert hs.GaussianFilter(mu=1).runs_left(sampled) == 4
    kept = STEP.random_allocation(steps=10, epochs=4)
    assert hs.GaussianFilter(mu=1).runs_left(kept) == 1
    rates = [1e-3, 1e-8, 1e-20]  # mu grows as they fall, in the end to 1 / noise
    known = [STEP.poisson_sampled(0.01).gdp_mu(smallest_rate=rate) for rate in rates]
    assert known == sorted(known)
    assert known[-1] > 3 * known[0]


@pytest.mark.parametrize(
    ("step", "adjacency", "square"),
    [
        (hs.joint(*[hs.Gaussian(4.0)] * 4), "add-or-remove-one", Fraction(1, 4)),
        (hs.joint(hs.Gaussian(2.0), hs.Gaussian(4.0)), "replace-one", Fraction(5, 4)),
        (hs.Gaussian(8.0).group(2), "add-or-remove-one", Fraction(1, 16)),
        (hs.Gaussian(8.0).group(2), "replace-one", Fraction(1, 4)),
        (hs.Gaussian(8.0).poisson_sampled(0.01).group(2), "replace-one", Fraction(1, 4)),
        (hs.Gaussian(8.0).sampled_group([0.1, 0.0, 0.3]), "add-or-remove-one", Fraction(1, 16)),
        (STEP.random_allocation(steps=9, selected=3), "add-or-remove-one", Fraction(3, 4)),
        (STEP.random_allocation(steps=9, selected=3, epochs=2), "remove-one", Fraction(3, 2)),
        (STEP.shuffled(batches=5, epochs=3), "replace-special", Fraction(3, 4)),
        (STEP.fixed_size_sampled(batch_size=5, dataset_size=50), "replace-one", Fraction(1)),
        (
            hs.MatrixMechanism.tree(leaves=8, noise_multiplier=20.0),
            "replace-special",
            Fraction(1, 100),
        ),
    ],
    ids=str,
)
def test_what_gaussians_tell_is_charged_without_rounding(step, adjacency, square):
    """mu^2, and rho half of it: exactly as many fit as fractions say."""
    under = hs.Adjacency(adjacency).symmetric
    for count in (1, 3):
        mu = hs.GaussianFilter(mu=math.sqrt(count * square), adjacency=under)
        rho = hs.ZCDPFilter(rho=count * square / 2, adjacency=under)
        assert rho.runs_left(step) == count
        assert mu.runs_left(step) in (count, count - 1)  # the root is rounded
    assert square / 2 >= Fraction(step.zcdp_bounds(adjacency=under).lower) * (
        1 - Fraction(1, 10**9)
    )


def test_groups_of_guarantees_are_charged_exactly():
    """The square of the size times rho, and the size times epsilon."""
    concentrated, pure = hs.ZCDP(0.01).group(2), hs.ApproximateDP(0.125, 0).group(2)
    assert hs.ZCDPFilter(rho=1).runs_left(hs.ZCDP(1 / 64).group(4)) == 4
    assert hs.ZCDPFilter(rho=0.04 * 25).runs_left(concentrated) == 24  # 0.01 is above 1 / 100
    assert hs.ZCDPFilter(rho=1).runs_left(pure) == 32
    assert hs.PureFilter(epsilon=1).runs_left(pure) == 4
    assert hs.PureFilter(epsilon=1).runs_left(hs.Laplace(8.0).group(2)) == 4
    assert hs.RenyiFilter(order=4, budget=2).runs_left(hs.ZCDP(1 / 64).group(4)) == 2


def test_correlated_noise_is_charged_sampled_or_not():
    step = hs.joint(covariance=[[9.0, 6.0], [6.0, 16.0]])  # mu^2 = 37 / 108
    for one in (step, step.poisson_sampled(0.1)):
        assert hs.GaussianFilter(mu=1.014).runs_left(one) == 3
        assert hs.GaussianFilter(mu=1.013).runs_left(one) == 2


def test_a_menu_is_charged_for_its_dearest_option():
    menu = hs.any_of(hs.Laplace(20.0), hs.Gaussian(10.0))
    for budget in (hs.GaussianFilter(mu=1), hs.ZCDPFilter(rho="0.5")):
        assert budget.runs_left(menu) == 100
    assert hs.RenyiFilter(order=8, budget=1).runs_left(menu) == 25
    pure = hs.any_of(hs.Laplace(20.0), hs.ApproximateDP(0.125, 1e-9))
    assert (
        hs.PureFilter(epsilon=1, delta=1e-6, failures="1e-8").run(pure, 2).spent == 2 * 0.125**2 / 2
    )
    with pytest.raises(ValueError, match="^step must be epsilon-DP"):
        hs.PureFilter(epsilon=1, delta=1e-6).may_run(menu)


def test_a_known_divergence_is_charged_up_to_its_order():
    step = hs.RenyiDP(order=8, divergence=0.125)
    assert hs.RenyiFilter(order=8, budget=1).runs_left(step) == 8
    assert hs.RenyiFilter(order=4, budget=1).runs_left(step) == 8
    with pytest.raises(ValueError, match="^step must have a finite Renyi divergence of order 9"):
        hs.RenyiFilter(order=9, budget=1).may_run(step)


def test_pure_steps_lie_below_their_gaussian():
    for epsilon in (0.01, 0.5, 3.0):
        budget = hs.GaussianFilter(mu=10).run(hs.ApproximateDP(epsilon, 0))
        curve = hs.Gaussian(1 / budget.spent)
        for at in (0.0, epsilon / 2, epsilon):
            assert curve.delta(at) >= hs.ApproximateDP(epsilon, 0).delta_bounds(at).lower * 0.999999
        assert budget.spent <= 1.2534 * epsilon


def test_failures_have_a_budget_of_their_own():
    step = hs.ApproximateDP(0.1, 1e-7)
    budget = hs.ZCDPFilter(rho=1, delta="3e-7")
    assert budget.runs_left(step) == 3  # the double 1e-7 is below it
    assert budget.guarantee.epsilon(1e-6) == (hs.ZCDP(1) + hs.ApproximateDP(0, 3e-7)).epsilon(1e-6)
    with pytest.raises(hs.BudgetExceeded, match="delta = "):
        hs.ZCDPFilter(rho=1).run(step)
    pure = hs.PureFilter(epsilon=2, delta=1e-6, failures=Fraction(1, 10**6) / 2)
    assert pure.runs_left(step) == 5
    assert pure.guarantee.epsilon(1e-6) <= 2 * (1 + 1e-3)  # composed on a grid


def test_renyi_filters_take_sampled_steps():
    step = hs.Gaussian(1.0).poisson_sampled(0.01)
    budget = hs.RenyiFilter(order=8, budget=1)
    count = budget.runs_left(step)
    assert count == math.floor(1 / step.renyi_divergence(8.0))
    assert budget.run(step, count).guarantee == hs.RenyiDP(order=8.0, divergence=1.0)
    assert budget.epsilon(1e-6) >= (count * step).epsilon(1e-6)
    with pytest.raises(ValueError, match="^step must have a finite Renyi divergence"):
        budget.may_run(hs.ApproximateDP(0.1, 1e-9))


@pytest.mark.parametrize(
    ("epsilon", "delta", "scale", "least", "closed"),
    [(1, 1e-6, 100, 486, 349), (2, 1e-6, 20, 70, 54), (4, 1e-8, 10, 46, 39)],
)
def test_pure_filters_allow_more_than_the_closed_form(epsilon, delta, scale, least, closed):
    """sqrt(2 log(1 / delta) V) + V / 2 <= epsilon, V the sum of squares."""
    count = hs.PureFilter(epsilon=epsilon, delta=delta).runs_left(hs.Laplace(scale))

    def by_formula(n):
        total = n / scale**2
        return math.sqrt(2 * math.log(1 / delta) * total) + total / 2

    assert by_formula(closed) <= epsilon < by_formula(closed + 1)
    assert count >= least > closed
    assert (count * hs.ZCDP(0.5 / scale**2)).epsilon(delta) <= epsilon
    assert hs.PureFilter(epsilon=epsilon).runs_left(hs.Laplace(scale)) == epsilon * scale


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 3.0, 700.0])
@pytest.mark.parametrize("delta", [0, 1e-12, 1e-3, 0.7])
def test_the_guarantee_of_a_pure_filter_keeps_both(epsilon, delta):
    guarantee = hs.PureFilter(epsilon=epsilon, delta=delta).guarantee
    assert guarantee.epsilon(delta) <= epsilon * (1 + 1e-15)
    assert guarantee.delta(epsilon) <= delta + 1e-13 * (1 + epsilon)


g, lap = hs.Gaussian(10.0), hs.Laplace(100.0)
# As the table in docs/filters.md: the accountant, and filters of mu, rho, one order and epsilon.
ADMITTED = {
    g: "AGZR",
    g.poisson_sampled(0.01): "AGZR",
    g.random_allocation(10): "AGZR",
    g.group(2): "AGZR",
    hs.joint(g, hs.Gaussian(20.0)): "AGZR",
    hs.MatrixMechanism.tree(leaves=8, noise_multiplier=10.0): "AGZR",
    hs.DiscreteGaussian(10.0): "AZR",
    hs.best_of(g, runs="geometric", mean=10): "AZR",
    hs.ZCDP(0.001): "AZR",
    hs.RenyiDP(order=8, divergence=0.001): "AR",
    lap: "AGZRP",
    lap.poisson_sampled(0.01): "AGZRP",
    hs.joint(g, lap): "AGZR",
    hs.any_of(g, lap): "AGZR",
    hs.ApproximateDP(0.01, 1e-9): "AZP",
}
ADMITTED_REPLACED = {
    g.shuffled(batches=10, left_out=1): "AGZR",
    g.fixed_size_sampled(batch_size=10, dataset_size=1000): "AGZR",
    g.random_allocation(10): "GZR",
    lap.poisson_sampled(0.01): "GZRP",
    hs.RandomizedResponse(0.9): "AGZRP",
    hs.ShuffledLocal(epsilon0=0.5, users=1000): "AGZRP",
}


def admits(ledger, step):
    try:
        if isinstance(ledger, hs.Accountant):
            return not ledger.would_exceed(step, epsilon=50.0, delta=1e-6)
        return ledger.may_run(step)
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("step", "who", "how"),
    [
        *((step, who, {}) for step, who in ADMITTED.items()),
        *((step, who, REPLACED) for step, who in ADMITTED_REPLACED.items()),
    ],
)
def test_who_admits_what(step, who, how):
    ledgers = {
        "A": hs.Accountant(**how),
        "G": hs.GaussianFilter(mu=100, **how),
        "Z": hs.ZCDPFilter(rho=100, delta=1e-3, **how),
        "R": hs.RenyiFilter(order=8, budget=100, **how),
        "P": hs.PureFilter(epsilon=100, delta=1e-3, failures=1e-4, **how),
    }
    assert "".join(name for name, ledger in ledgers.items() if admits(ledger, step)) == who


def test_costs_of_what_is_known_by_its_curve_or_by_its_step_on_all_records():
    local, replaced = hs.ShuffledLocal(epsilon0=0.5, users=1000), hs.Adjacency.REPLACE_ONE
    assert costs.rho(local, replaced) == (Fraction(local.zcdp(adjacency=replaced)), 0)
    for order in (2, 64):
        known = costs.renyi(local, Fraction(order), replaced)
        assert known == local.renyi_divergence(order, adjacency=replaced)
    sample = lap.poisson_sampled(0.01)
    for cost, *asked in ((costs.pure_loss,), (costs.rho,), (costs.renyi, Fraction(3))):
        assert cost(sample, *asked, replaced) == cost(lap, *asked, replaced)
    with pytest.raises(ValueError, match="adjacency must be one that"):
        costs.rho(hs.RandomizedResponse(0.9), hs.Adjacency.ADD_OR_REMOVE_ONE)
