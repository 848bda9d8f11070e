# SPDX-License-Identifier: Apache-2.0
"""Menus: what choosing by outputs costs at most, in exact fractions, and as any mechanism."""

import itertools
import math
from fractions import Fraction
from math import log

import pytest

import hockeystick as hs
from hockeystick import _core

LOG_TWO = log(2)
FIRST, SECOND = hs.ApproximateDP(LOG_TWO, 0), hs.ApproximateDP(log(3), 0)
THIRD = hs.ApproximateDP(0, 1 / 3)


def test_the_example_of_the_invalid_filter_costs_four_ninths():
    for fixed in (SECOND, THIRD):
        assert (FIRST + fixed).delta(LOG_TWO) == pytest.approx(1 / 3, rel=1e-9)
    bounds = (FIRST + hs.any_of(SECOND, THIRD)).delta_bounds(LOG_TWO)
    assert bounds.upper == pytest.approx(4 / 9, rel=1e-9)
    assert bounds.lower == pytest.approx(1 / 3, rel=1e-9)
    assert bounds.limited_by == "theory"


def response(ratio):
    more, less = Fraction(ratio, 1 + ratio), Fraction(1, 1 + ratio)
    return [(more, less), (less, more)]


def best(history, menu, steps, ratio):
    """The largest delta of whoever chooses from the menu after every output, by recursion."""
    p, q = history
    if steps == 0:
        return max(p - ratio * q, Fraction(0))
    return max(
        sum(best((p * a, q * b), menu, steps - 1, ratio) for a, b in option) for option in menu
    )


@pytest.mark.parametrize("ratio", [1, 2, 5])
def test_no_strategy_exceeds_it(ratio):
    third = Fraction(1, 3)
    fails = [(third, Fraction(0)), (1 - third, 1 - third), (Fraction(0), third)]
    menu = [response(2), response(3), fails]
    options = [FIRST, SECOND, THIRD]
    for steps, some in itertools.product((1, 2, 3), ((0, 1), (1, 2), (0, 2), (0, 1, 2))):
        attained = best((Fraction(1),) * 2, [menu[k] for k in some], steps, ratio)
        bound = (steps * hs.any_of(*(options[k] for k in some))).delta(log(ratio))
        assert bound >= float(attained) * (1 - 1e-12)
        if steps == 1:
            assert bound == pytest.approx(float(attained), rel=1e-9, abs=1e-12)


def test_menus_of_noise():
    menu = hs.any_of(hs.Gaussian(4.0), hs.Laplace(5.0), hs.Gaussian(1.0).poisson_sampled(0.01))
    for option in menu.options:
        assert menu.epsilon(1e-6) >= option.epsilon_bounds(1e-6).lower
        assert (20 * menu).epsilon(1e-6) >= (20 * option).epsilon_bounds(1e-6).lower
    worst = max(option.epsilon(1e-6) for option in menu.options)
    assert menu.epsilon(1e-6) == pytest.approx(worst, rel=2e-3)
    bounds = (20 * menu).epsilon_bounds(1e-6)
    assert bounds.upper < 1.7 * bounds.lower
    replaced = hs.any_of(hs.Gaussian(4.0), hs.Laplace(5.0)).epsilon(1e-6, adjacency="replace-one")
    assert replaced >= hs.Gaussian(4.0).epsilon_bounds(1e-6, adjacency="replace-one").lower


def test_largest_losses():
    """Infinite if an option's is, also at deltas that no grid reaches; else the largest."""
    menu = hs.any_of(hs.Gaussian(3.0), hs.Laplace(3.0))
    assert menu.epsilon_bounds(0.0).upper == math.inf
    assert (3 * menu).epsilon(0.0) == math.inf
    for delta in (1e-42, 1e-100, 1e-250, 1e-300, 1e-305):
        assert menu.epsilon_bounds(delta).upper >= hs.Gaussian(3.0).epsilon_bounds(delta).lower
    pure = hs.any_of(hs.Laplace(2.0), SECOND)
    assert pure.epsilon(0.0) == pytest.approx(log(3), rel=1e-6)
    assert (5 * pure).epsilon(0.0) == pytest.approx(5 * log(3), rel=1e-6)
    assert hs.any_of(THIRD, SECOND).epsilon(0.0) == math.inf
    assert hs.PureFilter(epsilon=10).runs_left(pure) == 9


def test_menus_of_one_and_of_nothing():
    assert hs.any_of(hs.Gaussian(2.0)) == hs.Gaussian(2.0)
    assert hs.any_of(hs.Gaussian(2.0), hs.Gaussian(2.0)) == hs.Gaussian(2.0)
    free = hs.ApproximateDP(0, 0)
    assert (2 * hs.any_of(hs.Gaussian(2.0), free)).terms == ((hs.Gaussian(2.0), 2),)
    assert hs.any_of(hs.Laplace(2.0), hs.Gaussian(2.0)) == hs.any_of(
        hs.Gaussian(2.0), hs.Laplace(2.0)
    )


NOISE = 0.004
MENU = hs.any_of(hs.Gaussian(NOISE), hs.Laplace(NOISE))


@pytest.mark.parametrize(
    ("view", "at"),
    [
        ("epsilon_bounds", (1e-6,)),
        ("renyi_divergence_bounds", (2.0,)),
        ("zcdp_bounds", ()),
        ("loss_mean_bounds", ()),
        ("gdp_mu_bounds", ()),
    ],
)
def test_a_menu_of_little_noise_costs_at_most_all_its_options_together(view, at):
    """Losses that a curve does not hold are bounded without it."""
    bounds = getattr(50 * MENU, view)(*at)
    most = getattr(50 * hs.Gaussian(NOISE) + 50 * hs.Laplace(NOISE), view)(*at)
    assert bounds.lower <= bounds.upper <= most.upper * (1 + 1e-9)


def test_making_a_menu_asks_each_option_for_one_integral():
    """The curve of each option is read from its cells, and not edge by edge."""
    before = _core.work.taken()
    hs.any_of(hs.Gaussian(0.0041), hs.Laplace(0.0041)).dominating_pair(hs.Direction.REMOVE)
    assert _core.work.taken() - before < 3e7
