# SPDX-License-Identifier: Apache-2.0
"""Laws above the terms of a shuffled epoch, and the mean of their sum's positive part, in balls."""

import math

import numpy as np
import pytest
from flint import arb
from scipy.special import ndtr

from hockeystick import _core

sampling = _core.sampling

pytestmark = pytest.mark.bits(160)


def normal(a, b):
    """P(a < Z <= b)."""
    root = arb(2).sqrt()
    if a is None:
        return (-b / root).erfc() / 2
    return ((a / root).erfc() - (b / root).erfc()) / 2 if b is not None else (a / root).erfc() / 2


def edges(deviation, values, width):
    """The exact ends of cells, from values that are rounded."""
    unit = 2.0 ** (math.floor(math.log2(width)) - 2)
    step = unit * math.floor(width / unit)
    return [step * round((math.log(v) + deviation**2 / 2) / deviation / step) for v in values[1:]]


@pytest.mark.parametrize("deviation", [2.0**-18, 0.01, 0.4, 1.7, 6.0])
@pytest.mark.parametrize("width", [0.4, 0.1])
def test_a_split_law_has_the_shares_of_each_cell(deviation, width):
    """Raised by what rounding can take, and by little more."""
    deviation = math.ceil(deviation * 2**40) / 2**40
    values, masses, excess, off = sampling.split_lognormal(deviation, width, 1e-9)
    at = [None, *edges(deviation, values, width)]
    moved = [None if g is None else arb(g) - deviation for g in at]
    exact = [arb(0)] * len(values)
    ends = [arb(0), *((arb(deviation) * g - arb(deviation) ** 2 / 2).exp() for g in at[1:])]
    for k in range(len(values) - 1):
        mass = normal(None if at[k] is None else arb(at[k]), arb(at[k + 1]))
        mean = normal(moved[k], moved[k + 1])
        share = (mean - ends[k] * mass) / (ends[k + 1] - ends[k])
        exact[k] += mass - share
        exact[k + 1] += share
    exact[-1] += normal(arb(at[-1]), None)
    for value, end in zip(values, ends, strict=True):
        assert abs(value - end) <= off * end / 2
    slack = 1e-11 / min(1.0, deviation * width)
    for mass, least in zip(masses, exact, strict=True):
        assert least <= arb(mass)
        assert arb(mass) <= least * (1 + slack) + 1e-299
    assert normal(moved[-1], None) <= arb(excess) <= normal(moved[-1], None) * (1 + 1e-12) + 1e-299
    assert excess < 1e-8


CASES = [  # deviations of T and Y, alpha
    (0.375, 0.3125, 1.03),
    (0.375, 0.3125, 2.5),
    (2.0, 1.5, 1.0),
    (2.75, 2.75, math.e),
    (1.25, 0.25, 1.5),
    (2.0**-10, 2.0**-9, 1.001),
]


def term(deviations, alpha, back, bits=2, tail=1e-17, **more):
    """The law of a term, of the given deviations, on a grid that leaves nothing out."""
    spread = math.sqrt(math.expm1(min(1.0, deviations[1] ** 2))) + alpha - 1
    width = max(1 / 8, 1 / 8 / deviations[0])
    grid = {"parts": 2**bits, "near": spread / 8, "bottom": 1e300, "top": 1e300} | more
    return sampling.shuffle_term(deviations, width, tail, back=back, alpha=alpha, **grid)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("t", "y", "alpha"), CASES)
def test_a_term_keeps_its_mass_and_its_mean(t, y, alpha, back):
    """Raised by what rounding can take, and back by Y above 5 deviations, moved down."""
    for bits in range(4):
        places, masses, excess = term((t, y), alpha, back, bits)
        assert places == sorted(set(places))
        total = sum(map(arb, masses), arb(0))
        assert 1 <= total <= 1 + 1e-6
        above_first = ((arb(x) - places[0]) * m for x, m in zip(places, masses, strict=True))
        mean = sum(above_first, arb(excess))
        exact = 1 - arb(alpha) - places[0]
        assert exact <= mean <= exact + 1e-6 * (y + alpha - 1 + 2 * back * alpha * y - places[0])


def positive_part(t, y, alpha, back, at):
    """E (T (Y - alpha) - at)_+, or with 1 - alpha Y, by a sum over T."""
    g = np.linspace(-14, 16 + t, 20_001)
    weight = np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * (g[1] - g[0])
    x = np.exp(t * g - t * t / 2)
    strike = (1 - at / x) / alpha if back else alpha + at / x
    positive = np.maximum(strike, 1e-300)
    place = (np.log(positive) + y * y / 2) / y
    call = np.where(strike > 0, ndtr(y - place) - positive * ndtr(-place), 1 - strike)
    inner = np.where(strike > 0, positive * ndtr(place) - ndtr(place - y), 0) * alpha
    return float((weight * x * (inner if back else call)).sum())


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("t", "y", "alpha"), CASES)
def test_a_term_on_the_grid_is_above_it(t, y, alpha, back):
    """For each (x - K)_+, of which all convex, non-decreasing functions are made."""
    places, masses, excess = (np.array(part) for part in term((t, y), alpha, back))
    short = [np.array(part) for part in term((t, y), alpha, back, tail=1e-3)]
    spread = math.sqrt(math.expm1(min(1.0, y * y))) + alpha - 1
    for at in (0.0, *(sign * spread * 2.0**k for k in range(-4, 9) for sign in (1, -1))):
        above = (masses * np.maximum(places - at, 0)).sum() + excess
        here = positive_part(t, y, alpha, back, at)
        assert here <= above + 1e-12 * (1 + abs(at))
        assert here <= (short[1] * np.maximum(short[0] - at, 0)).sum() + short[2] + 1e-12
        assert above <= here + 0.01 * (spread + here + max(0.0, at))


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("t", "y", "alpha"), CASES)
def test_what_is_cut_off_is_raised_or_counted(t, y, alpha, back):
    """Lower places move up to the first one, and what higher ones lose is in the excess."""
    whole = term((t, y), alpha, back)
    spread = math.sqrt(math.expm1(min(1.0, y * y))) + alpha - 1
    places, masses, excess = term((t, y), alpha, back, bottom=spread, top=spread)
    assert places[0] <= -spread or places[0] == whole[0][0]
    assert places[-1] >= min(spread, whole[0][-1])
    for at in (*places, 2 * places[-1]):
        most = math.fsum(m * max(0.0, x - at) for x, m in zip(*whole[:2], strict=True)) + whole[2]
        above = math.fsum(m * max(0.0, x - at) for x, m in zip(places, masses, strict=True))
        assert most <= (above + excess) * (1 + 1e-12)
