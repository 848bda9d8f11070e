# SPDX-License-Identifier: Apache-2.0
"""The bound of shuffled epochs that leave records out: its integral, and small shuffles.

The integral is that of the theorem (cpp/proofs/shuffled-left-out.md) over one or two batches, by
quadrature. The theorem itself is held to adversaries of small shuffles, too.
"""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core

sampling = _core.sampling
NODES, WEIGHTS = np.polynomial.legendre.leggauss(500)
NODES, WEIGHTS = 10 * NODES, 10 * WEIGHTS
DENSITY = np.exp(-(NODES**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS


def normal(x):
    """P(Z > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


def call(spread, at):
    """E (Y - at)_+ of a log-normal Y of mean 1, at > 0."""
    x = (math.log(at) + spread**2 / 2) / spread
    return normal(x - spread) - at * normal(x)


def put(spread, at):
    """E (at - Y)_+."""
    x = (math.log(at) + spread**2 / 2) / spread if at > 0 else -math.inf
    return max(at, 0) * normal(-x) - normal(spread - x)


def one_batch(mu, t, alpha, ratio, *, back):
    """E (m T (Y - alpha) - r (alpha - 1))_+ / n, or with 1 - alpha Y; ratio: r / m."""
    a, c = math.sqrt(1 + t) * mu, math.sqrt(1 + 1 / t) * mu
    total = 0.0
    for g, weight in zip(NODES + a, WEIGHTS, strict=True):
        factor, density = math.exp(a * g - a * a / 2), math.exp(-g * g / 2) / math.sqrt(2 * math.pi)
        less = ratio * (alpha - 1) / factor
        inner = alpha * put(c, (1 - less) / alpha) if back else call(c, alpha + less)
        total += factor * inner * density * weight
    return total / (1 + ratio)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("mu", "ratio"), [(0.25, 0.5), (1.0, 10.0), (0.05, 0.01)])
def test_one_batch_is_the_integral(mu, ratio, back):
    """Above the least over t of the theorem's integral, by what cells add."""
    alphas = [math.exp(mu * k) for k in (0.0, 0.1, 0.5, 1.0)]
    for alpha in alphas:  # each alone, as s is kept for questions that are close together
        (upper,) = sampling.shuffle_bound(mu, 1, ratio, 1 / (1 + ratio), back=back, alpha=[alpha])
        step = hs.Gaussian(1 / mu).delta_bounds(math.log(alpha), adjacency="remove-one")
        exact = [one_batch(mu, 2 ** (k / 2), alpha, ratio, back=back) for k in range(-4, 9)]
        least = min(step.upper, *exact)
        assert least * (1 - 1e-9) <= upper <= 1.25 * least


def two_batches(mu, t, alpha, *, back):
    """The theorem's integral, by quadrature."""
    a, c = math.sqrt(1 + t) * mu, math.sqrt(1 + 1 / t) * mu
    x = np.exp(a * NODES - a * a / 2)[:, None]
    y = np.exp(c * (NODES + (0 if back else c)) - c * c / 2)[None, :]
    weight = DENSITY[:, None] * (
        DENSITY if back else np.exp(-((NODES + c) ** 2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS
    )
    term = (x * (1 - alpha * y if back else y - alpha)).ravel()
    order = np.argsort(term)
    term, weight = term[order], weight.ravel()[order]
    mass, first = np.cumsum(weight[::-1])[::-1], np.cumsum((weight * term)[::-1])[::-1]
    at = np.searchsorted(term, -term)
    inside = at < len(term)
    at, own, value = at[inside], weight[inside], term[inside]
    return float((own * (first[at] + value * mass[at])).sum()) / 2


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("mu", [0.25, 1.0])
def test_two_batches_are_the_integral(mu, back):
    alphas = [1.0, math.exp(0.5 * mu), math.exp(mu)]
    found = sampling.shuffle_bound(mu, 2, 0.0, 1.0, back=back, alpha=alphas)
    for alpha, upper in zip(alphas, found, strict=True):
        step = hs.Gaussian(1 / mu).delta_bounds(math.log(alpha), adjacency="remove-one")
        least = min(
            step.upper, *(two_batches(mu, 2 ** (k / 2), alpha, back=back) for k in range(7))
        )
        assert least * (1 - 1e-6) <= upper <= 1.03 * least


def real_shuffle(mu, alpha, means):
    """delta of one record of three, in one of two batches or left out.

    The other two add `means` to their batches when they stand there, each order alike likely; a
    batch's second query is turned by what the first answered, so as to hurt most.
    """
    first, second = (m * mu for m in means)
    best = 0.0
    outputs = NODES + mu
    means = np.array([mu, first, second, 0.0])
    weight = np.exp(-(outputs**2) / 2) / math.sqrt(2 * math.pi) * WEIGHTS

    def density(at):  # against N(0, 1)
        return np.exp(at * outputs - at * at / 2)

    # Places of (record, A, B): batch 1, batch 2, left out.
    for turn in (1.0, -1.0):
        gain = np.zeros(len(outputs))
        for n, z in enumerate(outputs):
            record, one, two, none = np.exp(means * z - means**2 / 2)
            flip = turn if z > mu / 2 else 1.0
            total = np.zeros(len(outputs))
            for x, (mine, gone) in ((0, (record, none)), (1, (one, one)), (2, (two, two))):
                if x == 0:  # the record in batch 1: A or B in batch 2
                    for other in (first, second):
                        total += (mine - alpha * gone) * density(flip * other)
                else:  # A or B in batch 1: the record, or the other, in batch 2
                    other = second if x == 1 else first
                    total += mine * (density(mu) - alpha)
                    total += mine * density(flip * other) * (1 - alpha)
            gain[n] = (np.maximum(total / 6, 0) * weight).sum()
        best = max(best, float((gain * weight).sum()))
    return best


@pytest.mark.parametrize("mu", [0.3, 1.0, 1.5])
def test_small_shuffles_are_below(mu):
    """Three records, two batches of one, one left out; others of all signs, chosen adaptively."""
    alphas = [math.exp(e) for e in (0.1, 0.5, 1.0)]
    found = sampling.shuffle_bound(mu, 2, 1.0, 2 / 3, back=False, alpha=alphas)
    for alpha, upper in zip(alphas, found, strict=True):
        attained = [
            real_shuffle(mu, alpha, means) for means in ((0, 0), (-1, -1), (1, 1), (-1, 1), (-1, 0))
        ]
        assert 0 < max(attained) <= upper
