# SPDX-License-Identifier: Apache-2.0
"""The contour that bends to the left, against integrals in ball arithmetic and vertical lines."""

import math
import random

import pytest
from flint import arb, ctx

from hockeystick import _core
from mechanisms.test_allocation_curve import put_of_two


def call(mu, t, d, accuracy, wide=1.2):
    samples, (bounds,) = _core.sampling.allocation_call(mu, t, (d / wide, d * wide), accuracy, [d])
    assert samples > 0
    return bounds


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("accuracy", [1e-7, 1e-10, 1e-18])
def test_two_steps_enclose_the_integral(mu, accuracy):
    """Where accuracy is fine, rounding alone parts the ends; where it is coarse, the rule."""
    rng = random.Random(mu)
    deviation = math.sqrt(2 * math.expm1(mu * mu))
    for _ in range(3):
        d = deviation * 10 ** rng.uniform(0.7, 1.5)
        lower, upper = call(mu, 2, d, accuracy)
        with ctx.workprec(200):
            truth = put_of_two(mu, arb(2) + arb(d)) - arb(d) / 2
            assert truth.rad() < 1e-22
            assert arb(lower) < truth < arb(upper)
        assert upper - lower < 1e-12 + accuracy * 2


@pytest.mark.parametrize(
    ("mu", "t", "deviations"),
    [
        (0.6, 20, 6),
        (0.8, 1000, 7),
        (1.0, 3, 8),
        (1.0, 1000, 7),
        (1.25, 10**4, 20),
        (1.6, 10**6, 25),
    ],
)
def test_the_vertical_line_agrees(mu, t, deviations):
    d = deviations * math.sqrt(t * math.expm1(mu * mu))
    ((low, high),) = _core.sampling.allocation_put(mu, t, (d / 1.2, d * 1.2), 1e-14, [d])
    for accuracy in (1e-9, 1e-12, 1e-15):
        for wide in (1.02, 2):
            lower, upper = call(mu, t, d, accuracy, wide)
            assert lower <= high - d / t + 1e-15
            assert upper >= low - d / t - 1e-15
            assert upper - lower < 2 * accuracy + 1e-12


def test_it_is_not_built_where_it_would_take_many_nodes():
    for mu, t, d in ((1.0, 10**6, 3.0), (0.01, 5, 0.1)):
        assert _core.sampling.allocation_call(mu, t, (d, 1.1 * d), 1e-12, [d]) == (0, [])
