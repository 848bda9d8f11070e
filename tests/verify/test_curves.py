# SPDX-License-Identifier: Apache-2.0
"""Every scheme under every adjacency, against the answers that it must be equal to."""

import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import Adjacency, Direction
from hockeystick.verify import renyi
from hockeystick.verify.curves import composed
from hockeystick.verify.errors import NotKnownError
from rare_runs import batches


def normal(noise):
    return hs.Gaussian(noise_multiplier=noise)


def mixture(*masses):
    sizes = (0.0, 1.0, 2.0)[: len(masses)]
    return hs.GaussianMixture(standard_deviation=1.5, sensitivities=sizes, probabilities=masses)


def truncated(batch, size):
    return batches(1.2, 0.15, batch, size)


SPLIT = hs.DiscretePair(p=(0.5, 0.25, 0.25), q=(0.125, 0.25, 0.625))
# An infinite loss in one direction only, and unequal directions.
LOST = hs.DiscretePair(p=(0.25, 0.5, 0.25, 0.0), q=(0.0, 0.25, 0.5, 0.25))

SUMS = [  # a record adds to a sum, or a special one adds nothing to it
    3 * normal(2.0),
    normal(1.0).poisson_sampled(0.1),
    200 * normal(0.9).poisson_sampled(0.05),
    1 * normal(1.0).random_allocation(steps=1000),
    1 * normal(3.510095784414097).random_allocation(steps=2),
    1 * normal(2.0).random_allocation(steps=20, epochs=6),
    4 * hs.Laplace(noise_multiplier=3.0),
    1 * hs.Laplace(noise_multiplier=1.0).poisson_sampled(0.2),
    5 * mixture(0.5, 0.25, 0.25),
    1 * mixture(0.5, 0.25, 0.25).poisson_sampled(0.25),
    6 * hs.DiscreteLaplace(parameter=0.5, sensitivity=2),
    2 * hs.DiscreteLaplace(parameter=0.5).poisson_sampled(0.3),
    3 * hs.DiscreteGaussian(sigma=1.5),
    hs.DiscreteGaussian(sigma=1.0, truncation=6).poisson_sampled(0.3),
    4 * SPLIT,
    2 * LOST.poisson_sampled(0.25),
    7 * hs.ApproximateDP(epsilon=0.4, delta=1e-4),
    4 * hs.ExponentialMechanism(epsilon=0.7),
    4 * hs.PermuteAndFlip(epsilon=0.7),
]
EPSILONS = (-0.2, 0.3)
ORDER = 2.5


def told(run, direction):
    """The curve at some epsilons, and a Renyi divergence where it is known, in balls."""
    with ctx.workprec(140):
        curve = composed(run.terms, direction, 10)
        balls = [curve.delta(arb(epsilon)) for epsilon in EPSILONS]
        try:
            balls.append(renyi.of_direction(run.terms, direction, ORDER, ctx.prec))
        except NotKnownError:
            balls.append(arb("nan"))
        return balls


def are_same(first, second):
    """Whether balls hold the same numbers, and are small enough to tell them from others."""
    with ctx.workprec(140):
        for a, b in zip(first, second, strict=True):
            if not (a.is_finite() and b.is_finite()):
                assert str(a) == str(b)
                continue
            assert a.overlaps(b), (a, b)
            assert max(a.rad(), b.rad()) <= abs(a.mid()) * 1e-3 + 1e-30
    return True


SPECIAL = [(Direction.SPECIAL_REMOVE, Direction.REMOVE), (Direction.SPECIAL_ADD, Direction.ADD)]


@pytest.mark.every(3)
@pytest.mark.parametrize(("special", "plain"), SPECIAL, ids=lambda way: way.value)
@pytest.mark.parametrize("run", SUMS, ids=str)
def test_a_special_record_changes_sums_like_one_that_is_removed(run, special, plain):
    """Both directions of replace-special are those of add-or-remove-one."""
    assert are_same(told(run, special), told(run, plain))


@pytest.mark.every(4)
@pytest.mark.parametrize("adjacency", [*Adjacency], ids=lambda one: one.value)
@pytest.mark.parametrize("run", SUMS[3:6] + SUMS[-5:], ids=str)
def test_reversed_directions_are_reflections(run, adjacency):
    """h(alpha) = 1 - alpha + alpha h_reversed(1 / alpha)."""
    for way in adjacency.directions:
        try:
            found, reverse = (composed(run.terms, one, 10) for one in (way, way.reversed))
        except ValueError:
            return
        with ctx.workprec(140):
            for epsilon in map(arb, EPSILONS):
                back = epsilon.exp() * reverse.delta(-epsilon) - epsilon.expm1()
                assert are_same([found.delta(epsilon)], [back])


def test_random_allocation_is_worse_where_its_special_record_is_removed():
    """The example of the manual, and a number that its reverse would not reach."""
    epoch = normal(1.0).random_allocation(steps=1000)
    result = hs.verify(epoch, delta=1e-6, adjacency="replace-special", digits=6)
    assert result.enclosed is True
    assert 0.17172 < result.lower <= result.upper < 0.17174


DOUBLED = [  # a record replaced, and one removed where it counts twice
    (3 * normal(2.0), 3 * normal(1.0)),
    (5 * hs.Laplace(noise_multiplier=3.0), 5 * hs.Laplace(noise_multiplier=1.5)),
    (
        4 * hs.DiscreteLaplace(parameter=0.5, sensitivity=2),
        4 * hs.DiscreteLaplace(parameter=0.5, sensitivity=4),
    ),
    (2 * hs.DiscreteGaussian(sigma=2.0), 2 * hs.DiscreteGaussian(sigma=2.0, sensitivity=2)),
    (3 * hs.ExponentialMechanism(epsilon=0.7), 3 * hs.ExponentialMechanism(epsilon=0.7)),
]


