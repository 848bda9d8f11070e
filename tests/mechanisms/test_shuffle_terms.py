# SPDX-License-Identifier: Apache-2.0
"""Laws above the terms of a shuffled epoch, and the mean of their sum's positive part, in balls."""

import math

import numpy as np
import pytest
from flint import arb

from hockeystick import _core
from mechanisms.shuffles import Term

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


CASES = [(0.25, 1.03), (0.25, 2.5), (1.5, 1.0), (2.75, math.e), (0.5, 1.5), (2.0**-10, 1.001)]
WAYS = [(replaces, back) for replaces in (False, True) for back in (False, True)]


def term(mu, alpha, replaces, back, *, wide=30.0, fine=1 / 16):
    """The law of a term on a grid that leaves next to nothing out, and its exact prices."""
    spread = alpha * math.sqrt(math.expm1(min(1.0, mu**2)))
    ends = {side: alpha * math.exp(mu * (2 * mu + wide)) for side in ("bottom", "top")}
    law = sampling.shuffle_term(
        mu, replaces=replaces, back=back, alpha=alpha, near=fine * spread, ratio=1 + fine, **ends
    )
    return law, Term(mu, alpha, replaces=replaces, back=back), spread


@pytest.mark.parametrize(("replaces", "back"), WAYS)
@pytest.mark.parametrize(("mu", "alpha"), CASES)
def test_a_term_keeps_its_mass_and_its_mean(mu, alpha, replaces, back):
    """Raised by what rounding can take."""
    (places, masses, excess), _, spread = term(mu, alpha, replaces, back)
    assert places == sorted(set(places))
    assert 0.0 in places
    total = sum(map(arb, masses), arb(0))
    assert 1 <= total <= 1 + 1e-6
    above_first = ((arb(x) - places[0]) * m for x, m in zip(places, masses, strict=True))
    mean = sum(above_first, arb(excess))
    exact = 1 - arb(alpha) - places[0]
    assert exact <= mean <= exact + 1e-6 * (spread + exact)


@pytest.mark.parametrize(("replaces", "back"), WAYS)
@pytest.mark.parametrize(("mu", "alpha"), CASES)
@pytest.mark.parametrize("wide", [30.0, 0.5])
def test_a_term_on_the_grid_is_above_it(mu, alpha, replaces, back, wide):
    """For each (x - K)_+, of which all convex, non-decreasing functions are made.

    Short grids, too: lower places move up to the first one, and what higher ones lose is in the
    excess.
    """
    (places, masses, excess), exact, spread = term(mu, alpha, replaces, back, wide=wide)
    for at in (0.0, *(sign * spread * 2.0**k for k in range(-6, 9) for sign in (1, -1))):
        parts = (arb(m) * (arb(x) - at).max(arb(0)) for x, m in zip(places, masses, strict=True))
        above = sum(parts, arb(excess))
        here = exact.call(arb(at)) if at >= 0 else exact.put(-arb(at)) + 1 - arb(alpha) - at
        assert here <= above
        if wide > 1:
            assert above <= here + 0.002 * (spread + max(0.0, at))


@pytest.mark.parametrize(("replaces", "back"), WAYS)
def test_no_adversary_has_larger_prices(replaces, back):
    """Contributions of the record, of what replaces it and of another one, in the unit disk."""
    rng = np.random.default_rng(7)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    first, second = (g.ravel() for g in np.meshgrid(nodes, nodes))
    weight = np.outer(weights, weights).ravel() / weights.sum() ** 2
    closest = math.inf
    for _ in range(60):
        nu, alpha = rng.uniform(0.2, 0.9), math.exp(rng.uniform(0, 1))
        exact = Term(2 * nu if replaces else nu, alpha, replaces=replaces, back=back)
        turns, sizes = rng.uniform(0, 2 * math.pi, 3), rng.choice([1.0, 1.0, 0.6], 3)
        turns = np.where(rng.random(3) < 0.6, np.round(turns / math.pi) * math.pi, turns)
        x, other, z = nu * (sizes * np.exp(1j * turns))
        gone = other if replaces else 0.0
        means = (gone - z, x - z) if back else (x - z, gone - z)

        def ratio(m):
            return np.exp(m.real * first + m.imag * second - abs(m) ** 2 / 2)

        term = ratio(means[0]) - alpha * ratio(means[1])
        for at in (0.05, 0.3, 1.0):
            for sign, price in ((1, exact.call), (-1, exact.put)):
                attained = float((weight * np.maximum(sign * term - at, 0)).sum())
                most = float(price(arb(at)))
                assert attained <= most + 0.02 * nu
                closest = min(closest, (most - attained) / nu)
    assert closest < 0.02
