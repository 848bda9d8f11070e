# SPDX-License-Identifier: Apache-2.0
"""Losses on grids under prv_accountant's names: given or composed, they are enclosed, and shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick.compat import prv_accountant as prv
from hockeystick.compat.prv_accountant import composers
from hockeystick.compat.prv_accountant.discrete_privacy_random_variable import (
    DiscretePrivacyRandomVariable,
)
from hockeystick.compat.prv_accountant.domain import Domain

ERRORS = {"eps_error": 0.1, "delta_error": 1e-9}
INFINITE = 2.0**-10
GRID = Domain(-0.75, 1.0, 8)  # multiples of 1/4
RESPONSE = DiscretePrivacyRandomVariable([0, 0.375, 0, 0, 0, 0, 0.625, 0], GRID)
LEAKY = DiscretePrivacyRandomVariable(
    [0, 0, 0.125, 0.5, 0, 0.375, 0, 0], GRID, math.log1p(-INFINITE)
)


def truth(parts, epsilon):
    """By all sums of losses."""
    atoms = {0.0: arb(1)}
    finite = arb(1)
    for prv_, count in parts:
        for _ in range(count):
            finite *= arb(prv_.log_pmc_inf).exp()
            sums = {}
            for loss, mass in atoms.items():
                for other, part in zip(prv_.domain.ts().tolist(), prv_.pmf.tolist(), strict=True):
                    if part:
                        sums[loss + other] = sums.get(loss + other, arb(0)) + mass * arb(part)
            atoms = sums
    curve = sum(
        (
            mass * (1 - (arb(epsilon) - arb(loss)).exp())
            for loss, mass in atoms.items()
            if loss > epsilon
        ),
        arb(0),
    )
    return 1 - finite + finite * curve


@pytest.mark.parametrize("counts", [(1, 0), (0, 1), (3, 2), (0, 5)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.1])
def test_given_masses_are_composed_as_they_are(counts, epsilon):
    with ctx.workprec(200):
        expected = truth([(RESPONSE, counts[0]), (LEAKY, counts[1])], epsilon)
        account = prv.PRVAccountant([RESPONSE, LEAKY], **ERRORS, max_self_compositions=[9, 9])
        lower, _, upper = account.compute_delta(epsilon, counts)
        assert arb(lower) <= expected <= arb(upper)
        assert upper - lower <= 1e-3 * upper
        composed = composers.Heterogeneous([RESPONSE, LEAKY]).compute_composition(counts)
        assert composed.compute_delta_estimate(epsilon) == pytest.approx(float(expected), rel=1e-9)
        delta = float(expected)
        if 0.01 < delta < 1:
            lower, middle, upper = composed.compute_epsilon(delta, 1e-9, 1e-6)
            assert lower - 1e-12 <= epsilon <= upper + 1e-12
            assert lower <= middle <= upper <= lower + 1e-6


def test_what_is_composed_is_shown_in_its_place():
    whole = composers.Heterogeneous([RESPONSE, LEAKY]).compute_composition([1, 1])
    assert whole.domain == GRID
    expected = np.zeros(8)
    for i, p in enumerate(RESPONSE.pmf):
        for j, q in enumerate(LEAKY.pmf):
            expected[(i + j - 3) % 8] += p * q  # 0 is at index 3
    assert whole.pmf == pytest.approx(expected, abs=1e-15)
    assert whole.log_pmc_inf == LEAKY.log_pmc_inf
    twice = composers.Fourier([whole]).compute_composition([2])
    by_hand = composers.Heterogeneous([RESPONSE, LEAKY]).compute_composition([2, 2])
    assert twice.pmf == pytest.approx(by_hand.pmf, abs=1e-15)
    assert twice.compute_delta_estimate(0.3) == by_hand.compute_delta_estimate(0.3)


def test_grids_that_were_moved_stay_moved():
    moved = DiscretePrivacyRandomVariable(RESPONSE.pmf, GRID.shift_right(0.0625))
    twice = composers.Fourier([moved]).compute_composition([2])
    assert twice.domain.shifts() == pytest.approx(0.125)
    assert twice.domain.t_min() == pytest.approx(GRID.t_min() + 0.125)
    mean = moved.pmf @ moved.domain.ts()
    assert twice.pmf @ twice.domain.ts() == pytest.approx(
        2 * mean - 2 * 0.625**2 + 2 * 0.375**2  # both ends come back on the other side
    )


def test_the_composition_of_an_accountant():
    gaussian = prv.GaussianMechanism(8.0)
    account = prv.PRVAccountant(gaussian, **ERRORS, max_self_compositions=64)
    whole = account.compute_composition(64)
    delta = gaussian_delta(arb(1), arb(1))
    assert whole.compute_delta_estimate(1.0) == pytest.approx(float(delta), rel=1e-9)
    lower, middle, upper = whole.compute_epsilon(1e-5, 1e-9, 0.1)
    assert gaussian_delta(arb(1), arb(upper)) <= arb(1e-5) <= gaussian_delta(arb(1), arb(lower))
    assert whole.compute_delta_estimate(middle) == pytest.approx(1e-5, rel=1e-8)
    assert len(whole) == len(whole.domain) == len(whole.pmf)
    assert len(whole) % 2 == 0
    assert math.fsum(whole.pmf) == pytest.approx(1)
    beyond = np.maximum(-np.expm1(1.0 - whole.domain.ts()), 0)
    by_hand = math.exp(whole.log_pmc_inf) * (whole.pmf @ beyond) + whole.pm_inf
    assert by_hand == pytest.approx(float(delta), rel=1e-2)
    again = prv.PRVAccountant(whole, **ERRORS).compute_epsilon(1e-5, 1)
    assert again[0] <= middle <= again[2]
    with pytest.raises(ValueError, match="at most"):
        account.compute_composition(65)


def test_the_composition_of_nothing_and_of_leaks():
    nothing = prv.PRVAccountant(prv.PureDPMechanism(0.1), **ERRORS).compute_composition(0)
    assert nothing.compute_epsilon(1e-5, 1e-9, 0.1) == (0, 0, 0)
    assert math.fsum(nothing.pmf) == 1
    leaky = prv.PRVAccountant(prv.ApproximateDPMechanism(0.1, 1e-3), **ERRORS)
    assert leaky.compute_composition(1).compute_epsilon(1e-4, 1e-9, 0.1) == (math.inf,) * 3
    assert leaky.compute_composition(1).pm_inf == pytest.approx(1e-3, rel=1e-6)


def test_losses_out_of_the_range_of_exponentials():
    """Beyond 700 nats a loss counts as infinite from above, and as 700 from below."""
    wide = DiscretePrivacyRandomVariable([0.5, 0.5 - 1e-300, 0, 1e-300], Domain(0, 1200, 4))
    lower, _, upper = prv.PRVAccountant(wide, **ERRORS).compute_delta(0.0, 1)
    assert lower <= 0.5 <= upper
    assert upper - lower < 1e-3
    far = DiscretePrivacyRandomVariable([1e-300, 1.0], Domain(-701, 1, 2))
    with pytest.raises(ValueError, match="losses must be at least -700"):
        prv.PRVAccountant(far, **ERRORS)


def test_a_domain():
    grid = Domain.create_aligned(-0.6, 0.5, 0.5)
    assert (len(grid), grid.t_min(), grid.t_max(), grid.dt()) == (4, -1.0, 0.5, 0.5)
    assert len(Domain.create_aligned(-0.1, 0.5, 0.5)) == 4
    assert list(grid) == grid.ts().tolist() == [-1.0, -0.5, 0.0, 0.5]
    assert grid[1] == grid.t(1) == -0.5
    with pytest.raises(IndexError):
        grid[4]
    moved = grid.shift_right(0.25)
    assert moved != grid
    assert moved.shifts() == 0.25
    assert moved.shift_left(0.25) == grid
    assert {grid: 1}[Domain(-1.0, 0.5, 4)] == 1
    assert repr(grid) == "Domain(t_min=-1.0, t_max=0.5, size=4, dt=0.5)"


def test_cdf_of_a_grid():
    assert list(RESPONSE.cdf([-1.0, -0.5, 0.7, 0.75, 9.0])) == [0, 0.375, 0.375, 1, 1]
    assert LEAKY.pm_inf == pytest.approx(INFINITE, rel=1e-12)


def test_both_ends_hold_what_is_given():
    """The pairs are those of the masses, so that the two ends differ by nothing but rounding."""
    fine = prv.PRVAccountant(LEAKY, eps_error=1e-9, delta_error=1e-9, max_self_compositions=50)
    lower, _, upper = fine.compute_epsilon(0.1, 50)
    assert 0 < upper - lower <= 1e-9
    assert lower > hs.Composition().epsilon(0.1)