@pytest.mark.parametrize(("run", "twice"), DOUBLED, ids=str)
def test_a_replaced_record_is_twice_the_sensitivity(run, twice):
    for way, plain in zip(Adjacency.REPLACE_ONE.directions, SPECIAL, strict=True):
        assert are_same(told(run, way), told(twice, plain[1]))


SAID_TWICE = [
    (normal(1.3).random_allocation(steps=1), 1 * normal(1.3)),
    (normal(6.0).random_allocation(steps=50, epochs=9), normal(2.0).random_allocation(steps=50)),
    (normal(1.3).random_allocation(steps=7, selected=7), 7 * normal(1.3)),
    (SPLIT.random_allocation(steps=1), 1 * SPLIT),
    (normal(1.5).poisson_sampled(0.25), 1 * mixture(0.75, 0.25)),
    (10 * normal(1.5).poisson_sampled(1.0), 10 * normal(1.5)),
    (mixture(0.5, 0.25, 0.25).poisson_sampled(0.5), 1 * mixture(0.75, 0.125, 0.125)),
    (4 * truncated(30, 30), 4 * normal(1.2).poisson_sampled(0.15)),
    (
        SPLIT.poisson_sampled(0.5),
        1 * hs.DiscretePair(p=(0.3125, 0.25, 0.4375), q=(0.125, 0.25, 0.625)),
    ),
    (1 * hs.joint(*[normal(2.0)] * 4), 1 * normal(1.0)),
    (3 * hs.joint(*[normal(2.0)] * 4).poisson_sampled(0.25), 3 * normal(1.0).poisson_sampled(0.25)),
    (2 * normal(2.0).group(2), 2 * normal(1.0)),
    (2 * hs.Laplace(noise_multiplier=4.0).group(4), 2 * hs.Laplace(noise_multiplier=1.0)),
    (1 * normal(1.5).poisson_sampled(0.5).group(2), 1 * mixture(0.25, 0.5, 0.25)),
    (
        3 * hs.SampledGroup(normal(1.5), sampling_probabilities=(0.5, 0.5)),
        3 * mixture(0.25, 0.5, 0.25),
    ),
    (normal(2.0).shuffled(batches=1), 1 * normal(2.0)),
    (normal(2.0).fixed_size_sampled(batch_size=9, dataset_size=9), 1 * normal(2.0)),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("direction", [*Direction], ids=lambda way: way.value)
@pytest.mark.parametrize(("run", "other"), SAID_TWICE, ids=str)
def test_a_scheme_that_is_said_in_two_ways_is_one(run, other, direction):
    """In every direction in which both are defined."""
    try:
        found, known = told(run, direction), told(other, direction)
    except ValueError:
        return
    except NotKnownError:  # of a sampled group that is replaced a bound is known, and no law
        assert direction.replaces
        return
    assert are_same(found, known)


THE_SAME = [  # of which both ends of a gap are asked
    (hs.parallel(3 * normal(2.0), 3 * normal(2.0)), 3 * normal(2.0)),
    (hs.parallel(3 * normal(2.0), 1 * normal(4.0)), 3 * normal(2.0)),
    (hs.any_of(normal(1.5), normal(2.0)), 1 * normal(1.5)),
    (hs.any_of(normal(1.5), hs.Laplace(noise_multiplier=9.0)), 1 * normal(1.5)),
    (hs.TreeMechanism(leaves=8, noise_multiplier=2.0, restarts=3), 12 * normal(2.0)),
    (hs.MatrixMechanism(((1, 0), (0, 1)), noise_multiplier=2.0), 2 * normal(2.0)),
    (
        hs.MatrixMechanism(((1, 0), (1, 1)), noise_multiplier=2.0, max_participations=1),
        2 * normal(2.0),
    ),
    (hs.ToeplitzMechanism((1, 1), steps=4, noise_multiplier=2.0, min_separation=2), 4 * normal(2)),
    (hs.GaussianBetween(least_noise=1.5, most_noise=1.5), 1 * normal(1.5)),
    (
        hs.GaussianBetween(least_noise=1.5, most_noise=1.5).poisson_sampled(0.2),
        1 * normal(1.5).poisson_sampled(0.2),
    ),
    (
        hs.joint(SPLIT, hs.ApproximateDP(epsilon=0.5, delta=0.0)).poisson_sampled(1.0),
        SPLIT + hs.ApproximateDP(epsilon=0.5, delta=0.0),
    ),
    (
        hs.joint(hs.Laplace(noise_multiplier=2.0)).poisson_sampled(0.25),
        1 * hs.Laplace(noise_multiplier=2.0).poisson_sampled(0.25),
    ),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("adjacency", [*Adjacency], ids=lambda one: one.value)
@pytest.mark.parametrize(("run", "other"), THE_SAME, ids=str)
def test_newer_schemes_are_what_they_are_made_of(run, other, adjacency):
    """Under every adjacency that both have."""
    for question in ({"epsilon": 0.3}, {"delta": 1e-3}, {"false_positive_rate": 0.05}):
        try:
            found, known = (
                hs.verify(one, adjacency=adjacency, digits=10, fast=False, **question)
                for one in (run, other)
            )
        except ValueError:
            return
        assert found.known
        assert abs(found.lower - known.lower) <= 1e-8 * known.lower
        assert abs(found.upper - known.upper) <= 1e-8 * known.upper
