# SPDX-License-Identifier: Apache-2.0
"""Cells of the sampled pairs against differences of normal tails in ball arithmetic."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given
from hypothesis import strategies as st

import exact
import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from hockeystick.adjacency import Direction
from mechanisms import cells
from mechanisms.lines import sampled
from questions import core_answer

SIGMAS = [0.05, 0.3, 1.0, 7.0, 1000.0]
RATES = [1e-9, 1e-4, 0.01, 0.3, 0.99, 1 - 2**-53]
DIRECTIONS = ["remove", "add", "replace"]


@pytest.mark.every(4)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_hold(sigma, rate, direction):
    step = exact.Step(sigma, rate)
    cells.check_step(step, direction, cells.edges_for(step, direction))


sigmas = st.floats(-1.3, 3.0).map(lambda exponent: 10.0**exponent)
rates = st.one_of(
    st.floats(-9.0, -0.3).map(lambda exponent: 10.0**exponent),
    st.floats(0.5, 1 - 2**-53),
    st.floats(-15.9, -1.0).map(lambda exponent: 1 - 10.0**exponent),
)
directions = st.sampled_from(DIRECTIONS)


@given(sigmas, rates, directions, st.floats(-35.0, 35.0), st.sampled_from(cells.WIDTHS))
def test_stated_errors_hold_anywhere(sigma, rate, direction, x, width):
    step = exact.Step(sigma, rate)
    low = cells.loss_at(step, direction, x)
    edges = [low, low + width, low + 2 * width, low + 4 * width]
    assume(edges[-1] > cells.core_pair(step, direction).loss_infimum + 1e-3 * width)
    cells.check_step(step, direction, edges)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rate", RATES[:-1])  # the loss of a rate next to 1 ends where e^L is 1e-16
@pytest.mark.parametrize("sigma", SIGMAS)
def test_stated_errors_are_small(sigma, rate, direction):
    mass, loss = cells.tightness(exact.Step(sigma, rate), direction)
    assert mass < 1e-12
    assert loss < 3e-14


@pytest.mark.parametrize("rate", RATES)
def test_range_of_the_loss(rate):
    step = exact.Step(1.0, rate)
    remove, add, replace = (cells.core_pair(step, d) for d in DIRECTIONS)
    assert remove.loss_infimum == pytest.approx(math.log1p(-rate), rel=1e-15)
    assert remove.loss_supremum == math.inf
    assert (add.loss_infimum, add.loss_supremum) == (-math.inf, -remove.loss_infimum)
    assert (replace.loss_infimum, replace.loss_supremum) == (-math.inf, math.inf)


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.99])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_all_mass_in_one_cell_beside_the_bound(sigma, rate, direction):
    """Edges on both sides of the end of the loss, and one that lies a rounding away from it."""
    step = exact.Step(sigma, rate)
    pair = cells.core_pair(step, direction)
    bound = pair.loss_infimum if direction == "remove" else pair.loss_supremum
    for near in (bound, math.nextafter(bound, math.inf), math.nextafter(bound, -math.inf)):
        cells.check_step(step, direction, [near - 0.5, near, near + 0.5])
        cells.check_step(step, direction, [near - 3 * rate, near + 3 * rate])


@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_all_edges_outside_the_range_of_the_loss(sigma):
    for rate in (1e-6, 0.1, 0.9):
        step = exact.Step(sigma, rate)
        end = -math.log1p(-rate)
        cells.check_step(step, "add", [end + 0.1, end + 0.3, end + 5])
        cells.check_step(step, "remove", [-end - 5, -end - 0.3, -end - 0.1])


def test_a_cell_of_thirty_nats_that_ends_beyond_the_loss():
    """(e^d - 1) p - e^d above cancels if d is large and the mass lies near the upper edge."""
    low = -8.599445345197488
    for width in (1.0, 5.0, 30.0):
        cells.check_step(exact.Step(10**-0.375, 0.1), "add", [low, low + width])


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("sigma", [0.01, 1e-3])
def test_cells_from_one_centre_to_beyond_the_middle(sigma, direction):
    """The kernel's exponent there is a difference of squares of up to 1000 deviations."""
    step = exact.Step(sigma, 0.3)
    near, middle = (cells.loss_at(step, "remove", x) for x in (-1.0, 0.5 / sigma))
    edges = [near, middle - 2, middle + 1] if direction == "remove" else [-middle - 1, -near]
    cells.check_step(step, direction, edges)
    pair = cells.core_pair(step, direction)
    assert pair.integrate(edges).share_error < 1.5e-13


def replaced_delta(sigma, rate, epsilon):
    """Of one record that replaces another: beyond the loss epsilon, which a bisection encloses."""
    with ctx.workprec(4000):
        mu, q, bound = 1 / arb(sigma), arb(rate), arb(epsilon).exp()
        low, high = arb(0), 2 * mu + 2000 / mu
        for _ in range(1400 if epsilon > 0 else 0):
            middle = ((low + high) / 2).mid()
            p, other = ((1 - q) + q * (s * mu * middle - mu * mu / 2).exp() for s in (1, -1))
            low, high = (middle, high) if p < bound * other else (low, middle)
        at = low.union(high) if epsilon > 0 else low
        tail, moved = normal_tail(at), normal_tail(at - mu) - bound * normal_tail(at + mu)
        return (1 - q) * tail * (1 - bound) + q * moved


