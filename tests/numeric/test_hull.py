# SPDX-License-Identifier: Apache-2.0
"""Lower hulls by kinks against Andrew's monotone chain on points, in rational arithmetic.

The functions are f(x) = sum_j kink_j (x_j - x)_+, like a hockey-stick curve: 0 from the last point
on, and of slope -sum_j kink_j left of the first.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick import _core

lower_hull = _core.numeric.lower_hull


def value(x, kinks, at):
    return sum((k * (y - at) for y, k in zip(x, kinks, strict=True) if y > at), Fraction(0))


def slope(a, b):
    return (b[1] - a[1]) / (b[0] - a[0])


def chain(x, kinks):
    """Positions on the hull over (-inf, last point], whose left ray keeps its slope."""
    ray = -sum(kinks)
    points = [(y, value(x, kinks, y)) for y in x]
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


functions = st.builds(
    random_function, st.integers(0, 2**32), st.integers(1, 25), st.sampled_from([0.2, 0.5, 0.7])
)


@given(functions)
def test_below_convex_and_unchanged_outside(function):
    x, kinks = function
    kept, left = lower_hull(x, kinks)
    hull = exact(left[k] for k in kept)
    corners = exact(x[k] for k in kept)
    scale = max(sum(abs(k) for k in kinks), 1.0) * (x[-1] - x[0] + 1)
    rounding = Fraction(1e-13) * Fraction(scale)
    assert kept[-1] == len(x) - 1
    assert all(k >= 0 for k in hull[:-1])
    for at in exact([x[0] - 5, *x, *((a + b) / 2 for a, b in pairwise(x))]):
        assert value(corners, hull, at) <= value(exact(x), exact(kinks), at) + rounding
    assert abs(sum(hull) - sum(exact(kinks))) <= rounding
    assert value(corners, hull, corners[-1]) == 0


@given(functions)
def test_touches_the_function_between_its_left_ray_and_its_end(function):
    x, kinks = function
    kept, left = lower_hull(x, kinks)
    hull = exact(left[k] for k in kept)
    corners = exact(x[k] for k in kept)
    scale = Fraction(sum(abs(k) for k in kinks)) * Fraction(x[-1] - x[0] + 1)
    for corner in corners:
        gap = value(exact(x), exact(kinks), corner) - value(corners, hull, corner)
        assert abs(gap) <= Fraction(1e-12) * scale


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=30))
def test_convex_functions_are_left_alone(kinks):
    assert lower_hull(np.arange(float(len(kinks))), kinks) == (list(range(len(kinks))), kinks)
