# SPDX-License-Identifier: Apache-2.0
"""Curves of whole runs at chosen losses: what is booked for powers and reflections, in balls."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import _core

LOSSES = [random.Random(1).uniform(0, 600) for _ in range(300)] + [1e-300, 1e-9, 0.3, 600.0]


@pytest.mark.parametrize("loss", LOSSES)
def test_powers_are_on_their_side(loss):
    with ctx.workprec(200):
        for x in (loss, -loss):
            power = arb(x).exp()
            above, below = _core.runs.exp_above(x), _core.runs.exp_below(x)
            assert arb(below) < power < arb(above)
            assert above - below <= 2e-15 * above


def curve(alpha):
    """Of N(1) against N(0), which is its own reverse."""
    if alpha < 1:
        return 1 - alpha + alpha * curve(1 / alpha)
    return gaussian_delta(arb(1), alpha.log())


def rounded(value, *, upward):
    """The next double, and the one after, above or below."""
    near = float(value.mid())
    while not (arb(near) > value if upward else arb(near) < value):
        near = float(np.nextafter(near, 2.0 if upward else -1.0))
    return near


def test_a_curve_lies_between():
    """Of deltas that are known to the last bit: no slack hides what is booked."""
    losses = [0.0, *(0.02 * k for k in range(1, 400))]
    with ctx.workprec(200):
        exact = [curve(arb(x).exp()) for x in losses]
        known = (
            losses,
            [rounded(h, upward=False) for h in exact],
            [rounded(h, upward=True) for h in exact],
        )
        alphas, _, above = _core.runs.curve_above(known, known)
        assert all(a < b for a, b in pairwise(alphas))
        for alpha, upper in zip(alphas, above, strict=True):
            assert curve(arb(alpha)) <= arb(upper)
        alphas, lower, upper = _core.runs.curve_between(known, known)
        for alpha, low, high in zip(alphas, lower, upper, strict=True):
            assert arb(low) <= curve(arb(alpha)) <= arb(high)


def test_what_is_not_known_of_the_reverse_is_left_open():
    known = ([0.0, 0.1, 0.2], [0.3, 0.27, 0.25], [0.3, 0.27, 0.25])
    alphas, lower, upper = _core.runs.curve_between(known, ([0.0], [0.0], [1.0]))
    assert lower[0] == pytest.approx(1 - alphas[0])
    assert upper[0] == 1
    slope = (lower[1] - upper[2]) / (alphas[2] - alphas[1])
    assert 1 - alphas[0] == pytest.approx(lower[1] + slope * (alphas[1] - alphas[0]), rel=1e-6)


RUNS = [
    4 * hs.Laplace(5),
    2 * hs.Gaussian(2.0) + hs.RandomizedResponse(0.5),
    hs.ApproximateDP(0.3, 1e-3),
    100 * hs.Gaussian(1.0).poisson_sampled(0.02),
]


@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_pairs_of_a_run_enclose_it(run):
    replaces = "RandomizedResponse" in repr(run)
    way = hs.Direction.REPLACE if replaces else hs.Direction.ADD
    forth, back = run._pairs(way, way.reversed)
    at = np.array([0.0, 0.1, 0.5, 1.0])
    limits = {"tolerance": 1e-6, "memory_limit": 2**28}
    lower, upper = _core.delta_bounds([forth], at, **limits).table()[:2]
    for reverse in (back, None):
        above = _core.run_pair(forth, reverse, 40, 1e-12, above=True).delta_above(at)
        below = _core.run_pair(forth, reverse, 40, 1e-12, above=False)
        found = _core.delta_bounds([_core.Terms([(below, 1)])], at, **limits).table()[0]
        assert np.all(lower <= above + 1e-15)
        assert np.all(above <= upper * (1 + 2e-3) + 1e-11)
        assert np.all(found <= upper + 1e-15)
        if "ApproximateDP" not in repr(run):  # infinite losses are left out below
            assert np.all(found >= lower * (1 - 0.03) - 1e-9)


RESPONSE = hs.DiscretePair(p=[0.75, 0.25], q=[0.25, 0.75])
TWO = hs.DiscretePair(p=[0.5625, 0.375, 0.0625], q=[0.0625, 0.375, 0.5625])


@pytest.mark.parametrize("rate", [0.01, 0.5, 0.9])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
def test_one_coin_for_two_responses(rate, adjacency):
    """Both together are a pair of three outcomes, whose samples are known from the pair."""
    joined = hs.joint(RESPONSE, RESPONSE).poisson_sampled(rate)
    for epsilon in (0.0, 0.2, 0.35, 0.6, 1.5):
        found = joined.delta_bounds(epsilon, adjacency=adjacency)
        truth = TWO.poisson_sampled(rate).delta_bounds(epsilon, adjacency=adjacency)
        assert found.lower <= truth.upper + 1e-11
        assert truth.lower <= found.upper
        assert found.upper <= truth.upper * 1.01 + 1e-4


def test_a_given_reverse_is_the_reflected_one():
    """Randomized response of ratio 3 on half of the data: (1/2, 1/2) against (1/4, 3/4)."""
    sampled = RESPONSE.poisson_sampled(0.5)
    truth = hs.DiscretePair(p=[0.5, 0.5], q=[0.25, 0.75])
    for way in ("remove-one", "add-one"):
        for epsilon in (0.0, 0.2, 0.35, 0.6):
            found, exact = (one.delta_bounds(epsilon, adjacency=way) for one in (sampled, truth))
            assert found.lower <= exact.upper
            assert exact.lower <= found.upper


def test_coins_of_runs():
    """One coin for all is another mechanism than a coin each; all heads is the run itself."""
    run = 3 * hs.Laplace(3.0)
    one_coin = hs.PoissonSampledRun(run, sampling_probability=0.1)
    assert one_coin.epsilon(1e-6) > (3 * hs.Laplace(3.0).poisson_sampled(0.1)).epsilon(1e-6)
    whole = hs.PoissonSampledRun(run, sampling_probability=1.0)
    assert whole.epsilon(1e-3) == pytest.approx(run.epsilon(1e-3), rel=2e-3)
    assert hs.PoissonSampledRun(run, sampling_probability=0).epsilon(1e-6) == 0
    single = hs.PoissonSampledRun(hs.Laplace(3.0), sampling_probability=0.1)
    assert 1 * single == 1 * hs.Laplace(3.0).poisson_sampled(0.1)
    with pytest.raises(ValueError, match="^adjacency must"):
        one_coin.epsilon(1e-6, adjacency="replace-one")


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_losses_next_to_the_largest_cost_little(delta):
    run = (hs.ApproximateDP(0.904, 5.4e-7) + hs.Laplace(1.927)).poisson_sampled_together(0.61)
    before = _core.work.taken()
    ends = (1 * run).epsilon_bounds(delta, adjacency="add-one", tolerance=0.5)
    assert _core.work.taken() - before < 4e8  # 4e9 where grids took a gigabyte
    assert ends.lower <= -math.log(1 - 0.61) * (1 + 1e-9)
