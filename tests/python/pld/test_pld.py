# SPDX-License-Identifier: Apache-2.0
"""The distribution agrees with the queries, from the side it says."""

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


@pytest.mark.parametrize(("side", "sign"), [("upper", 1), ("lower", -1)])
def test_privacy_buckets_are_off_by_half_an_interval_a_step(side, sign):
    run, interval = 1000 * SINGLE.poisson_sampled(0.01), 1e-4
    found = pld(run, discretization_interval=interval, side=side, estimator="privacy_buckets")
    truth = run.epsilon_bounds(1e-5, tolerance=1e-5)
    off = sign * (found.epsilon(1e-5) - truth.estimate)
    assert off == pytest.approx(1000 * interval / 2, rel=0.01)


def test_runs_of_gaussians_sit_on_the_support_step_by_step():
    """Merged, a hundred of them would lose more than any loss of the support."""
    run = 100 * hs.Gaussian(noise_multiplier=20.0)
    support = np.arange(-64, 65) / 64
    bounds = run.delta_bounds(1.0)
    lower, upper = (
        pld(run, discretization_interval=1 / 64, side=side, support=support).delta(1.0)
        for side in ("lower", "upper")
    )
    assert 0.95 * bounds.upper < lower < bounds.lower
    assert bounds.upper < upper < 1.1 * bounds.lower


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_the_window_follows_the_losses_moved(side):
    """Five nats up or down, further than the truth's own window reaches."""
    run = 1000 * SINGLE.poisson_sampled(0.01)
    moved = pld(run, discretization_interval=1e-2, side=side, estimator="privacy_buckets")
    assert moved.slack < 1e-9
    assert moved.probabilities.sum() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_infinite_losses_compose(side):
    """Those of either: 1 - (1 - s)(1 - t)."""
    one, other = (hs.ApproximateDP(epsilon=0.5, delta=delta) for delta in (0.2, 0.05))
    first, second = (
        pld(mechanism, side=side, discretization_interval=0.125) for mechanism in (one, other)
    )
    for pair in ((first, second), (second, first)):
        found = pair[0].delta_composed(pair[1], np.array([1.0, 2.0]))
        assert found == pytest.approx(1 - 0.8 * 0.95, rel=1e-9)
        outward = found - (1 - 0.8 * 0.95)
        assert np.all(outward >= 0 if side == "upper" else outward <= 0)


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_atoms_on_the_grid_stay_in_their_buckets(side):
    """Nothing is rounded: the distribution is the exact one, as connect the dots finds it."""
    run = 3 * hs.ApproximateDP(epsilon=0.5, delta=0.01)
    found, exact = (
        pld(run, side=side, discretization_interval=0.125, estimator=estimator)
        for estimator in ("privacy_buckets", "connect_dots")
    )
    assert found.delta(EPSILONS) == pytest.approx(exact.delta(EPSILONS), rel=1e-12)
    given = pld(
        run,
        side=side,
        discretization_interval=0.125,
        estimator="privacy_buckets",
        support=[-0.5, 0.5],
    )
    assert given.delta(EPSILONS) == pytest.approx(exact.delta(EPSILONS), rel=1e-12)


def test_a_pair_that_is_its_own_reverse_composes_with_any():
    """A Gaussian counts for both directions, computed once."""
    gaussian, sampled = pld(SINGLE), pld()
    worst = max(
        pld(SINGLE, adjacency=a).delta_composed(pld(adjacency=a), 1.0)
        for a in (Adjacency.REMOVE_ONE, Adjacency.ADD_ONE)
    )
    assert gaussian.delta_composed(sampled, 1.0) == worst
    assert sampled.reflected().delta_composed(gaussian.reflected(), 1.0) >= worst


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_OR_REMOVE_ONE, Adjacency.ADD_ONE])
def test_attacks_are_bounded_from_the_side(adjacency):
    upper, lower = (pld(side=side, adjacency=adjacency) for side in ("upper", "lower"))
    rates = np.array([[1e-6, 1e-3, 0.2, 0.5, 0.99]])
    bounds = RUN.true_positive_rate_bounds(rates, adjacency=adjacency, tolerance=1e-6)
    assert np.all(upper.true_positive_rate(rates) >= bounds.lower)
    assert np.all(lower.true_positive_rate(rates) <= bounds.upper)
    gap = upper.true_positive_rate(rates) - lower.true_positive_rate(rates)
    assert np.all(gap <= 1e-2 * np.minimum(bounds.upper, 1 - bounds.lower))
    assert np.all(upper.tradeoff(rates) <= 1 - bounds.lower)
    assert np.all(lower.tradeoff(rates) >= 1 - bounds.upper)
    assert type(upper.tradeoff(0.5)) is float
    assert lower.advantage() <= RUN.advantage() <= upper.advantage() * (1 + 1e-3)
    assert lower.true_positive_rate(0.0) <= upper.true_positive_rate(0.0) <= 1e-10


@pytest.mark.parametrize(
    ("estimator", "side", "stepwise"),
    [
        ("privacy_buckets", "upper", 16.32),  # Doroshenko et al. (2022), Figure 5; peers say so too
        ("connect_dots", "upper", 3.854),
    ],
)
def test_gaussians_are_put_on_the_grid_step_by_step(estimator, side, stepwise):
    run = 5000 * hs.Gaussian(noise_multiplier=80.0)
    grid = {"discretization_interval": 0.005, "estimator": estimator, "side": side}
    epsilon = run.pld(merge_gaussians=False, **grid).epsilon(1e-5)
    assert epsilon == pytest.approx(stepwise, abs=6e-3)
    assert run.pld(**grid).epsilon(1e-5) == pytest.approx(
        epsilon if estimator == "privacy_buckets" else run.epsilon(1e-5), rel=2e-3
    )


@pytest.mark.parametrize("step", [hs.Laplace(0.9), hs.DiscreteGaussian(2.0), hs.Gaussian(2.0)])
@pytest.mark.parametrize("adjacency", ["add-one", "add-or-remove-one", "replace-one"])
def test_groups_have_laws_of_every_direction(step, adjacency):
    run = 5 * step.group(3)
    law = run.pld(discretization_interval=0.01, adjacency=adjacency)
    bounds = run.delta_bounds(1.0, adjacency=adjacency)
    assert bounds.lower <= law.delta(1.0) <= bounds.upper * 1.01
    assert len(law.directions) == len(hs.Adjacency(adjacency).directions)
