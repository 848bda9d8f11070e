# SPDX-License-Identifier: Apache-2.0
"""Every scheme under every adjacency: right answers are held, answers moved a little are missed."""

import math

import pytest
from flint import arb

import hockeystick as hs
from hockeystick.adjacency import Adjacency
from hockeystick.verify.answer import _enclosed
from rare_runs import batches

NOISE = hs.Gaussian(noise_multiplier=2.0)
PAIR = hs.DiscretePair(p=(0.5, 0.375, 0.125), q=(0.25, 0.25, 0.5))
GUARANTEE = hs.ApproximateDP(epsilon=0.3, delta=1e-4)
ALPHA = [math.exp(0.2 * k) for k in range(-5, 6)]
RESPONSE = [max((3 - a) / 4, 1 - a, 0.0) for a in ALPHA]
MATRIX = [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.25, 0.5, 1.0]]
OFTEN = {"min_separation": 2, "max_participations": 2}


SCHEMES = {
    "Poisson": 20 * NOISE.poisson_sampled(0.1),
    "Poisson, other noise": 1 * hs.Laplace(2.0).poisson_sampled(0.1),
    "truncated Poisson": 5 * batches(2.0, 0.2, 4, 12),
    "fixed size": 1 * NOISE.fixed_size_sampled(batch_size=2, dataset_size=7),
    "fixed size, composed": 4 * NOISE.fixed_size_sampled(batch_size=2, dataset_size=7),
    "with replacement": 1
    * NOISE.fixed_size_sampled(batch_size=2, dataset_size=7, replacement=True),
    "allocation": 1 * NOISE.random_allocation(steps=9),
    "allocation, composed": 3 * NOISE.random_allocation(steps=9, epochs=2),
    "allocation of outcomes": 2 * PAIR.random_allocation(steps=3) + NOISE,
    "allocation of guarantees": 1 * GUARANTEE.random_allocation(steps=5) + hs.Laplace(4.0),
    "k of t": 1 * NOISE.random_allocation(steps=6, selected=2),
    "k of t, composed": 3 * NOISE.random_allocation(steps=6, selected=2) + NOISE,
    "shuffled": 1 * NOISE.shuffled(batches=5),
    "shuffled, last batch": 1 * NOISE.shuffled(batches=5, batch_size=9, last_batch=4),
    "shuffled, same order": 1 * NOISE.shuffled(batches=5, epochs=3),
    "shuffled, left out": 1 * NOISE.shuffled(batches=5, left_out=2, batch_size=9),
    "shuffled, composed": 4 * NOISE.shuffled(batches=5),
    "shuffled, left out, composed": 4 * NOISE.shuffled(batches=5, left_out=1),
    "fixed order": 3 * NOISE,
    "reports": 1 * hs.ShuffledLocal(epsilon0=1.0, users=60),
    "reports, composed": 2 * hs.ShuffledLocal(epsilon0=1.0, users=60),
    "zCDP": 2 * hs.ZCDP(0.05),
    "RenyiDP": 2 * hs.RenyiDP(order=8.0, divergence=0.2),
    "menu": 1 * hs.any_of(hs.Gaussian(2.0), hs.Laplace(3.0)),
    "menu, composed": 3 * hs.any_of(hs.Gaussian(2.0), hs.Laplace(3.0)),
    "parallel": hs.parallel(2 * NOISE, 3 * hs.Laplace(4.0)),
    "joint": 2 * hs.joint(hs.Gaussian(2.0), hs.Gaussian(4.0)).poisson_sampled(0.2),
    "joint of a run": 1 * hs.joint(hs.Gaussian(2.0), hs.Laplace(3.0)).poisson_sampled(0.2),
    "best of": 1 * hs.best_of(hs.Laplace(3.0), runs="geometric", mean=4.0),
    "best of few": 1 * hs.best_of(hs.Laplace(3.0), runs="fixed", mean=2),
    "tree": 2 * hs.TreeMechanism(leaves=8, noise_multiplier=3.0),
    "matrix": 1 * hs.MatrixMechanism(MATRIX, noise_multiplier=2.0, **OFTEN),
    "Toeplitz": 1 * hs.ToeplitzMechanism([1.0, 0.5], steps=6, noise_multiplier=2.0, **OFTEN),
    "buffers": 1
    * hs.BufferedMechanism(scales=[0.5], decays=[0.8], steps=5, noise_multiplier=2.0, **OFTEN),
    "threshold": 3 * hs.above_threshold(threshold_epsilon=0.1, query_epsilon=0.2),
    "groups": 2 * NOISE.group(3) + NOISE.poisson_sampled(0.1).group(3),
    "groups, replaced": 2 * NOISE.group(3),
    "groups, chained": 1 * hs.Laplace(3.0).poisson_sampled(0.1).group(3),
    "groups, chained and composed": 2 * hs.RandomizedResponse(0.5, num_buckets=3).group(2),
    "groups of whole numbers": 2 * hs.DiscreteLaplace(0.5).group(3),
    "between noises": 2 * hs.GaussianBetween(least_noise=2.0, most_noise=2.001),
    "curve": 1
    * hs.HockeyStickCurve(
        alpha=ALPHA,
        lower=[v * 0.999 for v in RESPONSE],
        upper=[min(1.0, 1.001 * v + 1e-6) for v in RESPONSE],
    ),
    "responses": 3 * hs.RandomizedResponse(noise_parameter=0.5, num_buckets=4),
    "selection": 3 * hs.PermuteAndFlip(epsilon=0.3) + hs.ExponentialMechanism(epsilon=0.3),
}
# What is proved is wider than the fast interval: that may be wrong unseen within these ends.
WIDE = {
    "shuffled, same order",
    "shuffled, left out",
    "RenyiDP",
    "menu, composed",
    "shuffled",
    "shuffled, last batch",
    "fixed size, composed",
    "allocation, composed",
    "k of t",
    "k of t, composed",
    "shuffled, composed",
    "shuffled, left out, composed",
    "best of",
    "best of few",
    "groups, chained",
    "groups, chained and composed",
    "curve",
}
UNKNOWN = {"curve"}  # to some questions, or under some adjacencies
QUESTIONS = ({"epsilon": 0.3}, {"delta": 1e-3}, {"false_positive_rate": 0.05}, {"prior": 0.3})


