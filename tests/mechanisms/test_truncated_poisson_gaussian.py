# SPDX-License-Identifier: Apache-2.0
"""Cells of truncated Poisson sampling against sums of normal tails in ball arithmetic."""

import numpy as np
import pytest
from flint import arb, ctx

import exact
import hockeystick as hs
from exact.pair import Pair, cells_of
from hockeystick import _core
from mechanisms import cells
from mechanisms.test_truncation import CASES, truncation
from questions import told
from rare_runs import batches

DIRECTIONS = ["remove", "add", "replace", "special_remove", "special_add"]


def core_pair(case, sigma, direction):
    whole, cut, joins = truncation(*case)
    name = f"truncated_poisson_gaussian_{direction}"
    return _core.dominating_pair(name, [sigma, case[1], joins, whole, cut])


@pytest.mark.every(4)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("sigma", [0.4, 2.0])
@pytest.mark.parametrize("case", CASES)
def test_stated_errors_hold(case, sigma, direction):
    pair = core_pair(case, sigma, direction)
    plain = direction.removeprefix("special_")
    step = exact.Step(sigma, case[1])
    low, high = (cells.loss_at(step, plain, x) for x in (-6.0, 6.0))
    edges = [low - 0.3, *np.linspace(low, high, 6), high + 0.3]
    size, rate, batch = case
    truth = cells_of(batches(sigma, rate, batch, size), direction)
    got = cells.check(pair, truth, edges)
    assert max(got.mass_error, got.share_error) < 1e-12


@pytest.mark.parametrize("rounded", [-1, 1])
@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
def test_errors_hold_of_a_rate_that_is_off_by_its_rounding(direction, rounded):
    """Next to 1 it moves the loss by a million times as much."""
    rate = 1 - 2.0**-20
    name = f"truncated_poisson_gaussian_{direction}"
    pair = _core.dominating_pair(name, [2.0, 0.3, rate, 0.0, 1.0])
    with ctx.workprec(400):
        true_rate = arb(rate) * (1 + rounded * _core.numeric.unit_roundoff)
        truth = Pair(exact.Step(1.0, true_rate), direction)
    step = exact.Step(1.0, rate)
    edges = [cells.loss_at(step, direction, x) for x in np.linspace(-15, 15, 21)]
    got = pair.integrate(edges)
    cells.check_cells(truth, edges, got, (pair.loss_infimum, pair.loss_supremum))


def test_a_cut_too_rare_for_binary64_counts_as_infinite_loss():
    parameters = [1.0, 0.01, 0.005, 1.0, 1e-305]
    pair = _core.dominating_pair("truncated_poisson_gaussian_remove", parameters)
    got = pair.integrate([-0.1, 0.0, 0.1])
    assert 1e-305 <= got.infinity_mass <= 1e-299
    assert got.infinity_mass_lower == 0
    plain = _core.dominating_pair("poisson_gaussian_remove", [1.0, 0.01]).integrate(
        [-0.1, 0.0, 0.1]
    )
    np.testing.assert_array_equal(got.p, plain.p)


def test_range_of_the_loss():
    pairs = {d: core_pair(CASES[0], 1.0, d) for d in DIRECTIONS}
    assert pairs["remove"].loss_infimum == pytest.approx(np.log1p(-0.3))
    assert pairs["add"].loss_supremum == pytest.approx(-np.log1p(-0.3))
    assert pairs["replace"].loss_supremum == np.inf


@pytest.mark.parametrize(
    ("noise", "rate", "batch", "size"),
    [(2.244, 0.0131, 441, 3076417), (1.5, 0.0075, 6355, 2370416), (0.859, 7.5e-4, 5219, 234856)],
)
def test_no_divergence_exceeds_that_of_all_data_where_a_cut_is_too_rare_to_be_listed(
    noise, rate, batch, size
):
    """A cut moves sums by 2: whatever its probability, it is the limit of large orders."""
    step = batches(noise, rate, batch, size)
    whole = hs.Gaussian(noise / 2)
    # Where a cut is not listed, only its limit is known.
    rho = told((2 * step).zcdp_bounds, adjacency="remove-one")
    most = (2 * whole).zcdp_bounds()
    assert rho.upper <= most.upper * (1 + 1e-12)
    assert rho.upper >= most.lower * (1 - 1e-12)
    for order in (2.0, 12.0, 300.0):
        found = told((2 * step).renyi_divergence_bounds, order, adjacency="remove-one")
        limit = (2 * whole).renyi_divergence_bounds(order)
        assert found.lower <= found.upper <= limit.upper * (1 + 1e-12)
