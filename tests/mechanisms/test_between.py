# SPDX-License-Identifier: Apache-2.0
"""Gaussians whose noise is known between two numbers: the pairs of both, in every adjacency."""

import pytest

import hockeystick as hs


@pytest.mark.parametrize("adjacency", list(hs.Adjacency), ids=lambda one: one.value)
@pytest.mark.parametrize(("least", "most"), [(1.0, 1.001), (0.3, 0.5), (20.0, 20.0)])
def test_ends_are_those_of_both_gaussians(adjacency, least, most):
    between = hs.GaussianBetween(least_noise=least, most_noise=most)
    for run in (between, 7 * between):
        count = run.terms[0][1]
        bounds = run.epsilon_bounds(1e-6, adjacency=adjacency)
        upper = (count * hs.Gaussian(least)).epsilon_bounds(1e-6, adjacency=adjacency)
        lower = (count * hs.Gaussian(most)).epsilon_bounds(1e-6, adjacency=adjacency)
        assert upper.lower <= bounds.upper <= upper.upper * (1 + 1e-9)
        assert lower.lower * (1 - 1e-9) <= bounds.lower <= lower.upper
        assert (bounds.limited_by == "theory") == (most > least * 1.0001)


def test_filters_take_the_least_noise():
    budget = hs.GaussianFilter(mu=1)
    assert budget.runs_left(hs.GaussianBetween(least_noise=10.0, most_noise=11.0)) == 100
