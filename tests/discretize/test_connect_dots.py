# SPDX-License-Identifier: Apache-2.0
"""Connect the dots: one step's curve is nowhere below the exact one, in either direction."""

import math

import pytest
from flint import arb, ctx

import exact
from discretize import curves
from exact.curve import PRECISION
from hockeystick import _core
from mechanisms.cells import core_pair

ALL = [
    *curves.cases(),
    *curves.wide_cases(),
    *curves.bounded_cases(),
    *curves.narrow_cases(),
    *curves.rare_cases(),
]


@pytest.mark.every(4)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_never_below_the_exact_curve(case):
    curves.assert_above(case, "upper")


@pytest.mark.every(4)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_masses(case):
    """All of P and Q is somewhere, and barely anything more."""
    pmf = case.pmf("upper")
    curve = case.curve("upper")
    assert list(pmf.index) == list(case.index)
    assert min(pmf.mass) >= 0
    with ctx.workprec(PRECISION):
        assert curve.p_mass() >= 1 - arb(1e-290)
        assert curve.p_mass() <= 1 + arb(1e-12)
        below = core_pair(case.step, case.direction).integrate(case.losses()).lower_tail_p
        q_mass = curve.q_mass() + arb(pmf.reverse_infinity_mass)
        assert q_mass >= 1 - 4 * arb(pmf.loss_error) - arb(1e-290)
        # Rounding up all P-mass below the first loss costs its Q-mass there, no more.
        moved = arb(below) * (-arb(case.losses()[0])).exp()
        ordinary = case.losses()[0] > -25 and case.step.q != 1 - 2**-53
        assert not ordinary or q_mass <= 1 + moved + arb(1e-8)


def test_grid_losses_that_are_no_doubles():
    """Cells lie between doubles, and what is stored between multiples of the interval."""
    with ctx.workprec(PRECISION):
        for k in range(1, 100):
            loss = 0.1 * k
            pair = _core.dominating_pair("approximate_dp", [loss, 0.0])
            pmf = _core.parts.step_pmf(
                pair, interval=0.1, offset=0.0, index=[-k, k], estimator="upper"
            )
            assert arb(pmf.loss_error) >= abs(arb(loss) - arb(0.1) * k)
            assert pmf.loss_error <= 1e-15 * loss


@pytest.mark.parametrize("interval", [500.1, 1e308, math.inf, math.nan])
@pytest.mark.parametrize("estimator", ["upper", "lower"])
def test_intervals_whose_exponential_could_overflow_are_refused(interval, estimator):
    pair = _core.dominating_pair("gaussian", [1.0])
    with pytest.raises(ValueError, match="^discretization_interval must be at most 500"):
        _core.parts.step_pmf(
            pair, interval=interval, offset=0.0, index=[-1, 0, 1], estimator=estimator
        )


@pytest.mark.parametrize("case", curves.beyond_cases(), ids=str)
def test_supports_below_or_above_every_loss(case):
    curves.assert_above(case, "upper")


def test_relative_accuracy_in_the_tail():
    """Dots at 1e-100 have as many digits as others."""
    case = curves.uniform(exact.Step(1.0, 0.01), "remove", 60, 25.0)
    curve = case.curve("upper")
    for epsilon in case.losses()[20:-3]:
        truth = curves.exact_delta(case.step, case.direction, epsilon)
        beyond = arb(case.pmf("upper").infinity_mass)
        assert abs(curve(arb(epsilon)) / truth - 1) < arb(1e-10) + 2 * beyond / truth
    assert truth < 1e-100


@pytest.mark.parametrize("error", [0, 1])
def test_the_rest_above_the_support_is_raised_by_its_errors(error):
    """By those of masses and of shares, as parts of all mass above."""
    nothing, u = (0.0, 0.0, 0.0), 2.0**-53
    errors = [0.0] * 5
    errors[error] = 1e-3
    step = _core.parts.connect_dots(
        support=(0.25, 0.0, [0, 1]),
        cuts=[0.1],
        cells=[nothing, nothing],
        tails=(0.0, 0.0, 0.3, 0.1),
        errors=tuple(errors),
        estimator="upper",
    )
    raised = (0.3 - 0.1 + 1e-3 * 0.3) * (1 + errors[0] + 16 * u)
    assert step.mass[1] == pytest.approx(raised, rel=1e-12)
