# SPDX-License-Identifier: Apache-2.0
"""The privacy loss of runs that are known by their curve: between chords of the two curves."""

from itertools import product
from math import comb, log

import numpy as np
import pytest
from scipy import integrate, stats

import hockeystick as hs


def allocated_law(p, steps, epochs):
    """Losses of a discrete pair that one of the steps of each epoch draws from P, by their sum."""
    law = {0.0: 1.0}
    for _ in range(epochs):
        composed: dict[float, float] = {}
        for ones, (loss, mass) in product(range(steps + 1), law.items()):
            # Of `ones` first outcomes: the mean of the ratios of the steps, against Q = (1/2, 1/2).
            ratio = (ones * 2 * p + (steps - ones) * 2 * (1 - p)) / steps
            total = round(loss + log(ratio), 12)
            part = comb(steps, ones) / 2**steps * ratio
            composed[total] = composed.get(total, 0.0) + mass * part
        law = composed
    return law


@pytest.mark.parametrize(("p", "steps", "epochs"), [(0.8, 2, 1), (0.7, 3, 2), (0.95, 2, 3)])
def test_allocated_outcomes_by_enumeration(p, steps, epochs):
    pair = hs.DiscretePair((p, 1 - p), (0.5, 0.5))
    run = epochs * pair.random_allocation(steps=steps)
    law = allocated_law(p, steps, epochs)
    losses = np.array(sorted(law))
    between = (losses[1:] + losses[:-1]) / 2
    asked = between[between >= 0]
    tails = [sum(mass for loss, mass in law.items() if loss > at) for at in asked]
    found = run.probabilistic_delta_bounds(asked, adjacency="remove-one")
    assert np.all(found.lower <= np.array(tails) + 1e-12)
    assert np.all(np.array(tails) <= found.upper + 1e-12)
    for level in (0.3, 0.5, 0.9):
        mass, quantile = 0.0, losses[-1]
        for loss in losses:
            mass += law[loss]
            if mass >= level:
                quantile = loss
                break
        ends = run.loss_quantile_bounds(level, adjacency="remove-one")
        assert ends.lower - 1e-9 <= quantile <= ends.upper + 1e-9


def allocated_tail(noise, epsilon):
    """P(L > epsilon) of a Gaussian in one of two steps, the record being there."""

    def beyond(x):
        # exp(L) = (a(x) + a(y)) / 2, a(x) = exp((2 x - 1) / (2 noise^2)); x has the record.
        rest = 2 * np.exp(epsilon) - np.exp((2 * x - 1) / (2 * noise**2))
        most = 0.5 + noise**2 * np.log(rest) if rest > 0 else -np.inf
        return stats.norm.pdf(x, 1, noise) * stats.norm.sf(most, 0, noise)

    return integrate.quad(beyond, 1 - 12 * noise, 1 + 12 * noise, limit=500, epsabs=1e-14)[0]


@pytest.mark.parametrize("noise", [0.7, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0])
def test_an_allocated_gaussian_by_quadrature(noise, epsilon):
    run = hs.Gaussian(noise).random_allocation(steps=2)
    found = run.probabilistic_delta_bounds(epsilon, adjacency="remove-one")
    truth = allocated_tail(noise, epsilon)
    assert found.lower <= truth * (1 + 1e-9)
    assert truth * (1 - 1e-9) <= found.upper
    if truth > 1e-6:
        assert found.upper - found.lower < 0.1 * truth
        at = run.loss_quantile_bounds(1 - truth, adjacency="remove-one")
        assert at.lower <= epsilon + 1e-9
        assert epsilon - 1e-9 <= at.upper