@pytest.mark.every(3)
@pytest.mark.parametrize("rate", [1e-300, 0.01, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("sigma", [1e-3, 0.02, 0.026])
def test_small_losses_of_replacement_at_little_noise(sigma, rate):
    """e^(mu^2 / 2) is beyond doubles: edges at and next to the loss 0 go by logarithms."""
    step = exact.Step(sigma, rate)
    for edges in ([-1.0, 0.0, 1.0], [0.0, 1e-300, 1e-17, 1e-9], [-5e-324, 5e-324]):
        cells.check_step(step, "replace", edges)
    pair = cells.core_pair(step, "replace")
    for epsilon in (0.0, 5e-324, 1e-20, 0.5):
        answer = _core.delta_bounds([[(pair, 1)]], [epsilon], tolerance=1e-3, memory_limit=1 << 28)
        truth = replaced_delta(sigma, rate, epsilon)
        assert arb(answer[0].lower) <= truth <= arb(answer[0].upper)
        assert answer[0].upper - answer[0].lower <= 1e-6 * answer[0].upper


RARE = [
    (59.47, 7.0e-12, 1.153e-12),
    (59.47, 7.0e-12, 1e-13),
    (1e3, 1e-15, 4e-18),
    (3.0, 1e-13, 2e-12),
]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("sigma", "rate", "epsilon"), RARE)
def test_where_sampling_is_rare_quadrature_takes_as_little(sigma, rate, epsilon, direction):
    """The kernel is a small part of P, and so is what the rule may be off by."""
    step = exact.Step(sigma, rate)
    pair = cells.core_pair(step, direction)
    if epsilon >= pair.loss_supremum:
        return
    cells.check_step(step, direction, [epsilon / 2, epsilon])
    assert pair.integrate([epsilon]).share_error_p < 1e-15 * (rate + epsilon)
    answer = core_answer([[(pair, 1)]], "delta", epsilon)
    truth = exact.delta(((step, 1),), epsilon, direction)
    assert arb(answer.lower) <= truth <= arb(answer.upper)
    assert answer.upper - answer.lower <= 1e-9 * answer.upper


def inverse_error(noise, rate, loss):
    """By what the inverse of a loss under replacement is off, in u of the loss."""
    mu, half = 1 / noise, abs(loss) / 2
    argument = (1 - rate) / rate * math.exp(mu * mu / 2) * math.sinh(half)
    x = (half + math.asinh(argument)) / mu

    def posterior(x):
        odds = rate / (1 - rate) * math.exp(mu * x - mu * mu / 2)
        return odds / (1 + odds)

    slope, logs = posterior(x) + posterior(-x), abs(math.log(rate / (1 - rate)))
    error = (24 + 2 * mu * mu + 8 * logs) * min(1, argument) + 14 * mu * x
    return 1.01 * slope * (error + 3 * mu * (x + 2 * mu)) + abs(loss)


@pytest.mark.parametrize(
    ("noise", "rate", "loss"),
    [(1.0, 0.3, 0.5), (1.0, 0.3, 3.0), (0.5, 0.01, 2.0), (2.0, 1e-4, 1.0)],
)
def test_the_error_of_an_inverse_is_the_formula(noise, rate, loss):
    step = hs.Gaussian(noise).poisson_sampled(rate).dominating_pair(Direction.REPLACE)
    found = step.integrate(np.array([loss])).loss_error / 2.0**-53
    assert found == pytest.approx(inverse_error(noise, rate, loss), rel=1e-6)


@pytest.mark.every(2)
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.9), (1.0, 0.1), (3.0, 0.5), (0.5, 1e-4)])
def test_no_slope_of_replaced_records_exceeds_its_bound(sigma, rate):
    """Of divergences of all larger orders, too; far out the bound is met."""
    pair, truth = sampled(sigma, rate, "replace")
    slopes = {}
    with ctx.workprec(200):
        for t in (0.5, 3.0, 30.0, 100.0):
            slopes[1 + t] = truth.log_moment(t) / (arb(t) * (t + 1))
        for order in slopes:
            bound = pair.renyi_slope_bound(order)
            assert all(slope <= arb(bound) for at, slope in slopes.items() if at >= order)
        met = max(slopes[101.0], arb(sigma) ** -2 / 2)
        assert arb(bound) <= met * (1 + arb("1e-3"))


def test_zcdp_of_replaced_records_is_that_of_large_orders():
    """No moment is known at orders at which the bound of slopes did not do."""
    run = 2544 * hs.Gaussian(7.458228703552993).poisson_sampled(0.14793363903278142)
    found = run.zcdp_bounds(adjacency="replace-one")
    assert found.lower <= 2544 / (2 * 7.458228703552993**2) * (1 + 1e-12)
    assert found.gap <= 1e-9 * found.upper
