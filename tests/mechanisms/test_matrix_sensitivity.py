# SPDX-License-Identifier: Apache-2.0
"""Sensitivities of matrices, against all sets of steps in exact fractions."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from hockeystick import _core


def patterns(steps, apart, most):
    """All sets of at most so many steps that lie so far apart."""

    def later(start, left):
        yield ()
        if left:
            for i in range(start, steps):
                for rest in later(i + apart, left - 1):
                    yield (i, *rest)

    return later(0, most)


def reached(matrix, steps, signs):
    return sum(
        sum(sign * Fraction(row[i]) for i, sign in zip(steps, signs, strict=True)) ** 2
        for row in matrix
    )


def gram(matrix, i, j):
    return sum(Fraction(row[i]) * Fraction(row[j]) for row in matrix)


def exact(matrix, apart, most):
    """Squares of what signs reach, and of the bound by absolute values."""
    lower = upper = Fraction(0)
    for steps in patterns(len(matrix[0]), apart, most):
        for signs in itertools.product((1, -1), repeat=max(len(steps) - 1, 0)):
            lower = max(lower, reached(matrix, steps, (1, *signs)[: len(steps)]))
        upper = max(upper, sum(abs(gram(matrix, i, j)) for i in steps for j in steps))
    return lower, upper


def draw(rng, steps, kind):
    low = -9 if kind == "signed" else 0
    bands = rng.randint(1, steps) if kind == "banded" else steps
    return [
        [
            rng.randint(-9, 9) / 8
            if kind == "banded" and j <= i < j + bands
            else rng.randint(low, 9) / 9 * (kind != "banded") * (j <= i)
            for j in range(steps)
        ]
        for i in range(steps)
    ]


@pytest.mark.parametrize("kind", ["positive", "signed", "banded"])
@pytest.mark.parametrize("seed", range(25))
def test_small_matrices_are_enclosed(kind, seed):
    rng = random.Random(f"{kind} {seed}")
    steps = rng.randint(1, 7)
    apart, most = rng.randint(1, 4), rng.randint(1, 4)
    matrix = draw(rng, steps, kind)
    lower, upper = _core.matrix_sensitivity(np.array(matrix), apart, most)
    attained, bound = exact(matrix, apart, most)
    assert Fraction(lower) ** 2 <= bound
    assert Fraction(upper) ** 2 >= bound >= attained
    assert upper <= float(bound) ** 0.5 * (1 + 1e-13) + 1e-150
    if attained == bound:
        assert lower >= float(bound) ** 0.5 * (1 - 1e-13) or kind == "signed"
    assert Fraction(lower) ** 2 <= attained or kind == "signed"
    assert lower >= float(attained) ** 0.5 * 0.7


def test_columns_of_tiny_and_large_entries():
    matrix = np.array([[1e-200, 1e100, 0.0], [3.0, 4.0, 0.0]])
    norms = _core.column_norms(matrix)
    assert norms[0][0] <= 3 <= norms[0][1] <= 3.0000000000000018
    assert norms[1][0] <= 1e100 <= norms[1][1] <= 1.0000000000000004e100
    assert norms[2] == (0, 0)
    for square in (2, 14, 10**6, 2**53 - 1):
        lower, upper = _core.root_bounds(square)
        with ctx.workprec(200):
            assert lower <= arb(square).sqrt() <= upper


def test_squares_that_are_lost_next_to_the_first_are_booked():
    """Each addition of 0.99 u to 1 is rounded down to 1."""
    columns = np.full((1001, 2), (0.99 * 2.0**-53) ** 0.5)
    columns[0] = 1
    _, upper = _core.matrix_sensitivity(columns, 1, 2)
    square = 4 * gram(columns.tolist(), 0, 1)
    assert Fraction(upper) ** 2 >= square > 4 + 3600 * Fraction(2) ** -53


@pytest.mark.parametrize("steps", [20, 48, 150])
def test_many_steps_stay_enclosed(steps):
    """Of more than are listed: above what was found, and within a few percent of it."""
    matrix = np.tril(np.random.default_rng(steps).random((steps, steps)))
    lower, upper = _core.matrix_sensitivity(matrix, 3, 40)
    assert lower <= upper <= 1.02 * lower
    chosen = np.arange(0, steps, 3)[:40]
    assert np.linalg.norm(matrix[:, chosen].sum(axis=1)) <= upper
