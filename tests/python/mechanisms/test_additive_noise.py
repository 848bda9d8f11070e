# SPDX-License-Identifier: Apache-2.0
"""Noise given by functions: as a value, through the engine, and what becomes of bad functions."""

import math
import pickle
import random

import numpy as np
import pytest
from flint import arb
from scipy import stats

import exact
import hockeystick as hs
import questions
from exact.balls import at_accuracy
from exact.one_step import gaussian_delta
from hockeystick import Adjacency

NORMAL = {"log_density": stats.norm.logpdf, "distribution": stats.norm.cdf}


def laplace_log_density(x):
    return -np.abs(x) - math.log(2)


def laplace_distribution(x):
    return np.exp(x) / 2


LAPLACE = {"log_density": laplace_log_density, "distribution": laplace_distribution}


def test_it_is_a_value_as_far_as_its_functions_are():
    noise = hs.AdditiveNoise(**LAPLACE)
    assert noise == hs.AdditiveNoise(**LAPLACE)
    assert (
        len({noise, hs.AdditiveNoise(**LAPLACE), hs.AdditiveNoise(**LAPLACE, accuracy=1e-9)}) == 2
    )
    assert (noise.sensitivity, noise.accuracy) == (1.0, 1e-13)
    normal = hs.AdditiveNoise(**NORMAL)
    assert pickle.loads(pickle.dumps(normal)).sensitivity == 1.0  # noqa: S301


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize("sensitivity", [0.125, 1.0])
def test_normal_noise_is_the_gaussian_mechanism(sensitivity, count):
    run = count * hs.AdditiveNoise(**NORMAL, sensitivity=sensitivity)
    truth = exact.epsilon(((exact.Step(1 / sensitivity), count),), 1e-6)
    bounds = run.epsilon_bounds(delta=1e-6, tolerance=1e-4)
    questions.check(questions.Answer(bounds, certified=True), truth, 1e-4)


def test_one_step_of_logistic_noise():
    bounds = hs.AdditiveNoise(**LOGISTIC).delta_bounds(epsilon=0.3, tolerance=1e-5)
    questions.check(questions.Answer(bounds, certified=True), logistic_delta(1, 0.3), 1e-5)


def test_a_looser_accuracy_widens_the_bounds():
    gaps = [
        (100 * hs.AdditiveNoise(**NORMAL, accuracy=a)).delta_bounds(epsilon=5.0, tolerance=0.3).gap
        for a in (1e-13, 1e-6)
    ]
    assert gaps[0] < gaps[1]


class Failing:
    """The normal functions until told to go wrong."""

    def __init__(self, wrong):
        self.wrong, self.broken = wrong, False

    def __call__(self, x):
        """Log density at x."""
        return self.wrong(x) if self.broken else stats.norm.logpdf(x)


def raising(_):
    raise KeyError("in the user's function")


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (raising, KeyError, "in the user's function"),
        (lambda x: x[:-1], ValueError, "^log_density must return an array of the shape"),
        (lambda x: np.full_like(x, np.nan), ValueError, "^log_density must return finite numbers"),
        (lambda x: np.floor(stats.norm.logpdf(x) * 10), ValueError, "^log_density must be concave"),
    ],
)
def test_functions_that_go_wrong_later(wrong, error, message):
    function = Failing(wrong)
    noise = hs.AdditiveNoise(log_density=function, distribution=stats.norm.cdf)
    assert noise.delta(epsilon=1.0) > 0
    function.broken = True
    with pytest.raises(error, match=message):
        noise.delta(epsilon=1.5)


def logistic_log_density(x):
    return -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x)))


def logistic_distribution(x):
    return np.exp(x) / (1 + np.exp(x))


def logistic_delta(sensitivity, epsilon):
    """With y = e^-x at the loss epsilon, (1 + y e^-s) / (1 + y) = e^((epsilon - s) / 2)."""
    s, e = arb(sensitivity), arb(epsilon)

    def evaluate():
        c, shrunk = ((e - s) / 2).exp(), (-s).exp()
        y = (1 - c) / (c - shrunk)
        return y / (1 + y) - e.exp() * y * shrunk / (1 + y * shrunk)

    return at_accuracy(evaluate)


def laplace_delta(sensitivity, epsilon):
    return at_accuracy(lambda: -((arb(epsilon) - arb(sensitivity)) / 2).expm1())


def normal_delta(sensitivity, epsilon):
    return gaussian_delta(arb(sensitivity), arb(epsilon))


LOGISTIC = {"log_density": logistic_log_density, "distribution": logistic_distribution}


def put(noise, query, at, truth, adjacency="add_remove"):
    answer = questions.put(1 * noise, query, at, adjacency)
    assert answer.bounds.lower <= answer.bounds.upper
    enclosed = questions.encloses(answer.bounds, truth) or answer.bounds.upper == 1
    assert enclosed, (noise.sensitivity, at, answer)
    return answer


UNDERFLOWS = [(1, 37.2), (10, 330), (20, 560), (25, 637.5), (27, 661.5), (29, 681.5)]


