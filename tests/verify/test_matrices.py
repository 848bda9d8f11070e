# SPDX-License-Identifier: Apache-2.0
"""Correlated noise in the second accountant: sensitivities by all sets of steps."""

import itertools
import math
import random

import pytest
from flint import arb

import hockeystick as hs
from hockeystick.verify import matrices
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.matrices import squares


def signed(rows, apart, most):
    """The largest squared move over sets of steps and over signs of equal vectors."""
    best = 0.0
    for signs in itertools.product((-1, 0, 1), repeat=len(rows[0])):
        steps = [j for j, sign in enumerate(signs) if sign]
        near = any(b - a < apart for a, b in itertools.pairwise(steps))
        if not near and len(steps) <= most:
            best = max(
                best, sum(sum(map(math.prod, zip(row, signs, strict=True))) ** 2 for row in rows)
            )
    return best


@pytest.mark.parametrize("seed", range(6))
def test_squares_hold_every_sign(seed):
    rng = random.Random(seed)
    rows = [[rng.choice((0, 1, -0.5, 0.25)) for _ in range(5)] for _ in range(4)]
    rows.append([1.0] * 5)
    mechanism = hs.MatrixMechanism(
        rows, noise_multiplier=1.0, min_separation=rng.randint(1, 3), max_participations=3
    )
    low, high = squares(mechanism)
    best = signed(rows, mechanism.min_separation, mechanism.participations)
    assert best <= float(high) * (1 + 1e-12)
    assert float(low) <= best * (1 + 1e-12)


def test_equal_vectors_are_the_worst_where_no_product_is_negative():
    rows = [[1, 0.5, 0, 2], [0, 1, 0.25, 0], [0, 0, 1, 1]]
    mechanism = hs.MatrixMechanism(rows, noise_multiplier=1.0, min_separation=2)
    low, high = squares(mechanism)
    assert low == high == arb(signed(rows, 2, 2))


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.TreeMechanism(leaves=1000, noise_multiplier=20.0, restarts=5),
        hs.ToeplitzMechanism([1, 0.5, 0.2], steps=12, noise_multiplier=3.0, min_separation=4),
        hs.BufferedMechanism(
            [0.3, 0.1], [0.9, 0.99], steps=20, noise_multiplier=8.0, max_participations=2
        ),
    ],
)
@pytest.mark.parametrize("adjacency", ["add-or-remove-one", "replace-one", "replace-special"])
def test_strategies_with_formulas_are_enclosed(mechanism, adjacency):
    assert hs.verify(3 * mechanism, delta=1e-6, adjacency=adjacency).enclosed is True


def test_a_sign_leaves_a_gap():
    mechanism = hs.MatrixMechanism([[1, -1, 1], [0, 1, 1]], noise_multiplier=2.0)
    assert hs.verify(mechanism, epsilon=1.0).reason.startswith("a gap is left")


def test_too_many_sets_are_said():
    with pytest.raises(NotKnownError, match="too many to list"):
        squares(hs.ToeplitzMechanism([0.5, 1], steps=60, noise_multiplier=1.0))


FALLING = [
    hs.ToeplitzMechanism([1, 0.5, 0.5, 0.2, 0], steps=9, noise_multiplier=1, min_separation=2),
    hs.ToeplitzMechanism(
        [1, 1, 0.3], steps=11, noise_multiplier=1, min_separation=3, max_participations=2
    ),
    hs.BufferedMechanism([0.3, 0.7], [0.5, 1], steps=8, noise_multiplier=1, min_separation=3),
]


@pytest.mark.parametrize("mechanism", FALLING)
def test_a_column_that_falls_needs_no_list(mechanism, monkeypatch):
    low, high = squares(mechanism)
    monkeypatch.setattr(matrices, "MOST_TERMS", 0)
    listed_low, listed_high = squares(mechanism)
    assert low.overlaps(listed_low)
    assert high.overlaps(listed_high)
    assert high.rad() < 1e-12


def test_a_column_that_rises_is_listed():
    """The formula is no bound there: c = 1/2, 1, 1/12, 1/6, 1/4 attains 475/144, not 227/72."""
    column = [6 / 12, 1, 1 / 12, 2 / 12, 3 / 12]
    mechanism = hs.ToeplitzMechanism(
        column, steps=7, noise_multiplier=1, min_separation=2, max_participations=2
    )
    assert float(squares(mechanism)[1]) == pytest.approx(475 / 144)


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.ToeplitzMechanism([1, 0.5], steps=2000, noise_multiplier=9, min_separation=100),
        hs.BufferedMechanism(
            [0.3, 0.1], [0.9, 0.99], steps=2000, noise_multiplier=9, min_separation=400
        ),
    ],
)
def test_runs_as_long_as_trainings_are_known(mechanism):
    assert hs.verify(mechanism, delta=1e-6).enclosed is True
