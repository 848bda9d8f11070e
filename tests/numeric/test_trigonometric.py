# SPDX-License-Identifier: Apache-2.0
"""Sines, cosines, angles and moduli against ball arithmetic, also where they are hardest."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from hockeystick import _core
from relative_errors import SMALLEST, around, furthest, scattered

numeric = _core.numeric
FUNCTIONS = [("sin", arb.sin, 2.0), ("cos", arb.cos, 2.0)]


def next_to_right_angles():
    """For every exponent the doubles nearest to multiples of pi / 2.

    They are m 2^e with m / q a convergent of (pi / 2) / 2^e, m < 2^53.
    """
    points = []
    with ctx.workprec(2600):
        for exponent in range(-52, 972):
            rest = arb.pi() / 2 / arb(2) ** exponent
            before, m, steps = 0, 1, 0
            while m < 2**53 and steps < 200:
                whole = int(rest.floor().unique_fmpz())
                before, m = m, whole * m + before
                rest, steps = 1 / (rest - whole), steps + 1
                if 2**52 <= m < 2**53:
                    points.append(math.ldexp(m, exponent))
            if 2**40 <= before < 2**53:
                points.append(math.ldexp(before, exponent))
    return np.array(points)


@pytest.mark.parametrize(("name", "exact", "bound"), FUNCTIONS)
def test_sines_and_cosines_are_within_their_bound(name, exact, bound, samples):
    rng = np.random.default_rng(7)
    multiples = np.arange(-samples(300), samples(300)) * math.pi / 4
    parts = [
        rng.uniform(-0.8, 0.8, samples(2000)),
        rng.uniform(-10, 10, samples(2000)),
        rng.uniform(-1e6, 1e6, samples(2000)),
        scattered(samples, -60, 60),
        scattered(samples, 19, 1023.9),
        around(multiples[multiples != 0]),
        around([2.0**20, 2.0**53, 1e22, 2.0**1023]),
    ]
    worst = furthest(getattr(numeric, name), exact, np.concatenate(parts), precision=1300)
    assert 1 < worst <= bound


@pytest.mark.parametrize(("name", "exact", "bound"), FUNCTIONS)
def test_the_hardest_reductions(name, exact, bound):
    x = next_to_right_angles()
    assert len(x) > 1000
    assert x.max() > 2.0**1000
    assert 6381956970095103 * 2.0**797 in x  # the double closest of all
    x = np.concatenate([x, -x])
    assert furthest(getattr(numeric, name), exact, x, precision=1300) <= bound


def test_the_most_negative_and_least():
    assert numeric.sin(np.array([0.0, SMALLEST, -SMALLEST])).tolist() == [0.0, SMALLEST, -SMALLEST]
    assert math.copysign(1, float(numeric.sin(-0.0))) == -1
    assert float(numeric.cos(0.0)) == float(numeric.cos(SMALLEST)) == 1
    for at in (math.inf, -math.inf, math.nan):
        assert math.isnan(float(numeric.sin(at)))
        assert math.isnan(float(numeric.cos(at)))


def points(samples):
    """Of all directions and sizes, and with ratios at which the index of the table changes."""
    rng = np.random.default_rng(8)
    count = samples(3000)
    a, b = scattered(samples, -30, 30, 3000), scattered(samples, -3, 3, 3000)
    ratios = around((np.arange(16) + 0.5) / 16)
    scale = rng.uniform(1, 2, ratios.size)
    x = np.concatenate([rng.uniform(-1, 1, count), a, b, scale, -scale * ratios])
    y = np.concatenate([rng.uniform(-1, 1, count), b, -b[::-1], scale * ratios, scale])
    return np.concatenate([x, b * 2.0**1000, b * 2.0**-1060]), np.concatenate(
        [y, b[::-1] * 2.0**1000, b[::-1] * 2.0**-1060]
    )


def test_angles_are_within_their_bound(samples):
    x, y = points(samples)
    assert 1.5 < furthest(numeric.atan2, arb.atan2, y, x) <= 3.5


def test_moduli_are_within_their_bound(samples):
    x, y = points(samples)
    inside = (np.abs(x) < 2.0**1022) & (np.abs(y) < 2.0**1022)
    worst = furthest(numeric.hypot, lambda a, b: (a * a + b * b).sqrt(), x[inside], y[inside])
    assert 1.5 < worst <= 2.1


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -2.0, SMALLEST, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -2.0, 1e308, math.inf, -math.inf, math.nan])
def test_ends(x, y):
    """As the standard library's, whose signs and multiples of pi / 4 are those of IEEE 754."""
    angle, size = float(numeric.atan2(y, x)), float(numeric.hypot(x, y))
    wanted = math.atan2(y, x)
    assert angle == pytest.approx(wanted, rel=1e-15, nan_ok=True)
    assert math.isnan(angle) or math.copysign(1, angle) == math.copysign(1, wanted)
    assert size == pytest.approx(math.hypot(x, y), rel=1e-15, nan_ok=True)
