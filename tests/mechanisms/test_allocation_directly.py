# SPDX-License-Identifier: Apache-2.0
"""Random allocation of normal noise against double integrals and Monte Carlo.

The proposals reach the rare event. At little noise delta = E_Q (R - e^epsilon)_+, of a record that
is removed, is ruled by one large coordinate, any of them: the proposal raises a random one. Raising
a certain one misses a third, as the others jump too. Else, and when a record is added, all
coordinates are a little off.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import hockeystick as hs


def of_three(noise, epsilon, *, removes):
    """delta of three steps: a double integral of what the third makes of two, which is closed."""
    mu, alpha = 1 / noise, math.exp(epsilon)
    strike = 3 * alpha if removes else 3 / alpha
    x = np.arange(-9, 9 + 2 * mu, 0.02)  # the trapezoid rule is off by e^-1000 of what is smooth
    weights, value = (
        np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * 0.02,
        np.exp(mu * x - mu * mu / 2),
    )
    left = strike - value[:, None] - value
    at = (np.log(np.maximum(left, 1e-300)) + mu * mu / 2) / mu
    if removes:  # E (Y - left)_+
        third = np.where(left > 0, ndtr(mu - at) - left * ndtr(-at), 1 - left)
        return float(weights @ third @ weights) / 3
    third = np.where(left > 0, left * ndtr(at) - ndtr(at - mu), 0)
    return float(weights @ third @ weights) * alpha / 3


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
def test_three_steps_are_a_double_integral(noise, adjacency, delta):
    run = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=3)
    lower, upper = run.epsilon_bounds(delta, adjacency=adjacency)
    removes, off = adjacency == "remove-one", 1e-7 * delta
    assert of_three(noise, upper, removes=removes) <= delta + off
    assert of_three(noise, lower, removes=removes) >= delta - off


SAMPLES, BLOCK = 400_000, 20_000
CASES = [(1.0, 3), (1.0, 10), (1.0, 100), (0.7, 30), (2.0, 50), (3.0, 8)]


def estimates(noise, steps, epsilon, *, removes, seed):
    """Independent unbiased estimates of delta, each of a block of samples."""
    rng, mu, alpha = np.random.default_rng(seed), 1 / noise, math.exp(epsilon)
    raised = math.log(max(steps * (alpha - 1) + 1, 2.0)) / mu + mu / 2
    moved = (1 if removes else -1) * epsilon / math.expm1(mu * mu) * mu
    for _ in range(SAMPLES // BLOCK):
        x = rng.standard_normal((BLOCK, steps))
        if removes and noise <= 1:
            x[np.arange(BLOCK), rng.integers(steps, size=BLOCK)] += raised
            weight = 1 / np.exp(raised * x - raised**2 / 2).mean(axis=1)
        else:
            x += moved
            weight = np.exp(steps * moved**2 / 2 - moved * x.sum(axis=1))
        ratio = np.exp(mu * x - mu * mu / 2).mean(axis=1)
        excess = ratio - alpha if removes else 1 - alpha * ratio
        yield float(np.mean(weight * np.maximum(excess, 0)))


@pytest.mark.deep
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
@pytest.mark.parametrize("adjacency", ["remove-one", "add-one"])
@pytest.mark.parametrize(("noise", "steps"), CASES)
def test_samples_agree(noise, steps, adjacency, delta):
    run = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=steps)
    epsilon = run.epsilon(delta, adjacency=adjacency)
    removes = adjacency == "remove-one"
    found = list(estimates(noise, steps, epsilon, removes=removes, seed=steps))
    mean, error = np.mean(found), np.std(found, ddof=1) / math.sqrt(len(found))
    assert error < 0.1 * delta
    assert abs(mean - delta) < 5 * error + 3e-3 * delta
