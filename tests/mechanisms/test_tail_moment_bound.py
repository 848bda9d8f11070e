# SPDX-License-Identifier: Apache-2.0
"""Bounds of the moments of large losses against the moments in ball arithmetic."""

import itertools
import math

import pytest
from flint import arb

import exact
from exact.balls import normal_tail
from hockeystick import _core
from mechanisms import cells

pytestmark = pytest.mark.bits(400)


def truth(sigma, q, x, t):
    """E_P[e^(t L)] over outcomes above x deviations, of removal: binomial, t whole."""
    mu, rate = 1 / arb(sigma), arb(q)
    terms = (
        math.comb(t + 1, k)
        * (1 - rate) ** (t + 1 - k)
        * rate**k
        * (k * (k - 1) * mu * mu / 2).exp()
        * normal_tail(x - k * mu)
        for k in range(t + 2)
    )
    return sum(terms, arb(0))


@pytest.mark.parametrize("t", [1, 3, 12])
@pytest.mark.parametrize("x", [1.0, 4.0, 20.0])
@pytest.mark.parametrize(("sigma", "q"), [(1.0, 1.0), (3.0, 1.0), (1.0, 0.3), (0.7, 0.01)])
def test_moments_beyond_a_loss_are_bounded(sigma, q, x, t):
    top = cells.loss_at(exact.Step(sigma, q), "remove", x)
    bound = cells.core_pair(exact.Step(sigma, q), "remove").tail_moment_bound(top, float(t))
    moment = truth(sigma, q, arb(x), t)
    assert moment * (1 - arb(1e-12)) <= bound  # the loss is rounded
    # As if e^L were larger by (1 - q) / (q E) everywhere, at most.
    excess = 1 + (1 - arb(q)) / (arb(q) * (arb(x) / sigma - 1 / arb(sigma) ** 2 / 2).exp())
    assert bound <= moment * excess ** (t + 1) * (1 + arb(1e-6))


@pytest.mark.parametrize("t", [1, 3])
@pytest.mark.parametrize("x", [1.0, 4.0, 20.0])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.9, 0.01)])
def test_moments_of_mixtures_beyond_a_loss_are_bounded(weights, x, t):
    """By the largest shift, times what e^L is of its part at x."""
    shifts, deviation = (1.0, 3.0), 2.0
    pair = _core.dominating_pair("gaussian_mixture_remove", [deviation, 0.2, *shifts, *weights])
    s = [arb(0), *(arb(shift) / deviation for shift in shifts)]
    w = [1 - arb(0.2), *(arb(0.2) * part / sum(map(arb, weights)) for part in weights)]
    parts = [p * (shift * x - shift**2 / 2).exp() for p, shift in zip(w, s, strict=True)]
    bound = pair.tail_moment_bound(float(sum(parts, arb(0)).log().mid()), float(t))
    moment = arb(0)
    for drawn in itertools.product(range(3), repeat=t + 1):
        total, squares = (sum((s[k] ** n for k in drawn), arb(0)) for n in (1, 2))
        share = math.prod((w[k] for k in drawn), start=arb(1))
        moment += share * ((total**2 - squares) / 2).exp() * normal_tail(x - total)
    excess = sum(parts, arb(0)) / (s[2] * x - s[2] ** 2 / 2).exp()
    most = (t * (t + 1) * s[2] ** 2 / 2).exp() * normal_tail(x - (1 + t) * s[2])
    assert moment * (1 - arb(1e-12)) <= bound <= excess ** (t + 1) * most * (1 + arb(1e-6))


@pytest.mark.parametrize("t", [0.5, 4.0])
def test_moments_of_outcomes_are_their_sum(t):
    """Those above the loss, and none below it."""
    pair = _core.dominating_pair("discrete_laplace", [0.5, 4.0])
    w = (-arb(0.5)).exp()
    masses = [1 / (1 + w), *((1 - w) / (1 + w) * w**j for j in range(1, 4)), w**4 / (1 + w)]
    losses = [arb(0.5) * (4 - 2 * j) for j in range(5)]
    moments = [p * (t * loss).exp() for p, loss in zip(masses, losses, strict=True)]
    for k in range(5):
        bound = pair.tail_moment_bound(float(losses[k].mid()) - 0.25, t)
        exactly = sum(moments[: k + 1], arb(0))
        assert exactly <= bound <= exactly * (1 + arb(1e-7))


@pytest.mark.parametrize("t", [1, 8, 16])
@pytest.mark.parametrize("sigma", [1.0, 1.3, 3.0])
def test_moments_of_outcomes_that_are_not_listed_are_bounded(sigma, t):
    """Those of masses below 1e-305, and all beyond 38 sigma."""
    pair = _core.dominating_pair("discrete_gaussian", [sigma, 1.0, math.inf])
    bound = pair.unlisted_moment_bound(float(t))
    variance, reach = arb(sigma) ** 2, math.ceil(50 * sigma)
    weights = [(-(arb(x) ** 2) / (2 * variance)).exp() for x in range(reach)]
    total = 2 * sum(weights, arb(0)) - 1
    moments = (
        weight / total * (t * (1 + 2 * arb(x)) / (2 * variance)).exp()  # at -x
        for x, weight in enumerate(weights)
        if weight / total < 1e-305
    )
    assert 0 < sum(moments, arb(0)) <= bound < 1e-30


@pytest.mark.parametrize("t", [1.0, 3.0, 5.0])
def test_the_moment_beyond_38_deviations_is_the_formula(t):
    """Where all others are known: e^(t (t+1) s^2 / (2 sigma^2)) 1.5 e^(-v^2 / 2)."""
    sigma = 0.3
    bound = _core.dominating_pair("discrete_gaussian", [sigma, 1.0, math.inf])
    v = 38 - t / arb(sigma)
    moment = (t * (t + 1) / (2 * arb(sigma) ** 2) - v * v / 2).exp() * 1.5
    assert moment < arb(bound.unlisted_moment_bound(t)) < moment * (1 + arb(1e-7))
