# SPDX-License-Identifier: Apache-2.0
"""Lower hulls by kinks against Andrew's monotone chain on points, in rational arithmetic.

The functions are f(x) = sum_j kink_j (x_j - x)_+, like a hockey-stick curve: 0 from the last point
on, and of slope -sum_j kink_j left of the first.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from hockeystick import _core

lower_hull = _core.numeric.lower_hull


def slope(a, b):
    return (b[1] - a[1]) / (b[0] - a[0])


def chain(x, kinks):
    """Positions on the hull over (-inf, last point], whose left ray keeps its slope."""
    ray = -sum(kinks)
    points = [(y, sum(k * max(z - y, 0) for z, k in zip(x, kinks, strict=True))) for y in x]
    kept = []
    for k, point in enumerate(points):
        while kept:
            before = slope(points[kept[-2]], points[kept[-1]]) if len(kept) > 1 else ray
            if before <= slope(points[kept[-1]], point):
                break
            kept.pop()
        kept.append(k)
    slopes = [ray, *(slope(points[i], points[j]) for i, j in pairwise(kept)), Fraction(0)]
    return kept, [b - a for a, b in pairwise(slopes)]


def random_function(seed, size, share_of_negative):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.exponential(1.0, size) * 10.0 ** rng.uniform(-3, 1, size))
    sign = np.where(rng.random(size) < share_of_negative, -1, 1)
    return x.tolist(), (sign * rng.exponential(1.0, size)).tolist()


def exact(values):
    return [Fraction(v) for v in values]


@pytest.mark.every(3)
@pytest.mark.parametrize("share_of_negative", [0.0, 0.1, 0.45, 0.8, 1.0])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("seed", range(4))
def test_is_the_monotone_chain(seed, size, share_of_negative):
    x, kinks = random_function(seed, size, share_of_negative)
    expected, expected_kinks = chain(exact(x), exact(kinks))
    kept, left = lower_hull(x, kinks)
    assert kept == expected
    scale = sum(map(abs, kinks))
    for k, kink in zip(kept, expected_kinks, strict=True):
        assert left[k] == pytest.approx(float(kink), rel=1e-11, abs=1e-13 * scale)
