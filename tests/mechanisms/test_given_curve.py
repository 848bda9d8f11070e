# SPDX-License-Identifier: Apache-2.0
"""Curves that are given at points: what is accepted, and what then is known."""

import math
import random

import pytest

import hockeystick as hs
from hockeystick.mechanisms._enclosed import Accuracy


@pytest.mark.parametrize(
    "alpha", [[0.1, 0.3, 0.5, 0.7, 0.9], [0.5, 0.9, 3.0], [0.25, 0.75, 0.875, 1.5, 2.0]]
)
def test_points_below_one_do_not_make_a_steep_curve(alpha):
    """The lower curve must not end at 0 before 1, where every curve is at least 1 - alpha."""
    values = [max(1 - 0.99 * a, 0.011) for a in alpha]
    curve = hs.HockeyStickCurve(alpha=alpha, lower=values, upper=values)
    for direction in hs.Adjacency.ADD_OR_REMOVE_ONE.directions:
        assert curve.pairs_below(direction, Accuracy())[0].delta_above(0.0) <= values[-1]


def test_points_on_one_line_leave_no_rounding():
    """Slopes of -1 / 24 between points whose distances differ are the same line."""
    for k in range(3, 99, 2):
        alpha = [1.0, 1.0 + k, 1.0 + 3 * k, 1.0 + 4 * k]
        values = [0.5 - 0.125 * (a - 1) / k for a in alpha]
        curve = hs.HockeyStickCurve(alpha=alpha, lower=values, upper=values)
        direction = hs.Adjacency.ADD_OR_REMOVE_ONE.directions[0]
        assert abs(curve.pair_above(direction, Accuracy()).delta_above(0.0) - 0.5) < 1e-12


def random_curve(rng):
    """Hardly convex, hardly above the line, points close and far, both ends the same or not."""
    count = rng.randint(2, 12)
    alpha = sorted(
        {rng.choice([math.exp(rng.gauss(0, 3)), 1 + rng.gauss(0, 1e-7)]) for _ in range(count)}
    )
    kinks = [(rng.random(), rng.uniform(0, 1)) for _ in range(3)]
    values = [
        max([1 - a, 0.0, *((1 - m) * max(0.0, 1 - a * m * k) for m, k in kinks)]) for a in alpha
    ]
    blur = rng.choice([0.0, 1e-16, 1e-12, 1e-3])
    lower = [v - blur * rng.random() for v in values]
    upper = [
        min(1.0, max(v + blur * rng.random(), 1 - a)) for v, a in zip(values, alpha, strict=True)
    ]
    return {"alpha": alpha, "lower": lower, "upper": upper}


@pytest.mark.every(10)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_accepted_is_answered(seed):
    rng = random.Random(seed)
    try:
        curve = hs.HockeyStickCurve(**random_curve(rng))
    except ValueError:
        return
    for adjacency in ("remove-one", "add-one"):
        bounds = (rng.randint(1, 3) * curve).delta_bounds(
            rng.choice([0.0, 0.3, 2.0]), adjacency=adjacency
        )
        assert 0 <= bounds.lower <= bounds.upper <= 1


def test_small_slopes_far_out_keep_their_masses():
    """Slopes of 1e-320 would be subnormal: the masses there are of size 1e-41, and told."""
    far = [1e250 * 2.0**k for k in range(90)]
    values = [1e-40 / (1 + k) ** 2 for k in range(90)]
    curve = hs.HockeyStickCurve(alpha=[1.0, *far], lower=[0.1, *values], upper=[0.1, *values])
    way = hs.Direction.REMOVE
    above, (below,) = curve.pair_above(way, Accuracy()), curve.pairs_below(way, Accuracy())
    for k in (1, 7, 50, 88):
        epsilon = math.log(far[k])
        assert above.delta_above([epsilon])[0] == pytest.approx(values[k], rel=1e-9)
        assert below.delta_above([epsilon])[0] <= values[k] * (1 + 1e-9)


@pytest.mark.parametrize("q", [0.01, 0.3, 0.999])
def test_a_curve_on_a_subsample_is_that_of_its_mechanism(q):
    """Randomized response: the points are its kinks, and between them only rounding is lost."""
    alpha = [math.exp(0.1 * k) for k in range(-40, 41)] + [math.exp(5.0)]
    one = hs.ApproximateDP(epsilon=1.0, delta=0.01)
    least = [one.delta_bounds(math.log(a)).lower if a >= 1 else 0.0 for a in alpha]
    values = [
        x if a >= 1 else 1 - a + a * one.delta(-math.log(a))
        for x, a in zip(least, alpha, strict=True)
    ]
    lower = [max(v * (1 - 1e-12), 1 - a) for v, a in zip(values, alpha, strict=True)]
    upper = [v * (1 + 1e-12) for v in values]
    curve = hs.HockeyStickCurve(alpha=alpha, lower=lower, upper=upper).poisson_sampled(q)
    truth = one.poisson_sampled(q)
    for adjacency in ("remove-one", "add-one", "replace-special"):
        for run, exact in ((curve, truth), (4 * curve, 4 * truth)):
            for epsilon in (0.0, 0.002, 0.1, 0.8):
                bounds = run.delta_bounds(epsilon, adjacency=adjacency)
                known = exact.delta_bounds(epsilon, adjacency=adjacency)
                assert bounds.lower <= known.upper
                assert known.lower <= bounds.upper * (1 + 1e-9)
                assert bounds.upper - known.upper <= 0.02 * q
    assert (3 * curve.mechanism.poisson_sampled(0)).epsilon(1e-5) == 0
    assert hs.Composition([(curve.mechanism.poisson_sampled(1), 1)]) == 1 * curve.mechanism
    with pytest.raises(ValueError, match="no pair is proved to dominate it on a Poisson subsample"):
        curve.epsilon(1e-5, adjacency="replace-one")
    with pytest.raises(ValueError, match="^sampling_probability must be in"):
        curve.mechanism.poisson_sampled(1.5)
