# SPDX-License-Identifier: Apache-2.0
"""Epsilon and delta of one epoch, from contours near the answer."""

import math

import pytest
from flint import arb, ctx

from hockeystick import _core
from mechanisms.test_allocation_curve import put_of_two


def bounds(noise, steps, value, tolerance=1e-3, *, adds=False, wants_epsilon=True):
    """The ends of one direction."""
    lower, upper = _core.sampling.allocation_bounds(
        noise,
        steps,
        1,
        removes=not adds,
        adds=adds,
        wants_epsilon=wants_epsilon,
        values=[value],
        tolerance=tolerance,
    )
    return lower[0], upper[0]


@pytest.mark.every(2)
@pytest.mark.parametrize("noise", [0.5, 0.8, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("adds", [False, True])
def test_two_steps_enclose_the_integral(noise, adds):
    """delta = put / t - (K / t - 1), K = t e^epsilon, or put / K, K = t e^-epsilon."""
    for deviations in (1e-3, 0.5, 3.0, 6.0):
        epsilon = min(deviations * math.sqrt(math.log1p(math.expm1(noise**-2) / 2)), 4.0)
        for tolerance in (1e-2, 1e-4):
            lower, upper = bounds(noise, 2, epsilon, tolerance, adds=adds, wants_epsilon=False)
            with ctx.workprec(200):
                ratio = (arb(-epsilon) if adds else arb(epsilon)).exp()
                put = put_of_two(1 / arb(noise), 2 * ratio)
                truth = put / ratio if adds else put - (ratio - 1)
                assert arb(lower) < truth < arb(upper)
            assert upper - lower <= tolerance * upper + 1e-12


def test_beyond_its_range_it_says_nothing():
    assert bounds(1.0, 100, 1e-100) == (0, math.inf)
    assert bounds(1.0, 100, 40.0, wants_epsilon=False) == (0, 1)


def test_a_question_that_is_out_of_range_is_refused():
    for noise, steps in ((1.0, 1), (1.0, 2.5), (0.1, 10), (1e4, 10)):
        with pytest.raises(ValueError, match=r"steps|sqrt\(epochs\) / noise"):
            bounds(noise, steps, 1e-6)
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 1"):
        bounds(1.0, 100, 1.0)
