# SPDX-License-Identifier: Apache-2.0
"""Plain Gaussians by their formula, against the same formula in ball arithmetic."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.one_step import gaussian_delta
from hockeystick import _core
from hockeystick.adjacency import Direction
from questions import core_answer

contour = _core.contour


def delta_of(mu, epsilon):
    return gaussian_delta(mu, arb(epsilon))


def is_enclosed(bounds, truth):
    lower, upper = bounds
    with ctx.workprec(2200):
        return (lower <= 0 or arb(lower) <= truth) and (upper >= 1 or truth <= arb(upper))


def points(seed, number):
    """mu and epsilon, anywhere and on both sides of where the formula changes its form."""
    rng = random.Random(seed)
    for _ in range(number):
        mu = 10 ** rng.uniform(-9, 6)
        kind = rng.randrange(6)
        if kind == 0:  # h m about 2, or m about 20
            m = rng.choice((4 / mu, 20.0)) * rng.uniform(0.98, 1.02)
        elif kind == 1:  # b about 37
            m = 37 - mu / 2 + rng.uniform(-1e-2, 1e-2)
        elif kind == 2:  # a about 0, 37 or -37
            m = mu / 2 + rng.choice((0, 37, -37)) + rng.choice((0, rng.uniform(-1e-3, 1e-3)))
        else:
            m = mu / 2 + rng.uniform(-38, 37)
        yield mu, max(0.0, mu * m)


def test_delta_is_enclosed(samples):
    for mu, epsilon in points(1, samples(3000)):
        found = contour.gaussian_delta(mu, 0.0, epsilon)
        truth = delta_of(arb(mu), epsilon)
        assert is_enclosed(found, truth), (mu, epsilon, found)
        place = epsilon / mu - mu / 2
        if place < 36.99 and truth > 1e-295:
            assert found[1] - found[0] <= 2e-11 * found[1], (mu, epsilon, found)


@pytest.mark.parametrize("h", [0.2499, 0.25, 0.2501, 1e-3, 1e-6, 0.1])
def test_the_series_is_enclosed(h):
    for m in [0.0, *np.geomspace(1e-3, 36.9, 60)]:
        found = contour.gaussian_delta(2 * h, 0.0, 2 * h * m)
        assert is_enclosed(found, delta_of(arb(2 * h), 2 * h * m)), (h, m)


def test_masses_next_to_underflow_are_enclosed():
    """delta is a subnormal number, or below them."""
    for place in np.linspace(35.5, 36.99, 200):
        mu = 1e-15
        epsilon = mu * place
        found = contour.gaussian_delta(mu, 0.0, epsilon)
        assert is_enclosed(found, delta_of(arb(mu), epsilon)), place
        assert found[1] < 1e-280


@pytest.mark.parametrize("mu", [1e-5, 0.3, 1.0, 4.0, 80.0, 3e4])
@pytest.mark.parametrize("sign", [-1, 1])
def test_an_uncertain_mu_is_enclosed(mu, sign):
    off = 1e-9
    for place in (-3.0, -0.4, 0.0, 1.5, 8.0, 30.0):
        epsilon = max(0.0, mu * (place + mu / 2))
        found = contour.gaussian_delta(mu, off, epsilon)
        with ctx.workprec(400):
            moved = arb(mu) * (1 + sign * arb(off))
        assert is_enclosed(found, delta_of(moved, epsilon)), (place, found)


def test_where_mu_is_too_uncertain_nothing_is_said():
    assert contour.gaussian_delta(1e6, 1e-6, 5e11) == (0.0, 1.0)
    assert contour.gaussian_epsilon(1e6, 1e-6, 0.1) == (0.0, math.inf)


@pytest.mark.parametrize("mu", [1e-300, 1e-101, 1e13, 1e300])
def test_beyond_the_range_nothing_is_said(mu):
    assert contour.gaussian_delta(mu, 0.0, 1.0) == (0.0, 1.0)


def test_epsilon_is_enclosed(samples):
    rng = random.Random(2)
    for _ in range(samples(1500)):
        mu = 10 ** rng.uniform(-7, 6)
        delta = rng.choice((10 ** rng.uniform(-297, 0), 10 ** rng.uniform(-12, 0), 1e-6, 0.999999))
        lower, upper = contour.gaussian_epsilon(mu, 0.0, delta)
        assert delta_of(arb(mu), upper) <= delta, (mu, delta)
        assert lower == 0 or delta_of(arb(mu), lower) > delta, (mu, delta)
        if delta_of(arb(mu), 0.0) <= delta:
            assert lower == 0
            assert upper <= 1e-13 * mu
        elif upper > 1e-3 * mu:
            wide = 1e-9 if delta < 0.99 else 1e-7  # delta is flat next to 1
            assert upper - lower <= wide * upper, (mu, delta)


def asked(run, query, value, method="", tolerance=1e-6):
    terms = [(step.dominating_pair(Direction.REMOVE), count) for step, count in run]
    return core_answer([terms], query, value, method=method, tolerance=tolerance)


RUNS = [
    [(1e-3, 1)],
    [(1.0, 1)],
    [(0.7, 3), (30.0, 10**6), (1e3, 10**9)],
    [(1e6, 1)],
    [(1e6, 10**9)],
    [(100.0, 12345)],
]


@pytest.mark.parametrize("noise", RUNS)
@pytest.mark.parametrize("delta", [1e-298, 1e-60, 1e-6, 0.3, 0.999999])
def test_runs_of_gaussians(noise, delta):
    """Noise multipliers are exact, 1 / noise and the sum of squares are not."""
    run = [(hs.Gaussian(noise_multiplier=sigma), count) for sigma, count in noise]
    with ctx.workprec(400):
        mu = sum((count / arb(sigma) ** 2 for sigma, count in noise), arb(0)).sqrt()
    found = asked(run, "epsilon", delta)
    assert found.converged
    assert found.method == "closed_form"
    assert delta_of(mu, found.upper) <= delta
    assert found.lower == 0 or delta_of(mu, found.lower) > delta
    if 0 < found.upper <= 1e4:  # the largest epsilon that may be asked at
        again = asked(run, "delta", found.upper)
        assert again.lower <= delta
        assert again.method == "closed_form"
        assert is_enclosed((again.lower, again.upper), delta_of(mu, found.upper))


@pytest.mark.parametrize("delta", [1e-302, 1e-299, 1e-306])
def test_deltas_next_to_underflow_are_answered_otherwise(delta):
    found = asked([(hs.Gaussian(noise_multiplier=1.0), 1)], "epsilon", delta)
    assert delta_of(arb(1), found.upper) <= delta
    assert found.lower == 0 or delta_of(arb(1), found.lower) > delta


def test_gaussians_of_several_noises_are_one_whose_mean_is_within_8_u():
    """To the last digit what the formula makes of such a mean."""
    run = 3 * hs.Gaussian(1.3) + 2 * hs.Gaussian(0.7)
    mean = math.sqrt(3 / 1.3**2 + 2 / 0.7**2)
    for delta in (1e-3, 1e-6, 1e-12):
        found = run.epsilon_bounds(delta)
        expected = _core.contour.gaussian_epsilon(mean, 8 * 2.0**-53, delta)
        half = _core.contour.gaussian_epsilon(mean, 4 * 2.0**-53, delta)
        assert found.upper == pytest.approx(expected[1], abs=(expected[1] - half[1]) / 4)
        assert found.lower == pytest.approx(expected[0], abs=(half[0] - expected[0]) / 4)
