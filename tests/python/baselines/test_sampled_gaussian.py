# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of the sampled Gaussian against rigorous quadrature and exact sums."""

import itertools
import math

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from exact.model import Step
from exact.renyi import divergence as exact_divergence
from exact.renyi import whole_divergence
from hockeystick.baselines.sampled_gaussian import divergence

ACCURACY = 1e-13


def near(value, truth, accuracy=ACCURACY):
    return bool(abs(arb(value) - truth) <= accuracy * truth)


orders = st.floats(-3, 2.5).map(lambda x: 1 + 10**x)
noise_multipliers = st.floats(-0.7, 3).map(lambda x: 10**x)
probabilities = st.floats(-12, 0).map(lambda x: min(10**x, 1 - 1e-9))


@given(orders, noise_multipliers, probabilities)
def test_any_order(order, noise_multiplier, q):
    truth = exact_divergence(order, Step(noise_multiplier, q), "remove")
    assert near(divergence(order, noise_multiplier, q), truth)


@given(st.integers(2, 1000), noise_multipliers, probabilities)
def test_whole_orders(order, noise_multiplier, q):
    """Where the truth is a sum of Mironov, Talwar & Zhang (2019)."""
    truth = whole_divergence(order, Step(noise_multiplier, q))
    assert near(divergence(float(order), noise_multiplier, q), truth)


@pytest.mark.parametrize(
    ("order", "noise_multiplier", "q"),
    [
        (10_000, 1e3, 1e-4),
        (10_000, 1e12, 0.5),
        (10_000, 30.0, 0.01),
        (10_000, 100.0, 1e-3),
        (1500, 30.0, 0.17),  # neither e^(2 w) nor e^(a w), but about e^(400 w) decides
    ],
)
def test_large_orders(order, noise_multiplier, q):
    truth = whole_divergence(order, Step(noise_multiplier, q))
    assert near(divergence(float(order), noise_multiplier, q), truth)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("order", "noise_multiplier", "q"),
    [
        (1.5, 1.0, 0.01),  # the run that everybody shows
        (1 + 2**-52, 1.0, 0.01),
        (1 + 1e-9, 0.5, 0.3),
        (1 + 1e-6, 0.05, 0.5),  # an e^-(1/s)^2 is left of what cancels
        (1.5, 0.1, 0.01),
        (10.5, 0.4, 0.01),
        (1.1, 1e6, 1e-3),
        (1.1, 0.08, 1e-150),  # e^(2 w), not e^(a w), decides
        (1.5, 0.3, 1 - 2**-53),
    ],
)
def test_corners(order, noise_multiplier, q):
    truth = exact_divergence(order, Step(noise_multiplier, q), "remove")
    assert near(divergence(order, noise_multiplier, q), truth)


@pytest.mark.parametrize("order", [1.1, 2.0, 7.5, 30.0])
@pytest.mark.parametrize(("noise_multiplier", "q"), [(0.5, 0.1), (1.0, 0.01), (2.0, 0.9)])
def test_removal_is_the_larger_direction(order, noise_multiplier, q):
    step = Step(noise_multiplier, q)
    remove, add = (exact_divergence(order, step, way) for way in ("remove", "add"))
    assert add <= remove
    assert divergence(order, noise_multiplier, q) >= add


EXTREME = [1 + 2**-52, 1.001, 1.5, 2.0, 2.5, 100.0, 100.5, 999.5, 1e4]


@pytest.mark.every(3)
@pytest.mark.parametrize("noise_multiplier", [1e-3, 0.02, 0.3, 50.0, 1e12])
@pytest.mark.parametrize("q", [5e-324, 1e-300, 1e-12, 0.5, 1 - 2**-53])
def test_never_falls_with_the_order_nor_with_the_probability(noise_multiplier, q):
    values = [divergence(order, noise_multiplier, q) for order in EXTREME]
    assert all(0 <= value < math.inf for value in values)
    assert all(low <= high * (1 + 1e-12) for low, high in itertools.pairwise(values))
    unsampled = [order / (2 * noise_multiplier**2) for order in EXTREME]
    assert all(a <= b * (1 + 1e-12) for a, b in zip(values, unsampled, strict=True))
