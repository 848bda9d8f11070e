# SPDX-License-Identifier: Apache-2.0
"""Cells of the Gaussian pair against differences of normal tails in ball arithmetic."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

import exact
from exact.balls import normal_tail
from hockeystick import _core
from mechanisms import cells

SIGMAS = [0.05, 0.3, 1.0, 7.0, 50.0, 1000.0]
DIRECTION = "remove"  # of the oracle; the pair is its own reverse


@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_hold(sigma):
    step = exact.Step(sigma)
    cells.check_step(step, DIRECTION, cells.edges_for(step, DIRECTION))


powers = st.floats(-1.3, 3.0).map(lambda exponent: 10.0**exponent)


@given(powers, st.floats(-36.0, 36.0), st.sampled_from(cells.WIDTHS), st.integers(1, 4))
def test_stated_errors_hold_anywhere(sigma, x, width, count):
    low = cells.loss_at(exact.Step(sigma), DIRECTION, x)
    cells.check_step(exact.Step(sigma), DIRECTION, [low + width * k for k in range(count + 1)])


@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_are_small(sigma):
    mass, loss = cells.tightness(exact.Step(sigma), DIRECTION)
    assert mass < 1e-12
    assert loss < 1e-14


@pytest.mark.parametrize("mean", [520.0, 600.0, 2000.0])
def test_the_tail_of_means_far_apart_is_within_its_error(mean):
    """At the edge as rounded, of which the cells are exact."""
    pair = _core.dominating_pair("gaussian", [1 / mean])
    for t in np.linspace(-5.0, 36.0, 42):
        loss = mean * (t + mean / 2)
        mu = 1 / (1 / mean)
        x = loss / mu + mu / 2
        cells = pair.integrate([loss])
        with ctx.workprec(400):
            at, start = arb(x), arb(x) - arb(mu)
            density = (-start * start / 2).exp() / (2 * arb.pi()).sqrt()
            mills = normal_tail(at) * (at * at / 2).exp() * (2 * arb.pi()).sqrt()
            truth = normal_tail(start) - density * mills
            assert abs(arb(cells.upper_tail_above) / truth - 1) <= cells.share_error
