# SPDX-License-Identifier: Apache-2.0
"""Hostile random runs of Gaussians that are correlated, are asked by groups, or lie between two."""

import random
from collections.abc import Sequence
from typing import Any

import hockeystick as hs
from exact.release import power
from hockeystick.disjoint import AnyRun

ADJACENCIES = (
    hs.Adjacency.ADD_OR_REMOVE_ONE,
    hs.Adjacency.REMOVE_ONE,
    hs.Adjacency.ADD_ONE,
    hs.Adjacency.REPLACE_SPECIAL,
)
REPLACEMENT = (hs.Adjacency.REPLACE_ONE, hs.Adjacency.REPLACE_SPECIAL)
ALL = (*ADJACENCIES, hs.Adjacency.REPLACE_ONE)
Run = tuple[AnyRun, Sequence[hs.Adjacency]]


def matrices(rng: random.Random) -> Run:
    """Correlated noise: trees, buffers, bands, and small matrices, of records that come back."""
    noise, size = power(rng, -0.3, 1.5), rng.randint(1, 6)
    joins: dict[str, Any] = {
        "min_separation": rng.randint(1, 4),
        "max_participations": rng.choice((None, 1, 2)),
    }
    kind = rng.random()
    if kind < 0.1:
        made: hs.Mechanism = hs.TreeMechanism(
            leaves=rng.randint(1, 10 ** rng.randint(1, 9)),
            noise_multiplier=noise,
            restarts=rng.choice((1, rng.randint(1, 99))),
        )
    elif kind < 0.2:
        decays = [rng.choice((0.0, 1.0, rng.random())) for _ in range(rng.randint(1, 3))]
        scales = [rng.random() / len(decays) for _ in decays]
        made = hs.BufferedMechanism(scales, decays, steps=size, noise_multiplier=noise, **joins)
    elif kind < 0.4:
        band = [1.0, *(rng.choice((1, 1, -1)) * rng.random() for _ in range(rng.randint(0, 3)))]
        made = hs.ToeplitzMechanism(band, steps=size, noise_multiplier=noise, **joins)
    else:
        signs = rng.choice(((1,), (1,), (1, -1)))
        rows = [[rng.choice(signs) * rng.choice((0, 1, rng.random())) for _ in range(size)]]
        rows += [[float(i == j) for j in range(size)] for i in range(size)]
        made = hs.MatrixMechanism(rows, noise_multiplier=noise, **joins)
    return rng.choice((1, 1, 3)) * made, ALL


def groups(rng: random.Random) -> Run:
    size, noise = rng.randint(2, 9), power(rng, -0.3, 1.7)
    if rng.random() < 0.4:
        alone = rng.choice((hs.Gaussian, hs.Laplace))(noise)
        return rng.choice((1, 1, 5)) * alone.group(size), ALL
    if rng.random() < 0.3:
        rates = [rng.choice((0.0, 1.0, power(rng, -4, -0.1))) for _ in range(size)]
        return 1 * hs.Gaussian(noise).sampled_group(sampling_probabilities=rates), ADJACENCIES
    step = hs.Gaussian(noise).poisson_sampled(power(rng, -4, -0.1))
    return rng.choice((1, 1, rng.randint(2, 100))) * step.group(size), ADJACENCIES


def between_noises(rng: random.Random) -> Run:
    """Noise between two, or two Gaussians whose noise is correlated."""
    least = power(rng, -0.5, 1)
    if rng.random() < 0.3:
        both = least, power(rng, -0.5, 1)
        shared = rng.uniform(-0.9, 0.9) * both[0] * both[1]
        covariance = [[both[0] ** 2, shared], [shared, both[1] ** 2]]
        joint = hs.joint(*map(hs.Gaussian, both), covariance=covariance)
        return rng.choice((1, 1, 10)) * joint, ALL
    made = hs.GaussianBetween(least_noise=least, most_noise=least * (1 + power(rng, -9, 0)))
    if rng.random() < 0.3:
        return rng.choice((1, 10)) * made.poisson_sampled(power(rng, -3, 0)), ALL
    return rng.choice((1, 1, 10)) * made, ALL
