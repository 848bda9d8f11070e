# SPDX-License-Identifier: Apache-2.0
"""Runs with correlated noise: truths, compositions, amplification, ledgers, refusals."""

import math

import numpy as np
import pytest

import hockeystick as hs

NOISE = {"noise_multiplier": 3.0}
ROOT = [1.0]
for _t in range(1, 400):
    ROOT.append(ROOT[-1] * (2 * _t - 1) / (2 * _t))


def test_the_identity_is_independent_noise():
    run = hs.MatrixMechanism(np.eye(9), noise_multiplier=3.0)
    assert run.epsilon(1e-6) == pytest.approx((9 * hs.Gaussian(3.0)).epsilon(1e-6), rel=1e-12)
    once = hs.MatrixMechanism(np.eye(9), noise_multiplier=3.0, max_participations=1)
    assert once.epsilon(1e-6) == pytest.approx(hs.Gaussian(3.0).epsilon(1e-6), rel=1e-12)


def test_correlated_noise_beats_independent_noise_of_the_same_error():
    """Prefix sums of 400 steps by the root of the matrix: less epsilon at the same last error."""
    run = hs.MatrixMechanism.toeplitz(ROOT, steps=400, noise_multiplier=20.0, max_participations=1)
    error = 20.0 * math.sqrt(sum(x * x for x in ROOT))
    independent = hs.Gaussian(error / math.sqrt(400))
    assert run.epsilon(1e-6) < 0.5 * independent.epsilon(1e-6)


def test_it_composes_and_is_asked_like_any_mechanism():
    run = hs.MatrixMechanism.toeplitz(ROOT, steps=400, noise_multiplier=40.0, min_separation=100)
    gaussian = run.gaussian()
    both = 2 * run + hs.Laplace(20.0)
    other = 2 * gaussian + hs.Laplace(20.0)
    assert both.epsilon(1e-6) == pytest.approx(other.epsilon(1e-6), rel=1e-3)
    assert run.gdp_mu() == pytest.approx(gaussian.gdp_mu(), rel=1e-9)
    assert run.zcdp() == pytest.approx(gaussian.zcdp(), rel=1e-9)
    assert run.renyi_divergence(8.0) == pytest.approx(gaussian.renyi_divergence(8.0), rel=1e-9)
    assert run.true_positive_rate(0.01) == pytest.approx(gaussian.true_positive_rate(0.01))
    assert run.bayes_risk() == pytest.approx(gaussian.bayes_risk())
    assert run.delta(1.0) == pytest.approx(gaussian.delta(1.0), rel=1e-9)
    budget = hs.GaussianFilter(mu=run.gdp_mu() * 2.01)
    assert budget.runs_left(run) == 4
    noise = hs.calibrate(
        lambda s: hs.MatrixMechanism.toeplitz(ROOT, steps=400, noise_multiplier=s),
        epsilon=1.0,
        delta=1e-6,
        bounds=(1.0, 1e6),
    )
    found = hs.MatrixMechanism.toeplitz(ROOT, steps=400, noise_multiplier=noise)
    assert 0.999 < found.epsilon(1e-6) <= 1


def test_trees():
    for leaves, height in ((1, 1), (2, 2), (3, 2), (1000, 10), (1024, 11)):
        run = hs.MatrixMechanism.tree(leaves=leaves, noise_multiplier=20.0, restarts=3)
        lower, upper = run.sensitivity_bounds()
        assert lower <= math.sqrt(3 * height) <= upper <= lower * (1 + 1e-15)
    # The complete nodes of five steps, written out.
    nodes = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    nodes += [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 1, 1, 1, 0]]
    written = hs.MatrixMechanism(nodes, noise_multiplier=20.0, max_participations=1)
    tree = hs.MatrixMechanism.tree(leaves=5, noise_multiplier=20.0)
    assert written.sensitivity_bounds() == pytest.approx(tree.sensitivity_bounds(), rel=1e-15)


def test_amplified_runs_are_sampled_gaussians_of_the_columns():
    run = hs.MatrixMechanism.toeplitz([1, 0.5], steps=41, noise_multiplier=2.0, min_separation=4)
    step = hs.Gaussian(2.0 / math.sqrt(1.25))
    amplified = run.amplified(0.1)
    terms = dict(amplified.terms)
    assert sorted(terms.values()) == [1, 10]  # the last column is cut
    expected = 10 * step.poisson_sampled(0.1) + hs.Gaussian(2.0).poisson_sampled(0.1)
    assert amplified.epsilon(1e-6) == pytest.approx(expected.epsilon(1e-6), rel=1e-9)
    written = [
        [1.0 if i == j else 0.5 if i == j + 1 else 0.0 for j in range(41)] for i in range(41)
    ]
    dense = hs.MatrixMechanism(written, noise_multiplier=2.0, min_separation=4)
    assert dense.amplified(0.1) == amplified
    assert run.amplified(1.0).epsilon(1e-6) == pytest.approx(run.epsilon(1e-6), rel=1e-9)


def test_groups_of_different_columns_are_answered_by_the_worst():
    strategy = np.diag([3.0, 2.5, 1.0, 2.0])
    run = hs.MatrixMechanism(strategy, noise_multiplier=4.0, min_separation=2)
    amplified = run.amplified(0.2)
    assert isinstance(amplified, hs.DisjointParts)
    groups = [
        hs.Gaussian(4 / 3).poisson_sampled(0.2) + hs.Gaussian(4.0).poisson_sampled(0.2),
        hs.Gaussian(1.6).poisson_sampled(0.2) + hs.Gaussian(2.0).poisson_sampled(0.2),
    ]
    assert amplified.epsilon(1e-6) == pytest.approx(max(g.epsilon(1e-6) for g in groups), rel=1e-9)


def test_zero_strategies_cost_nothing():
    run = hs.MatrixMechanism(np.zeros((2, 2)), **NOISE)
    assert (3 * run).terms == ()
    assert run + hs.Gaussian(2.0) == hs.Composition([(hs.Gaussian(2.0), 1)])