RUNS = {
    "allocated": (10 * hs.Gaussian(2.0).random_allocation(steps=100), "add-or-remove-one"),
    "k of t": (hs.Gaussian(2.0).random_allocation(steps=100, selected=3), "add-or-remove-one"),
    "zCDP": (10 * hs.ZCDP(0.1), "add-or-remove-one"),
    "fixed size": (
        100 * hs.Gaussian(1.0).fixed_size_sampled(batch_size=100, dataset_size=10_000),
        "replace-special",
    ),
    "shuffled": (10 * hs.Gaussian(4.0).shuffled(batches=1000), "replace-special"),
    "mixed": (hs.Gaussian(1.0).random_allocation(2) + 3 * hs.Laplace(2.0), "add-or-remove-one"),
}


@pytest.mark.parametrize("name", RUNS)
def test_tails_and_quantiles_agree_with_deltas(name):
    """delta(e) <= P(L > e) <= delta(e - x) / (1 - exp(-x)), and quantiles are where tails say."""
    run, adjacency = RUNS[name]
    epsilons = [0.0, 0.5, 1.0, 2.0, 800.0]
    tails = run.probabilistic_delta_bounds(epsilons, adjacency=adjacency)
    deltas = run.delta_bounds(epsilons, adjacency=adjacency)
    assert np.all(deltas.lower <= tails.upper)
    assert np.all(tails.lower <= tails.upper)
    assert tails.upper[-1] < 1e-200
    half = run.delta_bounds([0.25, 0.5, 1.5], adjacency=adjacency)
    most = half.upper / -np.expm1(-np.array([0.25, 0.5, 0.5]))
    assert np.all(tails.lower[1:4] <= most)
    for level in (0.5, 0.99, 0.999999):
        quantile = run.loss_quantile_bounds(level, adjacency=adjacency)
        assert np.isfinite(quantile.lower)
        assert np.isfinite(quantile.upper)
        if quantile.upper >= 0:
            above = run.probabilistic_delta_bounds(quantile.upper, adjacency=adjacency)
            assert above.lower <= 1 - level + 1e-12
        if quantile.lower > 0:
            below = run.probabilistic_delta_bounds(quantile.lower, adjacency=adjacency)
            assert below.upper >= 1 - level


@pytest.mark.parametrize("name", RUNS)
def test_quantiles_beside_a_loss_that_may_be_infinite(name):
    """They are infinite exactly where the mass at infinity is above the rest."""
    run, adjacency = RUNS[name]
    run = run + 3 * hs.ApproximateDP(0.1, 1e-5)
    levels = [1 - 2.98e-5, 1 - 3.1e-5, 1 - 3.02e-5, 1 - 1e-9]
    infinite, finite, large, last = zip(
        *run.loss_quantile_bounds(levels, adjacency=adjacency), strict=True
    )
    assert infinite == last == (np.inf, np.inf)
    assert 0 < finite[0] <= finite[1] < 13
    assert large[0] < 13


def test_closer_deltas_tell_more():
    run, adjacency = RUNS["allocated"]
    rough = run.probabilistic_delta_bounds(0.5, adjacency=adjacency, tolerance=0.1)
    close = run.probabilistic_delta_bounds(0.5, adjacency=adjacency, tolerance=1e-3)
    assert close.upper - close.lower < 0.4 * (rough.upper - rough.lower)
    assert rough.lower <= close.upper
    assert close.lower <= rough.upper
    assert close.limited_by == "theory"


@pytest.mark.parametrize("name", ["k of t", "zCDP", "fixed size"])
def test_every_pair_that_the_guarantee_allows_counts(name):
    """A pair below the curve h may have the tail min h(e^t) / (1 - e^(t - epsilon))."""
    run, adjacency = RUNS[name]
    epsilon = 1.0
    before = np.linspace(-3.0, 0.99, 400)
    deltas = run.delta(np.abs(before), adjacency=adjacency)
    curve = np.where(before < 0, 1 - np.exp(before) * (1 - deltas), deltas)  # below 0 the reverse
    most = np.min(curve / -np.expm1(before - epsilon))
    found = run.probabilistic_delta_bounds(epsilon, adjacency=adjacency)
    assert min(1.0, most) * (1 - 0.02) <= found.upper <= min(1.0, most) * 1.2
