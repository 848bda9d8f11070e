# SPDX-License-Identifier: Apache-2.0
"""A distribution on a Poisson subsample is bounded from its side, by the curve that it samples."""

import math
import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import Adjacency, _core
from pld import stored

GAUSSIAN = hs.Gaussian(noise_multiplier=1.0)
RARE = hs.ApproximateDP(epsilon=1.0, delta=0.01)
SKEW = hs.DiscretePair(p=[0.7, 0.2, 0.1, 0.0], q=[0.1, 0.1, 0.1, 0.7])
MECHANISMS = [GAUSSIAN, hs.Laplace(noise_multiplier=1.0), RARE, SKEW]
ADJACENCIES = [one for one in Adjacency if not one.directions[0].replaces]
EPSILONS = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 3.0])


def both_sides(run, q, **arguments):
    grid = {"discretization_interval": 2.0**-10} | arguments
    return [run.pld(side=side, **grid).poisson_sampled(q) for side in ("lower", "upper")]


@pytest.mark.parametrize("q", [0.01, 0.3, 0.999])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_both_sides_enclose_the_sampled_mechanism(mechanism, adjacency, q):
    lower, upper = both_sides(mechanism, q, adjacency=adjacency)
    truth = mechanism.poisson_sampled(q).delta_bounds(EPSILONS, adjacency=adjacency)
    assert np.all(upper.delta(EPSILONS) >= truth.lower)
    assert np.all(lower.delta(EPSILONS) <= truth.upper)
    assert np.all(upper.delta(EPSILONS) <= truth.upper + 4e-4)
    assert np.all(lower.delta(EPSILONS) >= truth.lower - 4e-4)


@pytest.mark.parametrize("q", [0.05, 0.5])
def test_a_composition_is_sampled_as_a_whole(q):
    run = 5 * GAUSSIAN + 2 * RARE
    lower, upper = both_sides(run, q, adjacency="remove-one")
    for epsilon in EPSILONS.tolist():
        inside = math.log1p(math.expm1(epsilon) / q)
        whole = run.delta_bounds(inside, adjacency="remove-one")
        assert lower.delta(epsilon) <= q * whole.upper * (1 + 1e-12)
        assert upper.delta(epsilon) >= q * whole.lower * (1 - 1e-12)
        assert upper.delta(epsilon) - lower.delta(epsilon) <= 1e-2 * q * whole.upper


@pytest.mark.parametrize("adjacency", [Adjacency.REMOVE_ONE, Adjacency.ADD_ONE])
def test_mass_that_truncation_took_is_not_given_back(adjacency):
    """Below its window a lower distribution goes on as the line of what is left."""
    support = np.arange(-200, 6000) * 2.0**-10
    lower, upper = both_sides(GAUSSIAN, 0.9, adjacency=adjacency, support=support)
    epsilons = np.linspace(0, 2.5, 50)
    for way, low, high in (
        (adjacency, lower, upper),
        (adjacency.reversed, lower.reflected(), upper.reflected()),
    ):
        truth = GAUSSIAN.poisson_sampled(0.9).delta_bounds(epsilons, adjacency=way)
        assert np.all(low.delta(epsilons) <= truth.upper)
        assert np.all(high.delta(epsilons) >= truth.lower)


def test_directions_and_reflection_stay_in_their_order():
    whole = SKEW.pld(discretization_interval=2.0**-10)
    for at, adjacency in enumerate(("remove-one", "add-one")):
        alone = SKEW.pld(discretization_interval=2.0**-10, adjacency=adjacency).poisson_sampled(0.3)
        for same in (
            whole.poisson_sampled(0.3).directions[at],
            whole.directions[at].poisson_sampled(0.3),
            whole.reflected().directions[1 - at].poisson_sampled(0.3),
        ):
            assert same.delta(EPSILONS) == pytest.approx(alone.delta(EPSILONS), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("q", [0.0, 1e-300, 1e-12, 1 - 2**-53, 1.0])
@pytest.mark.parametrize(
    "run",
    [
        GAUSSIAN,
        hs.Composition(),
        hs.ApproximateDP(epsilon=700.0, delta=1e-3),
        hs.ApproximateDP(epsilon=0.0, delta=1.0),
        hs.DiscretePair(p=[1.0, 0.0], q=[0.0, 1.0]),
    ],
    ids=repr,
)
def test_ends_of_the_range(run, q):
    lower, upper = both_sides(run, q, discretization_interval=0.25)
    most = q * run.delta(0.0)
    assert 0 <= lower.delta(0.0) <= most * (1 + 1e-9)
    assert most * (1 - 1e-9) <= upper.delta(0.0) <= 1
    assert np.all(lower.delta(EPSILONS) <= upper.delta(EPSILONS))
    infinite = q * run.delta(800.0)
    assert lower.infinity_mass <= infinite * (1 + 1e-9)
    assert upper.infinity_mass >= infinite * (1 - 1e-9)


def test_rounding_finer_than_the_interval_is_refused():
    run = hs.ApproximateDP(epsilon=600.0, delta=0.0).pld(discretization_interval=1.0, side="lower")
    assert run.poisson_sampled(0.5).delta(0.0) > 0.49
    rough = stored.alone(
        stored.step([-1, 1], [0.3, 0.7], interval=1.0, loss_error=0.6, side="lower")
    )
    with pytest.raises(ValueError, match="^discretization_interval must be larger than"):
        _core.poisson_sampled(rough, 0.5, backward=False, memory_limit=10**9)


def test_a_pickle_samples_again():
    made = SKEW.pld(discretization_interval=0.25).poisson_sampled(0.5).reflected()
    again = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert again.delta(EPSILONS).tobytes() == made.delta(EPSILONS).tobytes()
    assert GAUSSIAN.pld().poisson_sampled(1.0).side == "upper"
