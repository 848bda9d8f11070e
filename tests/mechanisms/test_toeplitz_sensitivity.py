# SPDX-License-Identifier: Apache-2.0
"""Sensitivities of Toeplitz and buffered matrices, against all sets of steps in exact fractions."""

import random
from fractions import Fraction

import numpy as np
import pytest

from hockeystick import _core
from mechanisms.test_matrix_sensitivity import exact


def toeplitz(column, steps):
    return [
        [column[i - j] if 0 <= i - j < len(column) else 0.0 for j in range(steps)]
        for i in range(steps)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_toeplitz_matrices_are_those_written_out(seed):
    rng = random.Random(seed)
    steps, apart, most = rng.randint(1, 9), rng.randint(1, 4), rng.randint(1, 4)
    column = [rng.randint(0, 12) / 12 for _ in range(rng.randint(1, steps))]
    if seed % 3:
        column.sort(reverse=True)
    if seed % 3 == 2:
        column = [x * rng.choice((1, -1)) for x in column[:apart]]
    lower, upper = _core.toeplitz_sensitivity(np.array(column), steps, apart, most)
    attained, bound = exact(toeplitz(column, steps), apart, most)
    assert Fraction(lower) ** 2 <= attained <= bound <= Fraction(upper) ** 2
    assert upper <= float(bound) ** 0.5 * (1 + 1e-13)
    if seed % 3:
        assert lower >= float(bound) ** 0.5 * (1 - 1e-14)


def test_a_column_that_grows_is_worse_than_equal_shifts():
    """1/2, 1, 1/12, 1/6, 1/4: what equal shifts reach is no upper bound."""
    column = [1 / 2, 1, 1 / 12, 1 / 6, 1 / 4]
    lower, upper = _core.toeplitz_sensitivity(np.array(column), 7, 2, 2)
    assert Fraction(lower) ** 2 < Fraction(475, 144) < Fraction(upper) ** 2
    assert upper**2 == pytest.approx(475 / 144, rel=1e-12)
    assert 475 / 144 > 227 / 72


@pytest.mark.parametrize("seed", range(40))
def test_columns_of_any_sign_by_their_correlations(seed):
    """In fractions, all sets of steps; the coefficients neither fall nor keep their signs."""
    rng = random.Random(seed)
    steps, apart, most = rng.randint(4, 9), rng.randint(1, 3), rng.randint(2, 4)
    column = [rng.randint(-12, 12) / 12 for _ in range(rng.randint(apart + 1, steps))]
    lower, upper = _core.toeplitz_sensitivity(np.array(column), steps, apart, most)
    attained, bound = exact(toeplitz(column, steps), apart, most)
    assert Fraction(lower) ** 2 <= attained <= bound <= Fraction(upper) ** 2


@pytest.mark.parametrize("sign", [1, -1])
def test_long_columns_that_do_not_fall_are_enclosed_closely(sign):
    rng = np.random.default_rng(3)
    column = rng.random(200) * np.where(rng.random(200) < 0.5, sign, 1)
    lower, upper = _core.toeplitz_sensitivity(column, 16384, 100, 10**6)
    assert lower <= upper <= lower * (1.03 if sign > 0 else 1.3)


@pytest.mark.parametrize("seed", range(8))
def test_long_columns_are_rounded_outwards(seed):
    """The whole sum in fractions, of many steps and few participations."""
    rng = random.Random(seed)
    steps, apart = rng.randint(200, 700), rng.randint(1, 30)
    most = rng.randint(1, 40)
    column = np.sort(rng.choice([1.0, 1e-9]) * np.random.default_rng(seed).random(steps))[::-1]
    lower, upper = _core.toeplitz_sensitivity(column.copy(), steps, apart, most)
    count = min(most, -(-steps // apart))
    values = [Fraction(x) for x in column.tolist()]
    square = sum(
        sum(values[t - j * apart] for j in range(count) if t >= j * apart) ** 2
        for t in range(steps)
    )
    assert Fraction(lower) ** 2 <= square <= Fraction(upper) ** 2
    assert upper <= lower * (1 + 2e-15)


@pytest.mark.parametrize("seed", range(12))
def test_buffers_are_rounded_outwards(seed):
    rng = random.Random(seed)
    steps, apart = rng.randint(1, 40), rng.randint(1, 9)
    number = rng.randint(1, 3)
    scales = [rng.uniform(0, 1 / number) for _ in range(number)]
    decays = [rng.choice([rng.random(), 1.0, 0.999, 0.0]) for _ in range(number)]
    lower, upper = _core.buffered_sensitivity(np.array(scales), np.array(decays), steps, apart, 50)
    column = [Fraction(1)] + [
        sum(Fraction(s) * Fraction(d) ** (t - 1) for s, d in zip(scales, decays, strict=True))
        for t in range(1, steps)
    ]
    square = sum(sum(column[t - j] for j in range(0, t + 1, apart)) ** 2 for t in range(steps))
    assert Fraction(lower) ** 2 <= square <= Fraction(upper) ** 2
    assert upper <= lower * (1 + 4e-15)


def test_buffers_of_any_sign_are_enclosed():
    scales, decays = [0.9, -0.7, 0.6], [0.5, 0.9, 0.2]
    lower, upper = _core.buffered_sensitivity(np.array(scales), np.array(decays), 7, 2, 3)
    column = [Fraction(1)] + [
        sum(Fraction(s) * Fraction(d) ** (t - 1) for s, d in zip(scales, decays, strict=True))
        for t in range(1, 7)
    ]
    attained, bound = exact(toeplitz([float(x) for x in column], 7), 2, 3)
    assert Fraction(lower) ** 2 <= attained * (1 + Fraction(1, 10**12))
    assert Fraction(upper) ** 2 >= bound * (1 - Fraction(1, 10**12))
