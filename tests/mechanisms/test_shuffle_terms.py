# SPDX-License-Identifier: Apache-2.0
"""Laws above the terms of a shuffled epoch, and the mean of their sum's positive part, in balls."""

import math
import random
from itertools import product

import pytest
from flint import arb

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


def drawn(rng, off):
    """A few values and masses, with the error that they are said to have."""
    values = sorted([0.0, *(math.exp(rng.gauss(0, 1)) for _ in range(rng.randrange(1, 5)))])
    masses = [10 ** -rng.uniform(0, 3) for _ in values]
    return values, masses, rng.choice([0.0, 1e-3]), off


def worst(back, alpha, t, y):
    """The terms where every value is off as far as it may be, to the worse side."""
    for (a, p), (b, q) in product(zip(*t[:2], strict=True), zip(*y[:2], strict=True)):
        factor = 1 - alpha * arb(b) * (1 - arb(y[3])) if back else arb(b) * (1 + arb(y[3])) - alpha
        x = arb(a) * factor
        yield x + t[3] * abs(x), arb(p) * q


@pytest.mark.parametrize("bits", [0, 2])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("off", [(0.0, 0.0), (1e-2, 0.0), (0.0, 1e-2), (1e-15, 1e-15)])
def test_a_term_on_the_grid_is_above_it(back, off, bits):
    """For mass and for each (x - K)_+, of which all convex, non-decreasing functions are made."""
    rng = random.Random(repr((back, off)))
    for _ in range(30):
        t, y = drawn(rng, off[0]), drawn(rng, off[1])
        alpha = 1 + rng.choice([0.0, 1e-3, 1.0]) * rng.random()
        scale = 2.0 ** -rng.randrange(0, 5)
        bottom, top = rng.uniform(0.1, 4), rng.uniform(0.1, 4)
        places, masses, excess = sampling.shuffle_term(
            t, y, back=back, alpha=alpha, scale=scale, bits=bits, bottom=bottom, top=top
        )
        assert places == sorted(set(places))
        assert places[-1] > 0
        exact = list(worst(back, alpha, t, y))
        total = sum((p for _, p in exact), arb(0))
        assert total <= sum(map(arb, masses), arb(0))
        grid = list(map(arb, places))
        beyond = arb(t[2]) + (0 if back else y[2])
        most = sum((p * (x - grid[-1]).max(arb(0)) for x, p in exact), beyond)
        gap = scale * 2.0**-bits * max(1, 2 * (max(bottom, top) / scale + 1))
        for at in [*grid, *(x for x, _ in exact)]:
            here = sum((p * (x - at).max(arb(0)) for x, p in exact), beyond)
            above = sum((m * (x - at).max(arb(0)) for x, m in zip(grid, masses, strict=True)))
            assert here <= above + excess
            assert above <= here + (gap + (grid[0] - at).max(arb(0))) * total * 1.01
        assert excess <= most * (1 + 1e-10) + 1e-299
        if masses[-1] > 1e-290:
            assert most <= arb(excess) * (1 + 1e-12)


def test_places_of_the_grid_are_dense_about_0():
    """Four of them to the scale, to three times it, and to seven times it."""
    spread = ([x / 64 for x in range(1, 600)], [1.0] * 599, 0.0, 0.0)
    places, _, _ = sampling.shuffle_term(
        spread, ([2.0], [1.0], 0.0, 0.0), back=False, alpha=1.0, scale=1.0, bits=2, bottom=1, top=6
    )
    grid = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert places == grid
