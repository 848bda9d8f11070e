# SPDX-License-Identifier: Apache-2.0
"""The smallest rho with D_a <= rho a, up to an order or for all."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from rare_runs import sampled

LIMITS = {"tolerance": 1e-3, "memory_limit": 2**30}
SAMPLED = [
    [(hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1).dominating_pair(way), 20)]
    for way in (Direction.REMOVE, Direction.ADD)
]


@pytest.mark.parametrize("largest", [2.0, 100.0, math.inf])
def test_gaussians_have_the_same_slope_at_every_order(largest):
    run = [[(hs.Gaussian(noise_multiplier=3.0).dominating_pair(Direction.REMOVE), 7)]]
    with ctx.workprec(200):
        (answer,) = _core.zcdp_bounds(run, np.array([largest]), **LIMITS)
        assert answer.lower <= 7 / arb(18) <= answer.upper
        assert answer.upper <= 7 / arb(18) * (1 + arb(1e-3))


def test_no_order_has_a_larger_slope():
    (answer,) = _core.zcdp_bounds(SAMPLED, np.array([16.0]), **LIMITS)
    orders = np.array([1.01, 1.7, 3.0, 7.3, 16.0])
    slopes = [
        found.lower / order
        for order, found in zip(orders, _core.renyi_bounds(SAMPLED, orders, **LIMITS), strict=True)
    ]
    assert max(slopes) <= answer.upper
    assert answer.upper - answer.lower <= 1e-3 * answer.upper


@pytest.mark.parametrize("noise", [7.5e7, 6.1e7])  # 0.4 and 0.6 of the sum's last bit each
def test_slopes_of_many_mechanisms_add_up_outward(noise):
    noises = [0.7] + [noise * (1 + k / 1e6) for k in range(2000)]
    run = sum((hs.Gaussian(each) for each in noises[1:]), 1 * hs.Gaussian(0.7))
    truth = sum(1 / (2 * Fraction(each) ** 2) for each in noises)
    bounds = run.zcdp_bounds()
    assert Fraction(bounds.lower) <= truth <= Fraction(bounds.upper)
    assert bounds.gap <= 1e-11 * bounds.upper


@pytest.mark.parametrize("epsilon", [1e-150, 1e-160, 1e-162, 1e-300])
def test_what_no_double_tells_is_bounded_by_a_little(epsilon):
    """Bounds were 0 where the truth, about epsilon^2 / 2, is below all doubles, or refused."""
    mechanism = hs.ApproximateDP(epsilon=epsilon, delta=0)
    most = Fraction(epsilon) ** 2 / 2
    least = most * Fraction(0.999)  # tanh(epsilon / 2) epsilon
    for run in (1 * mechanism, 1000 * mechanism):
        n = run.terms[0][1]
        rho = run.zcdp_bounds()
        assert Fraction(rho.lower) <= n * most
        assert n * least <= Fraction(rho.upper) <= n * most * Fraction(1.01) + Fraction(1e-320)
        for order in (1.0, 1.5, 2.0, 1e3):
            bounds = run.renyi_divergence_bounds(order)
            assert Fraction(bounds.lower) <= n * most * Fraction(order)
            assert n * least * Fraction(order) <= Fraction(bounds.upper) <= Fraction(1e-290)


@pytest.mark.parametrize(
    "run",
    [
        hs.Gaussian(7.148499185233872) + 2 * hs.Laplace(20.59) + 2 * sampled(1.664, 0.0342),
        5 * hs.Gaussian(2.2508) + 50 * hs.Laplace(23.3734) + 841 * sampled(7.4278, 1.129e-4),
    ],
)
def test_slopes_that_rise_to_their_limit_are_met_next_to_it(run):
    found = run.zcdp_bounds()
    assert found.upper - found.lower <= 1e-3 * found.upper
    limit = sum(
        n / (2 * getattr(one, "mechanism", one).noise_multiplier ** 2)
        for one, n in run.terms
        if "Laplace" not in repr(one)
    )
    assert found.lower <= limit * (1 + 1e-3)
    assert found.upper >= limit * (1 - 1e-12)


def test_a_direction_that_needs_less_than_another_is_not_refined():
    """At this tolerance add-one alone took minutes, and told nothing."""
    run = 1000 * sampled(142.0474143030912, 0.0002849326397041084)
    found = run.zcdp_bounds(adjacency="replace-special", tolerance=1e-6)
    assert found.upper - found.lower <= 1e-6 * found.upper


@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
@pytest.mark.parametrize(
    "run",
    [
        hs.Laplace(0.05).poisson_sampled(1e-3),
        hs.Laplace(1.0).poisson_sampled(0.01),
        2 * hs.DiscreteLaplace(0.5).poisson_sampled(0.1),
        50 * hs.Laplace(2.0).poisson_sampled(0.3) + hs.Laplace(0.1).poisson_sampled(1e-6),
    ],
)
def test_no_slope_between_the_orders_looked_at_is_larger(run, adjacency):
    """Slopes of samples rise to a maximum between orders and fall again."""
    found = run.zcdp_bounds(adjacency=adjacency)
    orders = 1 + np.geomspace(1e-3, 1e3, 100)
    slopes = [
        run.renyi_divergence_bounds(float(a), adjacency=adjacency, tolerance=1e-5).lower / a
        for a in orders
    ]
    assert max(slopes) <= found.upper
    assert found.upper - found.lower <= 1e-3 * found.upper


def test_tiny_losses_have_a_slope_at_orders_of_a_million():
    """All orders up to where bounds of large ones take over were to be looked at."""
    run = 472 * hs.Laplace(10.802253338039355).poisson_sampled(1.3884985144051237e-05)
    found = run.zcdp_bounds()
    assert found.upper - found.lower <= 1e-3 * found.upper
    assert found.upper >= run.renyi_divergence_bounds(4096.0).lower / 4096


@pytest.mark.parametrize("known", [2.0, 3.5, 5.0])
def test_orders_whose_divergence_is_not_known_have_a_slope(known):
    """Of an atom of mass 1e-4 and loss 8: the largest slope is at order 4.1, in balls."""
    low, high = arb(1e-4) * arb(-8).exp(), arb(1e-4)

    def slope(order):
        rest = (1 - high) ** order * (1 - low) ** (1 - order)
        moment = rest + high**order * low ** (1 - arb(order))
        return moment.log() / (arb(order) - 1) / order

    def renyi(order):
        at = float((slope(order) * order).mid())
        return (at * (1 - 1e-6), at * (1 + 1e-6)) if order < known else (0.0, math.inf)

    with ctx.workprec(100):
        _, upper = _core.largest_renyi_slope(renyi, lambda order: (0.0, 8 / order), 1e-3)
        assert upper >= max(slope(1 + k / 20) for k in range(10, 120))
    assert upper < 8
