# SPDX-License-Identifier: Apache-2.0
"""The conversion against the formula of its source, evaluated in 60 digits."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.baselines.renyi_region import RenyiRegion

CASES = [
    (1.5, 2.0, 1e-5),
    (2.0, 0.01, 1e-3),
    (2.0, 1e-9, 1e-6),
    (8.0, 1.0, 1e-5),
    (8.0, 1e-3, 0.1),
    (33.3, 0.3, 1e-12),
    (1000.0, 5.0, 1e-100),
    (1 + 1e-6, 0.5, 0.2),
]


def minimal_divergence(order, epsilon, delta):
    """The least divergence of `order` with which (epsilon, delta)-DP just holds.

    Asoodeh et al. (2021): log(M) / (a - 1) + epsilon with M the least over p in (delta, 1) of
    p^a (p - delta)^(1 - a) + (1 - p)^a (e^epsilon - p + delta)^(1 - a); by golden sections.
    """
    with mp.workdps(60):
        a, x, d = mpf(order), mp.exp(mpf(epsilon)), mpf(delta)

        def total(log_odds):
            v = 1 / (1 + mp.exp(-log_odds))
            over = (1 - d) * v
            p, rest = d + over, (1 - d) / (1 + mp.exp(log_odds))
            return p**a * over ** (1 - a) + rest**a * (x - over) ** (1 - a)

        golden = (mp.sqrt(5) - 1) / 2
        low, high = mp.log(d) - 40, mpf(40)
        for _ in range(200):
            left, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, right) if total(left) < total(right) else (left, high)
        return mpmath.log(total(low)) / (a - 1) + mpf(epsilon)


@pytest.mark.every(2)
@pytest.mark.parametrize(("order", "divergence", "delta"), CASES)
def test_one_order(order, divergence, delta):
    region = RenyiRegion(np.array([order]), np.array([divergence]))
    epsilon = region.epsilon(delta)
    if epsilon == 0:
        assert minimal_divergence(order, 0, delta) >= divergence
    else:
        assert float(minimal_divergence(order, epsilon, delta)) == pytest.approx(
            divergence, rel=1e-10
        )
        assert region.delta(epsilon) == pytest.approx(delta, rel=1e-9)


def two_point_divergence(order, p, q):
    """Of Bernoulli(p) from Bernoulli(q)."""
    with mp.workdps(60):
        a, p, q = mpf(order), mpf(p), mpf(q)
        moment = p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)
        return float(mp.log(moment) / (a - 1))


@pytest.mark.parametrize(("p", "q"), [(0.3, 0.2), (0.9, 0.1), (1e-6, 1e-9), (0.5, 0.499999)])
def test_two_points_are_recovered(p, q):
    """A pair on two points is on the boundary: nothing is lost where its event is the best."""
    orders = np.array([1.0001, 1.01, 1.3, 2, 4, 16, 200])
    region = RenyiRegion(orders, np.array([two_point_divergence(a, p, q) for a in orders]))
    assert region._log_ratio(p, 1 - p) == pytest.approx(math.log(p / q), rel=1e-12)
    for epsilon in np.linspace(0, 0.99 * math.log(p / q), 3):
        delta = p - math.exp(epsilon) * q
        assert region.delta(epsilon) >= delta * (1 - 1e-9)
        assert region.epsilon(delta) >= epsilon * (1 - 1e-9)


def test_the_order_that_decides_is_found():
    """After the first step another order looks nearer by a tenth of an e-fold."""
    orders = np.array([5.77633638, 19.78887409, 22.98878517, 297.65458242])
    divergences = np.array([4.94004939e-05, 2.00968613e-04, 1.17250312e-01, 4.38563873])
    alone = [
        RenyiRegion(orders[k : k + 1], divergences[k : k + 1])._log_ratio(0.00977, 0.99023)
        for k in range(4)
    ]
    together = RenyiRegion(orders, divergences)._log_ratio(0.00977, 0.99023)
    assert together == pytest.approx(min(alone), rel=1e-12)


def test_events_too_rare_for_doubles():
    """1 - q exceeds 1 - p by less than the least double."""
    p, order = 1e-322, 5e4
    with mp.workdps(1000):
        q, a = mpf(p) * mp.exp(mpf("-0.01")), mpf(order)
        moment = mpf(p) ** a * q ** (1 - a) + (1 - mpf(p)) ** a * (1 - q) ** (1 - a)
        divergence = float(mp.log(moment) / (a - 1))
    region = RenyiRegion(np.array([order]), np.array([divergence]))
    assert region._log_ratio(p, 1.0) == pytest.approx(0.01, rel=1e-9)
