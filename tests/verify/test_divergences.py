# SPDX-License-Identifier: Apache-2.0
"""Curves above mechanisms of known Renyi divergences, by mpmath and by pairs of outcomes."""

import math
import random

import pytest
from flint import arb, ctx
from mpmath import mp

import hockeystick as hs
from hockeystick.verify.divergences import concentrated, diverging, of_releases


def bound(t, divergence, epsilon):
    """e^(t (D - eps)) t^t / (1 + t)^(1 + t)."""
    return mp.exp(t * (divergence - epsilon)) * t**t / (1 + t) ** (1 + t)


@pytest.mark.parametrize("rho", [1e-6, 0.1, 30.0])
@pytest.mark.parametrize("share", [0.5, 1.0, 3.0])
def test_the_bound_of_concentrated_mechanisms_is_the_least_over_orders(rho, share):
    epsilon = share * (rho + 2 * math.sqrt(rho))
    with ctx.workprec(120), mp.workdps(30):
        found = concentrated(arb(rho))(arb(epsilon))
        orders = [mp.exp(mp.mpf(k) / 50) for k in range(-1000, 1000)]
        best = min(bound(t, (t + 1) * mp.mpf(rho), mp.mpf(epsilon)) for t in orders)
        best = min(best, mp.sqrt(mp.mpf(rho) / 2))
        value = mp.mpf(found.mid().str(25, radius=False))
        assert best * mp.mpf("0.99") <= value <= best * (1 + mp.mpf(10) ** -12)


@pytest.mark.parametrize(("order", "divergence"), [(1.5, 0.3), (8.0, 1.0), (100.0, 5.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_bound_of_one_order_is_the_least_up_to_that_order(order, divergence, epsilon):
    with ctx.workprec(120), mp.workdps(30):
        found = diverging(order, arb(divergence))(arb(epsilon))
        orders = [(mp.mpf(order) - 1) * mp.exp(-mp.mpf(k) / 100) for k in range(2000)]
        best = min(bound(t, mp.mpf(divergence), mp.mpf(epsilon)) for t in orders)
        distance = min(mp.sqrt(mp.mpf(divergence) / 2), mp.sqrt(1 - mp.exp(-divergence)))
        value = mp.mpf(found.mid().str(25, radius=False))
        best = min(best, distance)
        assert best * mp.mpf("0.999") <= value <= best * (1 + mp.mpf(10) ** -12)


@pytest.mark.parametrize("seed", range(3))
def test_no_pair_of_two_outcomes_is_above(seed):
    """Each has a divergence of the order, the larger of both directions, and a curve."""
    rng = random.Random(seed)
    for _ in range(200):
        p, q, order = rng.random(), rng.random(), 1 + 10 ** rng.uniform(-1, 1)
        law = [(p, q), (1 - p, 1 - q)]
        both = (law, [(b, a) for a, b in law])
        divergence = max(
            math.log(sum(a**order * b ** (1 - order) for a, b in one)) / (order - 1) for one in both
        )
        curve = diverging(order, arb(divergence * (1 + 1e-12)))
        for epsilon in (-1.0, -0.2, 0.0, 0.4, 2.0):
            for one in both:
                delta = sum(max(a - math.exp(epsilon) * b, 0) for a, b in one)
                assert delta <= float(curve(arb(epsilon)).upper()) * (1 + 1e-9) + 1e-15


def test_divergences_of_one_order_add_up():
    run = 3 * hs.RenyiDP(order=4.0, divergence=0.1) + 2 * hs.RenyiDP(order=4.0, divergence=0.25)
    (curve,) = of_releases(run.terms)
    (other,) = of_releases((1 * hs.RenyiDP(order=4.0, divergence=0.8)).terms)
    assert abs(curve(arb(1)) - other(arb(1))) < 1e-14
