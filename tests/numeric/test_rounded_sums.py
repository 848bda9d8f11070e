# SPDX-License-Identifier: Apache-2.0
"""Sums of guarantees, exactly: what ball arithmetic would say is said in fractions."""

import random
from fractions import Fraction

import numpy as np

from hockeystick import _core


def test_a_sum_is_the_smallest_double_not_below():
    rng = random.Random(4)
    for _ in range(2000):
        a, b = 10 ** rng.uniform(-20, 4), 10 ** rng.uniform(-20, 4)
        found = _core.sum_above(a, b)
        exact = Fraction(a) + Fraction(b)
        assert Fraction(float(np.nextafter(found, -1.0))) < exact <= Fraction(found)
    assert _core.sum_above(0.25, 0.5) == 0.75
    assert _core.sum_above(0.0, 0.0) == 0.0
