# SPDX-License-Identifier: Apache-2.0
"""What every pair says of itself by the ends of its loss alone."""

import math
import random
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick.adjacency import Direction


@pytest.mark.parametrize("order", [1.0, 1 + 2**-52, 1.7, 30.0, 1e6])
def test_slopes_between_ends_of_the_loss_are_the_formula(order):
    """The square of the largest loss over 2, or that loss over the order, rounded up."""
    rng = random.Random(3)
    ends = [1e-300, 3e-163, 1e-162, 1e-160, 1.0, *(10 ** rng.uniform(-3, 3) for _ in range(200))]
    for end in ends:
        pair = hs.ApproximateDP(epsilon=end, delta=0).dominating_pair(Direction.REMOVE)
        most = Fraction(pair.loss_supremum)
        truth = min(most**2 / 2, most / Fraction(order))
        found = pair.renyi_slope_bound(order)
        above = math.nextafter(math.nextafter(float(truth), math.inf), math.inf)
        assert truth <= Fraction(found) <= Fraction(above)
