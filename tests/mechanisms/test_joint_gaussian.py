# SPDX-License-Identifier: Apache-2.0
"""Gaussians released together: the root of the sum, and what it stands for."""

import random
from fractions import Fraction

import pytest
from flint import arb, ctx

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core

UNIT = 2.0**-53


def exact_mu(noises, counts):
    square = sum(Fraction(int(n)) / Fraction(z) ** 2 for z, n in zip(noises, counts, strict=True))
    return (arb(square.numerator) / arb(square.denominator)).sqrt()


@pytest.mark.parametrize("seed", range(30))
def test_the_root_is_the_nearest_double_but_for_a_part_in_a_million(seed):
    rng = random.Random(seed)
    parts = rng.randint(1, 60)
    noises = [10 ** rng.uniform(-3.2, 12) for _ in range(parts)]
    counts = [float(round(10 ** rng.uniform(0, 18 if seed % 2 else 2))) for _ in range(parts)]
    with ctx.workprec(300):
        truth = exact_mu(noises, counts)
        off = abs(arb(_core.runs.joint_mu([*noises, *counts])) - truth) / truth
        assert off <= arb(UNIT) * (1 + arb(2) ** -20)


@pytest.mark.parametrize("adjacency", hs.Adjacency)
def test_the_joint_of_three_and_four_is_two_point_four(adjacency):
    """Whose root is a double, or nearly: 5 / 12."""
    joined, alone = hs.joint(hs.Gaussian(3), hs.Gaussian(4)), hs.Gaussian(2.4)
    for one, other in (
        (joined, alone),
        (joined.poisson_sampled(0.1), alone.poisson_sampled(0.1)),
        (9 * joined.poisson_sampled(0.01) + joined, 9 * alone.poisson_sampled(0.01) + alone),
    ):
        found, known = (run.epsilon_bounds(1e-6, adjacency=adjacency) for run in (one, other))
        assert found.lower <= known.upper
        assert known.lower <= found.upper


def test_a_sampled_joint_is_one_coin():
    """The pair of the root, and not of a rounded one: the ends of a single step are 1e-13 apart."""
    joined = hs.joint(hs.Gaussian(1.3), 3 * hs.Gaussian(2.7)).poisson_sampled(0.05)
    with ctx.workprec(200):
        mu = exact_mu([1.3, 2.7], [1, 3])
        q, epsilon = arb(0.05), arb("0.4")
        # (1 - q) N(0) + q N(mu) against N(0): above where q (e^(mu x - mu^2/2) - 1) > e^eps - 1
        x = (1 + (epsilon.exp() - 1) / q).log() / mu + mu / 2
        missed = normal_tail(x)
        removed = (1 - q - epsilon.exp()) * missed + q * normal_tail(x - mu)
        bounds = joined.delta_bounds(0.4, adjacency="remove-one", tolerance=1e-10)
        assert arb(bounds.lower) <= removed <= arb(bounds.upper)