@pytest.mark.every(3)
@pytest.mark.parametrize(("sensitivity", "epsilon"), UNDERFLOWS)
def test_the_distribution_may_underflow(sensitivity, epsilon):
    noise = hs.AdditiveNoise(**NORMAL, sensitivity=sensitivity)
    truth = normal_delta(sensitivity, epsilon)
    assert put(noise, "delta", epsilon, truth).certified
    there = hs.Gaussian(noise_multiplier=1 / sensitivity)
    delta = there.delta(epsilon=float(epsilon))
    wanted, got = (m.epsilon_bounds(delta=delta) for m in (there, noise))
    assert got.lower <= wanted.upper
    assert wanted.lower <= got.upper


def overlap(noise, other, **question):
    """Two answers to the same question must have a value in common."""
    got, wanted = (questions.told(run.delta_bounds, **question) for run in (noise, other))
    assert got.lower <= got.upper
    assert got.lower <= wanted.upper
    assert wanted.lower <= got.upper
    return got


def test_the_distribution_may_underflow_in_compositions():
    noise = hs.AdditiveNoise(**NORMAL, sensitivity=10.0) + hs.Gaussian(noise_multiplier=100.0)
    there = hs.Gaussian(noise_multiplier=0.1) + hs.Gaussian(noise_multiplier=100.0)
    for epsilon in (325.0, 330.0, 335.0):
        got = overlap(noise, there, epsilon=epsilon, tolerance=0.02)
        assert got.gap < 0.02 * there.delta(epsilon=epsilon)


def test_masses_that_underflow_where_the_reverse_has_half_of_all():
    other = hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1)
    noise = hs.AdditiveNoise(**NORMAL, sensitivity=40.0) + other
    there = hs.Gaussian(noise_multiplier=1 / 40) + other
    for adjacency in (Adjacency.REMOVE_ONE, Adjacency.ADD_ONE):
        overlap(noise, there, epsilon=800.0, adjacency=adjacency)


@pytest.mark.parametrize("distance", [1e-13, 1e-12, 1e-11, 1e-9, 1e-6])
@pytest.mark.parametrize("sensitivity", [0.6174973362650704, 3.0])
def test_next_to_the_largest_loss(sensitivity, distance):
    epsilon = sensitivity - distance
    for functions, delta in ((LAPLACE, laplace_delta), (LOGISTIC, logistic_delta)):
        noise = hs.AdditiveNoise(**functions, sensitivity=sensitivity)
        put(noise, "delta", epsilon, delta(sensitivity, epsilon))


def test_functions_that_use_up_their_accuracy():
    """Laplace noise whose log density is off as far as it may be, where the loss is largest."""

    def log_density(x):
        off = 0.4e-6 * np.minimum(x * x / 1500, np.abs(x))
        return laplace_log_density(x) - off

    for sensitivity, epsilon in ((3.0, 2.99999892), (1.0, 0.99999964)):
        noise = hs.AdditiveNoise(
            log_density=log_density,
            distribution=laplace_distribution,
            sensitivity=sensitivity,
            accuracy=1e-6,
        )
        put(noise, "delta", epsilon, laplace_delta(sensitivity, epsilon))


@pytest.mark.parametrize("epsilon", [709.7, 709.9, 1e4])
@pytest.mark.parametrize("sensitivity", [1.0, 30.0, 140.0])
def test_large_epsilons(sensitivity, epsilon):
    noise = hs.AdditiveNoise(**NORMAL, sensitivity=sensitivity)
    assert put(noise, "delta", epsilon, normal_delta(sensitivity, epsilon)).certified


def test_a_delta_smaller_than_what_is_reached():
    noise = hs.AdditiveNoise(**NORMAL, sensitivity=2.31625)
    put(noise, "delta", 88.5228, normal_delta(2.31625, 88.5228))


def random_question(rng):
    """A sensitivity, and an epsilon anywhere between 0 and where doubles or losses end."""
    kind, sensitivity = rng.randrange(3), 10 ** rng.uniform(-3, 1.6)
    if kind == 0:
        x = rng.uniform(-sensitivity / 2, 39)
        epsilon = min(max(0.0, sensitivity * (x + sensitivity / 2)), 1e4)
        return NORMAL, sensitivity, epsilon, normal_delta
    epsilon = sensitivity * max(0.0, 1 - 10 ** rng.uniform(-13, 0.1))
    return (
        (LAPLACE, LOGISTIC)[kind - 1],
        sensitivity,
        epsilon,
        (laplace_delta, logistic_delta)[kind - 1],
    )


def test_random_questions(samples):
    rng = random.Random(20)
    for _ in range(samples(12)):
        functions, sensitivity, epsilon, delta = random_question(rng)
        accuracy = rng.choice([1e-14, 1e-13, 1e-9, 1e-6])
        noise = hs.AdditiveNoise(**functions, sensitivity=sensitivity, accuracy=accuracy)
        truth = delta(sensitivity, epsilon)
        put(noise, "delta", epsilon, truth)
        if 1e-290 < truth < 0.99:
            share = float(truth.mid())
            answer = questions.put(1 * noise, "epsilon", share, "add_remove")
            assert answer.bounds.lower <= epsilon * (1 + 1e-11) + 1e-11
            assert answer.bounds.upper >= epsilon * (1 - 1e-11) - 1e-11
