# SPDX-License-Identifier: Apache-2.0
"""Cells of the Laplace pairs against distribution functions in ball arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hockeystick as hs
from exact.pair import cells_of
from hockeystick import _core
from mechanisms import cells

SCALES = [1e-3, 0.05, 0.5, 1.0, 7.0, 1e4, 1e12]
RATES = [1e-9, 1e-4, 0.01, 0.3, 0.99, 1 - 2**-53]
DIRECTIONS = ["remove", "add"]


def core_pair(scale, q=1.0, direction="remove"):
    if q == 1:
        return _core.dominating_pair("laplace", [scale])
    return _core.dominating_pair(f"poisson_laplace_{direction}", [scale, q])


def truth(scale, q=1.0, direction="remove"):
    plain = hs.Laplace(scale)
    return cells_of(plain if q == 1 else plain.poisson_sampled(q), direction)


def edges_for(pair):
    """From end to end in cells of many widths; on, next to, and beyond the ends."""
    low, high = pair.loss_infimum, pair.loss_supremum
    width = high - low
    near = [1e-9, 1e-6, 1e-3, 0.03, 0.2, 0.5]
    edges = [low - 2 * width, low - 1e-3 * width, low, high, high + 1e-9 * width, high + 2 * width]
    edges += [low + t * width for t in near] + [high - t * width for t in near]
    return sorted(e for e in set(edges) if abs(e) < 650)


@pytest.mark.parametrize("scale", SCALES)
def test_stated_errors_hold(scale):
    cells.check(core_pair(scale), truth(scale), edges_for(core_pair(scale)))


@pytest.mark.every(4)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("scale", SCALES)
def test_stated_errors_hold_sampled(scale, rate, direction):
    pair = core_pair(scale, rate, direction)
    cells.check(pair, truth(scale, rate, direction), edges_for(pair))


scales = st.floats(-2.5, 12.0).map(lambda exponent: 10.0**exponent)
rates = st.one_of(
    st.just(1.0), st.floats(-9.0, -0.3).map(lambda e: 10.0**e), st.floats(0.5, 1 - 2**-53)
)


@given(scales, rates, st.sampled_from(DIRECTIONS), st.floats(-0.2, 1.2), st.floats(-9.0, 0.5))
def test_stated_errors_hold_anywhere(scale, rate, direction, start, log_width):
    direction = "remove" if rate == 1 else direction
    pair = core_pair(scale, rate, direction)
    reach = pair.loss_supremum - pair.loss_infimum
    low, width = pair.loss_infimum + start * reach, 10.0**log_width * min(reach, 50.0)
    edges = [low, low + width, low + 2 * width, low + 4 * width]
    assume(abs(edges[0]) < 650)
    assume(edges[-1] < 650)
    cells.check(pair, truth(scale, rate, direction), edges)


@pytest.mark.parametrize("rate", [1.0, *RATES[:-1]])  # next to 1, e^L is 1e-16 where the loss ends
@pytest.mark.parametrize("scale", SCALES)
def test_stated_errors_are_small(scale, rate):
    for direction in DIRECTIONS:
        pair = core_pair(scale, rate, direction)
        reach = pair.loss_supremum - pair.loss_infimum
        got = pair.integrate(np.linspace(pair.loss_infimum, pair.loss_supremum, 50))
        assert max(got.mass_error, got.share_error) < 64 * 2**-53 * (1 + 4 / scale)
        assert got.loss_error < 2e-14 * reach * (1 - math.log(rate) / 2)


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_an_atom_on_an_edge_belongs_above_it(scale):
    pair = core_pair(scale)
    got = pair.integrate([-2 / scale, -1 / scale, 0.0, 1 / scale, 2 / scale])
    assert got.p[0] == 0
    assert got.p[1] > math.exp(-1 / scale) / 2
    assert got.p[2] < 0.5
    assert got.p[3] == 0.5
    assert got.above[3] == 0


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", [1.0, *RATES])
def test_range_of_the_loss(rate, direction):
    pair = core_pair(2.0, rate, direction)
    ends = [math.log1p(rate * math.expm1(x)) for x in (-0.5, 0.5)]
    if direction == "add":
        ends = [-x for x in reversed(ends)]
    assert (pair.loss_infimum, pair.loss_supremum) == pytest.approx(ends, rel=1e-14)
    assert pair.loss_infimum <= ends[0] * (1 - 1e-15)
    assert pair.loss_supremum >= ends[1] * (1 + 1e-15) * (1 - 3e-15)


def test_losses_that_underflow_count_as_infinite_for_the_reverse():
    """P(L = -1000) = e^-1000 / 2 is 0 in binary64, but Q(L = -1000) is 1/2."""
    got = core_pair(1e-3).integrate([-1001.0, -999.0, 999.0, 1001.0])
    assert got.p[0] == 0
    assert 0.5 <= got.lower_tail_q < 0.9


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.3, 0.99])
@pytest.mark.parametrize("scale", [0.05, 0.7, 1.0, 300.0])
def test_atoms_stay_on_the_edges_that_were_put_there(scale, rate, direction):
    """Whatever rounding does: an atom a rounding off its grid point would cost an interval."""
    pair = core_pair(scale, rate, direction)
    sign = 1 if direction == "remove" else -1
    ends = sorted(sign * math.log1p(rate * math.expm1(x)) for x in (-1 / scale, 1 / scale))
    width = ends[1] - ends[0]
    for slip in (-3, 0, 3):  # in units in the last place
        edges = [end * (1 + slip * 2**-53) for end in ends]
        edges = [edges[0] - width, edges[0], 0.0, edges[1], edges[1] + width]
        got = pair.integrate(edges)
        assert (got.lower_tail_p, got.upper_tail_p) == (0, 0)
        assert got.p[0] <= 1e-6 * got.p[1]  # density that lies within a rounding of the atom
        assert got.p[3] >= 0.4 * (rate if direction == "remove" else 1.0)
        assert got.above[3] <= 1e-12 * width * got.p[3]


def test_underflow_is_allowed_for_where_it_may_happen():
    """Elsewhere the allowance would make the sign of an exact zero uncertain."""
    assert core_pair(1.0).integrate([-1.0, 0.0, 1.0]).share_error_p == 0
    assert core_pair(1.0).integrate([0.0, 1e-170, 1.0]).share_error_p > 0  # a square of 1e-341
    for pair in (core_pair(1 / 300), core_pair(1e21), core_pair(1.0, 1e-25)):
        assert pair.integrate([-1.0, 0.0, 1.0]).share_error_p > 0
