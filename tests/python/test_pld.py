# SPDX-License-Identifier: Apache-2.0
"""The distribution agrees with the queries, from the side it says."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency

SINGLE = hs.Gaussian(noise_multiplier=1.0)
RUN = 100 * SINGLE.poisson_sampled(0.05)
EPSILONS = np.array([0.0, 0.25, 1.0, 2.0])


def pld(run=RUN, **arguments):
    return run.pld(**{"discretization_interval": 1e-3} | arguments)


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_it_is_plot_ready(side):
    distribution = pld(side=side)
    losses, probabilities = distribution.losses, distribution.probabilities
    assert losses.shape == probabilities.shape
    assert np.allclose(np.diff(losses), 1e-3, rtol=1e-9, atol=0)
    assert np.all(probabilities >= 0)
    assert distribution.side == side
    assert distribution.discretization_interval == 1e-3
    assert 0 <= distribution.infinity_mass < 1e-10
    if side == "upper":
        total = probabilities.sum() + distribution.infinity_mass
        assert total == pytest.approx(1, rel=1e-9)


def test_the_masses_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        pld().probabilities[0] = 1.0


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_both_sides_enclose_the_certified_bounds(adjacency):
    upper = pld(side="upper", adjacency=adjacency)
    lower = pld(side="lower", adjacency=adjacency)
    for epsilon in EPSILONS:
        bounds = RUN.delta_bounds(epsilon=epsilon, adjacency=adjacency)
        assert lower.delta(epsilon) <= bounds.upper
        assert upper.delta(epsilon) >= bounds.lower
        assert upper.delta(epsilon) == pytest.approx(bounds.upper, rel=1e-2)
        assert lower.delta(epsilon) == pytest.approx(bounds.lower, rel=1e-2)
    for delta in (1e-2, 1e-5):
        bounds = RUN.epsilon_bounds(delta=delta, adjacency=adjacency)
        assert lower.epsilon(delta) <= bounds.upper
        assert upper.epsilon(delta) >= bounds.lower
        assert upper.epsilon(delta) == pytest.approx(bounds.upper, rel=1e-2)


def test_algorithm_2_is_looser_than_the_default():
    epsilon = 1.0
    loose = pld(side="lower", estimator="algorithm_2").delta(epsilon)
    tight = pld(side="lower").delta(epsilon)
    assert 0 < loose <= tight


@pytest.mark.parametrize(("side", "sign"), [("upper", 1), ("lower", -1)])
def test_privacy_buckets_are_off_by_half_an_interval_a_step(side, sign):
    run, interval = 1000 * SINGLE.poisson_sampled(0.01), 1e-4
    found = pld(run, discretization_interval=interval, side=side, estimator="privacy_buckets")
    truth = run.epsilon_bounds(1e-5, tolerance=1e-5)
    off = sign * (found.epsilon(1e-5) - truth.estimate)
    assert off == pytest.approx(1000 * interval / 2, rel=0.01)


def test_the_worse_direction_counts():
    both = pld()
    remove = pld(adjacency=Adjacency.REMOVE_ONE)
    add = pld(adjacency=Adjacency.ADD_ONE)
    worst = np.maximum(remove.delta(EPSILONS), add.delta(EPSILONS))
    assert np.array_equal(both.delta(EPSILONS), worst)
    assert np.array_equal(both.probabilities, remove.probabilities)


def test_reflection_turns_removal_into_addition():
    reflected = pld(adjacency=Adjacency.REMOVE_ONE).reflected()
    add = pld(adjacency=Adjacency.ADD_ONE)
    assert reflected.delta(1.0) == pytest.approx(add.delta(1.0), rel=1e-2)
    assert reflected.delta(1.0) >= RUN.delta_bounds(1.0, adjacency=Adjacency.ADD_ONE).lower


def test_delta_is_the_formula_over_the_masses():
    distribution = pld(SINGLE)
    for epsilon in EPSILONS:
        terms = np.maximum(0, -np.expm1(epsilon - distribution.losses))
        formula = distribution.infinity_mass + np.sum(terms * distribution.probabilities)
        assert distribution.delta(epsilon) == pytest.approx(formula, rel=1e-3)


def test_the_budget_is_small():
    budget = pld().error_budget
    assert 0 <= budget.slack < 1e-10
    assert 0 <= budget.loss_error < 1e-10


def test_queries_keep_shapes():
    distribution = pld()
    assert type(distribution.delta(1.0)) is float
    assert type(distribution.epsilon(1e-5)) is float
    assert distribution.delta(EPSILONS.reshape(2, 2)).shape == (2, 2)
    assert distribution.epsilon(np.array([1e-5])).shape == (1,)


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ({"discretization_interval": 0.0}, ValueError, "discretization_interval"),
        ({"discretization_interval": -1.0}, ValueError, "discretization_interval"),
        ({"discretization_interval": math.nan}, ValueError, "discretization_interval"),
        ({"discretization_interval": "1"}, TypeError, "discretization_interval"),
        ({"side": "both"}, ValueError, "side"),
        ({"side": None}, TypeError, "side"),
        ({"estimator": "buckets"}, ValueError, "estimator"),
        ({"estimator": "algorithm_2", "side": "upper"}, ValueError, "side"),
        ({"tail_mass": 0.0}, ValueError, "tail_mass"),
        ({"tail_mass": 1.0}, ValueError, "tail_mass"),
        ({"tail_mass": math.nan}, ValueError, "tail_mass"),
        ({"adjacency": "add-one"}, TypeError, "adjacency"),
        ({"memory_limit": 0}, ValueError, "memory_limit"),
        ({"memory_limit": 2.0}, TypeError, "memory_limit"),
    ],
)
def test_bad_arguments_are_named(arguments, error, name):
    with pytest.raises(error, match=f"^{name} must be "):
        RUN.pld(**arguments)


def test_a_grid_too_fine_names_the_limit():
    with pytest.raises(ValueError, match="memory_limit"):
        RUN.pld(discretization_interval=1e-9, memory_limit=2**20)


@pytest.mark.parametrize("value", [-1.0, math.nan, 1e5])
def test_bad_epsilons_are_named(value):
    with pytest.raises(ValueError, match="^epsilon must be "):
        pld().delta(value)


@pytest.mark.parametrize("value", [0.0, 1.0, math.nan])
def test_bad_deltas_are_named(value):
    with pytest.raises(ValueError, match="^delta must be "):
        pld().epsilon(value)
