# SPDX-License-Identifier: Apache-2.0
"""Moments of a random selection of steps, against sums over all choices in ball arithmetic."""

import itertools
import math

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core

CASES = [(0.5, 3, 1, 1), (1.3, 4, 2, 1), (1.3, 5, 4, 3), (20.0, 6, 3, 1)]
LARGE = [(0.7, 1000, 3, 1), (3.0, 10**12, 10**6, 2), (0.3, 10**9, 10**9 - 1, 1)]

pytestmark = pytest.mark.bits(200)


def pair(*case):
    return _core.dominating_pair("selected_steps_moments", case)


def moment(noise, steps, selected, epochs, order):
    """Of a whole order: the mean over as many sets of e^(mu^2 times what pairs of them share)."""
    sets = list(itertools.combinations(range(steps), selected))
    square, total = arb(epochs) / arb(noise) ** 2, arb(0)
    for chosen in itertools.product(sets, repeat=order):
        joined = [sum(step in one for one in chosen) for step in range(steps)]
        total += (square * sum(n * (n - 1) // 2 for n in joined)).exp()
    return (total / len(sets) ** order).log()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_whole_orders_are_enclosed(case, order):
    if math.comb(case[1], case[2]) ** order > 2e4:
        return
    lower, upper = pair(*case).log_moment_bounds(order - 1.0)
    assert arb(lower) <= moment(*case, order) <= arb(upper)


def bounds(noise, steps, selected, epochs, t):
    """The formula of the page."""
    all_steps = arb(selected) * arb(epochs) / arb(noise) ** 2 / 2 * (arb(t) + 1)
    rest = arb(steps - selected)
    choices = selected * (arb(steps) / selected).log() + rest * (arb(steps) / rest).log()
    lower = arb(t) * max(all_steps * selected / steps, all_steps - choices, key=float)
    return lower, arb(t) * all_steps


@pytest.mark.parametrize("case", CASES + LARGE)
@pytest.mark.parametrize("t", [0.003, 1.0, 63.0, 1e4 / 3])
def test_both_ends_are_those_of_the_page_rounded_outward(case, t):
    lower, upper = bounds(*case, t)
    found = pair(*case).log_moment_bounds(t)
    assert arb(found[0]) < lower
    assert upper < arb(found[1])
    assert found[0] >= float(lower - arb(1e-13) * upper)
    assert found[1] <= float(upper) * (1 + 1e-14)
    slope = arb(case[2] * case[3]) / arb(case[0]) ** 2 / 2
    assert slope < arb(pair(*case).renyi_slope_bound(2.0))


@pytest.mark.parametrize("noise", [0.3, 0.7, 1.1, 1.3, 2.3, 3.3, 5.7])
def test_the_largest_order_is_enclosed(noise):
    run = hs.Gaussian(noise).random_allocation(steps=12, selected=3)
    lower, upper = run.zcdp_bounds()
    assert arb(lower) < 3 / arb(noise) ** 2 / 2 < arb(upper)


@pytest.mark.parametrize(
    ("noise", "steps", "selected"), [(0.7, 22, 4), (1.3, 6526, 5), (5.0, 100, 99), (0.9, 343, 4)]
)
def test_zero_concentration_is_that_of_the_steps_of_the_record(noise, steps, selected):
    run = 3 * hs.Gaussian(noise).random_allocation(steps=steps, selected=selected)
    found = run.zcdp_bounds()
    assert found.upper - found.lower <= 1e-12 * found.upper
    assert found.upper == pytest.approx(3 * selected / noise**2 / 2, rel=1e-12)
