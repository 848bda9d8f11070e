# SPDX-License-Identifier: Apache-2.0
"""Cells of the Gaussian pair against differences of normal tails in ball arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact
from hockeystick import _core
from mechanisms import cells

SIGMAS = [0.05, 0.3, 1.0, 7.0, 50.0, 1000.0]
DIRECTION = "remove"  # of the oracle; the pair is its own reverse


@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_hold(sigma):
    step = exact.Step(sigma)
    cells.check(step, DIRECTION, cells.edges_for(step, DIRECTION))


powers = st.floats(-1.3, 3.0).map(lambda exponent: 10.0**exponent)


@given(powers, st.floats(-36.0, 36.0), st.sampled_from(cells.WIDTHS), st.integers(1, 4))
def test_stated_errors_hold_anywhere(sigma, x, width, count):
    low = cells.loss_at(exact.Step(sigma), DIRECTION, x)
    cells.check(exact.Step(sigma), DIRECTION, [low + width * k for k in range(count + 1)])


@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_are_small(sigma):
    mass, loss = cells.tightness(exact.Step(sigma), DIRECTION)
    assert mass < 1e-12
    assert loss < 1e-14


@pytest.mark.parametrize("sigma", [0.3, 1.0, 7.0])
def test_is_its_own_reverse(sigma):
    pair = _core.dominating_pair("gaussian", [sigma])
    cells.check_reflection(pair, pair)


def test_range_of_the_loss():
    pair = _core.dominating_pair("gaussian", [2.0])
    assert (pair.loss_infimum, pair.loss_supremum) == (-math.inf, math.inf)


def test_one_edge_has_two_tails():
    cells.check(exact.Step(1.0), DIRECTION, [0.3])


def test_mass_rises_with_the_cell():
    pair = _core.dominating_pair("gaussian", [1.5])
    masses = [pair.integrate([0.1, 0.1 + width]).p[0] for width in (1e-6, 1e-3, 0.1, 1.0, 9.0)]
    assert masses == sorted(masses)