def defined(run, adjacency):
    try:
        run.epsilon_bounds(1e-3, adjacency=adjacency, tolerance=0.5)
    except hs.CertificationError:
        return True
    except ValueError:
        return False
    return True


def test_every_scheme_is_asked_under_some_adjacency():
    assert all(any(defined(run, adjacency) for adjacency in Adjacency) for run in SCHEMES.values())
    for name in ("Poisson", "fixed size", "shuffled", "zCDP", "menu", "tree"):
        assert defined(SCHEMES[name], Adjacency.REPLACE_ONE)


@pytest.mark.every(36)
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", SCHEMES)
def test_right_answers_are_held_and_moved_ones_missed(name, adjacency, question):
    run, how = SCHEMES[name], {"adjacency": adjacency, "digits": 20}
    if not defined(run, adjacency):
        return
    result = hs.verify(run, **how, **question)
    if not result.method:
        assert name in UNKNOWN, result
        return
    assert result.enclosed is not False, result
    assert result.known or "a gap is left" in result.reason, result
    low, high = result.lower, result.upper
    if name not in WIDE and (name, adjacency) != ("groups", Adjacency.REPLACE_ONE):
        assert result.enclosed, result
    if "prior" in question and low == high:
        return  # nobody does better than by the prior
    wide = max(result.fast.upper - result.fast.lower, 1e-9 * high) * 1.01 + (high - low)
    for shift in (wide, -wide):
        lower, upper = max(result.fast.lower + shift, 0.0), max(result.fast.upper + shift, 0.0)
        if lower < upper:
            assert _enclosed(hs.Bounds(lower, upper), arb(low), arb(high)) is False, shift
