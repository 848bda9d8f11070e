# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of the best of several runs: by brute force, by formula, and as asked."""

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy
from mechanisms.test_best_of import PAIRS, curve_of, games
from mechanisms.test_number_of_runs import LAWS, rate

SOME = [law for law in LAWS if law[1] < 1e3]
ORDERS = (1.001, 1.5, 2.0, 4.0, 30.0)


def moments_of(p, q, law, *, attained=True):
    """The pair of a run that is itself a small pair of masses."""
    pairs = [
        hs.DiscretePair(p, q).dominating_pair(way)
        for way in (hs.Direction.REMOVE, hs.Direction.ADD)
    ]
    forth, back = ([(pair, 1)] for pair in pairs)
    number = _core.NumberOfRuns(*law)
    return _core.best_of_moments(forth, back, number, 40, 1e-15, moments=forth, attained=attained)


def ends_of(pair, order):
    limits = {"tolerance": 1e-3, "memory_limit": 2**30}
    low, high = _core.renyi_bounds([[(pair, 1)]], np.array([order]), **limits).table()[:2]
    return low[0], high[0]


def divergence(there, without, order):
    terms = [
        (order * a.log() - (order - 1) * b.log()).exp()
        for a, b in zip(there, without, strict=True)
        if b > 0
    ]
    return sum(terms, arb(0)).log() / (order - 1)


