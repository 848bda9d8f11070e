# SPDX-License-Identifier: Apache-2.0
"""A product that grows is the one made at once, its errors included."""

import math
import random

import pytest

from hockeystick import _core

LOWER, TILT, HIGHER = 0.5, 1.25, 2.5


def drawn(rng, samples):
    """A line that is off by some rounding, here and there by all of a sample."""
    moduli = [rng.choice((1, 1, 1, 1e-17)) * rng.uniform(0.1, 1) for _ in range(samples)]
    angles = [rng.uniform(0, 2 * math.pi) for _ in range(samples)]
    rows = [
        (m * math.cos(a) - 1, m * math.sin(a), rng.uniform(0, 1e-15), rng.uniform(0, 1e-14))
        for m, a in zip(moduli, angles, strict=True)
    ]
    times = rng.choice((1, 1, 7, 1000))
    moment = (rng.uniform(0, 0.5) / times, rng.uniform(0, 1e-13))
    above = {LOWER: rng.uniform(0, 0.3) / times, HIGHER: rng.uniform(0.5, 2) / times}
    return (moment, above, rows, rng.uniform(0, 1), rng.choice((0, 1e-9))), times


@pytest.mark.parametrize("seed", range(8))
def test_a_grown_product_is_the_one_made_at_once(seed):
    rng = random.Random(seed)
    samples = rng.choice((1, 7, 8, 40))
    lines = [drawn(rng, samples) for _ in range(rng.randrange(1, 9))]
    at_once, *grown = (
        _core.contour.given_deltas(
            lines,
            tilts=(LOWER, TILT, HIGHER),
            period=12.0,
            count=samples + 1,
            epsilons=[0.5, 3.0],
            later=later,
        )
        for later in range(len(lines))
    )
    assert all(found == at_once for found in grown)


@pytest.mark.parametrize(("period", "count"), [(1.0, 3), (7.5, 64), (1e-3, 1000)])
def test_moduli_are_asked_for_at_the_first_sample_left_out(period, count):
    """Not beyond it: a bound holds from there on."""
    assert math.isclose(
        _core.lines.frequency_asked(period, count), 2 * math.pi / period * count, rel_tol=1e-15
    )