@pytest.mark.parametrize("law", SOME, ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_no_ranking_exceeds_the_bound(law, pair):
    """All rankings of the outcomes of small pairs, and the one whose score tells nothing."""
    p, q = pair
    found = moments_of(p, q, law)
    with ctx.workprec(300):
        known = list(games(p, q, law))
        none = known[0][0][-1]
        for order in ORDERS:
            low, high = ends_of(found, order)
            for there, without in known:
                assert divergence(there, without, arb(order)) <= arb(high) + 1e-12
            blind = [[(1 - none) * arb(mass) for mass in side] + [none] for side in (p, q)]
            assert arb(low) <= divergence(*blind, arb(order)) + 1e-12
        t = 20000.0  # of an order that no user may ask
        for there, without in known:
            moment = t * divergence(there, without, arb(t) + 1)
            assert moment <= arb(found.log_moment_bounds(t)[1]) * (1 + 1e-12)


@pytest.mark.every(2)
@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_ratios_are_above_those_of_all_ranks(law, pair):
    """In ball arithmetic: D(x)^(t + 1) D(g(x))^-t, g the least of the lines of the reverse."""
    p, q = pair
    back = curve_of(q, p)
    runs = _core.NumberOfRuns(*law)
    with ctx.workprec(300):
        for t in (0.01, 1.0, 20.0):
            power, largest = _core.runs.rank_ratios(back, runs, t)
            closest = arb(-math.inf)
            for k in range(400):
                x = arb(10) ** (arb(-18) * (399 - k) / 399)
                lines = [arb(a) * x + arb(h) for a, h in zip(*back, strict=True)]
                g = min([*lines, arb(1)], key=lambda v: float(v.mid()))
                top, bottom = rate(law, x), rate(law, g)
                if not (top > 0 and bottom > 0):
                    continue
                ratio = top.log() - bottom.log()
                value = top.log() + t * ratio
                assert value <= arb(power) + abs(value) * 1e-12
                assert ratio <= arb(largest) + 1e-12
                closest = max(closest, value)
            if law[0] != "binomial" and law[1] < 100:  # 400 ranks miss as much of the largest
                assert arb(power) <= closest + 0.2 * (1 + t) * (1 + abs(arb(law[2])))


def test_a_run_of_unknown_reverse_is_bounded_by_the_largest_number():
    p, q = PAIRS[0]
    forth = [(hs.DiscretePair(p, q).dominating_pair(hs.Direction.REMOVE), 1)]
    number = _core.NumberOfRuns("negative_binomial", 10.0, 1.0)
    alone = _core.best_of_moments(forth, None, number, 40, 1e-15, moments=forth, attained=False)
    both = moments_of(p, q, ("negative_binomial", 10.0, 1.0), attained=False)
    for order in ORDERS:
        (low, high), (least, most) = (ends_of(pair, order) for pair in (both, alone))
        assert low == least == 0
        assert high <= most < math.inf


@pytest.mark.parametrize("how", [{"epochs": 3}, {"selected": 3}, {}], ids=str)
def test_divergences_of_allocations(how):
    """Finite, and for a run of any kind at least those of a run."""
    epoch = hs.Gaussian(2.0).random_allocation(steps=100, **how)
    best = hs.best_of(epoch, runs="geometric", mean=10)
    for order in (2.0, 100.0):
        most = best.renyi_divergence(order)
        assert epoch.renyi_divergence_bounds(order).lower < most < 20 * order
    assert epoch.zcdp_bounds().lower < best.zcdp() < 0.6


@pytest.mark.parametrize(
    "options",
    [
        {"runs": "geometric", "mean": 10},
        {"runs": "poisson", "mean": 0.5},
        {"runs": "poisson", "mean": 100},
        {"runs": "logarithmic", "mean": 12.5},
        {"runs": "fixed", "mean": 10},
        {"runs": "binomial", "mean": 5, "trials": 20},
        {"runs": "negative_binomial", "mean": 1e5, "shape": 3},
    ],
)
def test_divergences_are_finite_and_grow(options):
    """Also zero-concentrated DP; upper ends were infinite where the curve leaves out a tail."""
    best = hs.best_of(hs.Gaussian(1 / 0.3), **options)
    orders = [1.01, 1.5, 2, 4, 30, 1000]
    ends = [best.renyi_divergence_bounds(order) for order in orders]
    uppers = [bounds.upper for bounds in ends]
    assert all(0 < bounds.lower <= bounds.upper < math.inf for bounds in ends)
    assert all(high <= 1.2 * more for high, more in pairwise(uppers))
    rho = best.zcdp_bounds()
    assert all(
        bounds.lower <= rho.upper * a * (1 + 1e-9) for a, bounds in zip(orders, ends, strict=True)
    )
    assert 0 < rho.lower <= rho.upper < math.inf
    # At most as much as the published theorem on a Poisson number says, with the atom.
    if options["runs"] == "poisson":
        mean = options["mean"]
        for a, high in zip(orders, uppers, strict=True):
            missed = hs.Gaussian(1 / 0.3).delta(math.log1p(1 / (a - 1)))
            grown = (a - 1) * (a * 0.045 + mean * missed) + math.log(mean)
            if grown < 600:
                assert high <= 1.03 * math.log(math.exp(-mean) + math.exp(grown)) / (a - 1)


@pytest.mark.parametrize("one", [hs.ZCDP(0.1), hs.Gaussian(1.0).shuffled(batches=10)], ids=repr)
def test_divergences_of_one_run_are_used_where_its_curve_hides_them(one):
    best = hs.best_of(one, runs="geometric", mean=10)
    rho = best.zcdp_bounds(adjacency="replace-special")
    assert one.zcdp(adjacency="replace-special") < rho.upper < math.inf


def test_slopes_are_above_those_of_all_larger_orders():
    """What ranks add to the slope of a run: without it the bound is below what is attained."""
    best = hs.best_of(hs.Gaussian(1 / 0.3), runs="geometric", mean=10)
    way = hs.Direction.REMOVE
    *_, found = best.moment_pairs(way, Accuracy())
    for order in (10.0, 30.0):
        attained = best.renyi_divergence_bounds(order, adjacency="remove-one").lower / order
        slope = found.renyi_slope_bound(order)
        assert 0.045 < attained <= slope < 2 * attained


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_slopes_are_the_formula(law):
    """In ball arithmetic, where nothing is known of the reverse."""
    one = hs.Laplace(3.0).dominating_pair(hs.Direction.REMOVE)
    runs = _core.NumberOfRuns(*law)
    run = [(one, 2)]
    found = _core.best_of_moments(run, None, runs, 40, 1e-15, moments=run, attained=False)
    largest = _core.runs.rank_ratios(([], []), runs, 1.0)[1]
    most = arb(law[2]) if law[0] == "binomial" else arb(math.inf)
    with ctx.workprec(200):
        for order in (1.001, 1.5, 8.0, 300.0):
            slope, a = 2 * arb(one.renyi_slope_bound(order)), arb(order)
            by_ranks = ((arb(law[1]) + arb(runs.none)).log() / (a - 1) + arb(largest)) / a
            formula = min([slope + by_ranks, most * slope], key=lambda x: float(x.mid()))
            allowed = formula * arb(1e-12) + (runs.error + arb(1e-15)) / (a - 1)
            assert formula <= arb(found.renyi_slope_bound(order)) <= formula + allowed


def test_infinite_losses_stay_infinite():
    fails = hs.best_of(hs.ApproximateDP(0.5, 1e-5), runs="poisson", mean=10)
    assert fails.renyi_divergence_bounds(4).upper == math.inf
    attained = -math.expm1(-1e-4)  # some run of ten shows it
    assert attained * (1 - 1e-6) <= fails.true_positive_rate_bounds(0.0).upper <= 1.0001e-4
