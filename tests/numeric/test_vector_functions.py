# SPDX-License-Identifier: Apache-2.0
"""Functions on vectors, with each instruction set, against ball arithmetic, at stated bounds."""

from functools import partial

import numpy as np
import pytest
from flint import arb

from exact.balls import normal_tail
from hockeystick import _core
from relative_errors import furthest, scattered

numeric = _core.numeric
LARGEST = np.finfo(float).max
every_kernel = pytest.mark.parametrize("kernel", numeric.available_kernels())


def uniform(samples, *ranges):
    rng = np.random.default_rng(7)
    return [rng.uniform(low, high, samples(500)) for low, high in ranges]


def exponents(samples):
    """All sizes, both signs, and the ends of the reduced range, where powers of two change."""
    steps = (np.arange(-40, 41) + 0.5) * np.log(2)
    seams = [*(steps + k * 1e-15 for k in (-3, -1, 0, 1, 3)), np.arange(-30, 30) * np.log(2) / 2]
    spread = uniform(samples, (-708, 709), (-50, 0), (-1.2, 1.2), (-1e-3, 1e-3))
    return [*seams, *spread, scattered(samples, -60, 9, 1000), [5e-324, -5e-324]]


def positive(samples):
    """All sizes, the neighbours of 1, the ends of the reduced range, where the exponent changes."""
    seams = np.ldexp(np.sqrt(0.5), np.arange(-30, 30))
    seams = [seams * (1 + k * 2.0**-21) for k in (-2, -1, 0, 1, 2)]
    near, wide = (
        1 + scattered(samples, -52, -1, 400),
        np.abs(scattered(samples, -1022, 1023.9, 400)),
    )
    return [*seams, near, wide, *uniform(samples, (0.5, 3)), [2.0**-1022, LARGEST, 1.0, 2.0, 0.5]]


def above_minus_1(samples):
    """Of both signs, next to -1, and up to 2^1023; twice that may be no number on vectors."""
    small = [scattered(samples, low, -0.01, 1000) for low in (-1074, -60)]
    near, large = (np.abs(scattered(samples, *ends, 200)) for ends in ((-53, 0), (0, 1023)))
    ends = [0.0, -0.0, 5e-324, -1 + 2.0**-53, 2.0**1023, 2.0**53, 2.0**53 - 1]
    seams = np.concatenate(positive(samples)) - 1
    return [*small, near - 1, large, seams[seams <= 2.0**1023], ends]


def distances(samples):
    """Either side of 9, where the pole is left out, small arguments and all sizes."""
    seam = 9 + np.arange(-4, 4) * 2.0**-50
    small = np.abs(scattered(samples, -1074, 0, 200))
    return [seam, small, *uniform(samples, (0, 37)), [0.0, 37.0, 5e-324]]


# Function, its bound [u], its least error [u] that a test must meet, and arguments.
CASES = [
    ("exponentials", arb.exp, 4, 0.25, exponents),
    ("exponentials_less_1", arb.expm1, 4, 1, exponents),
    ("logarithms", arb.log, 3, 1, positive),
    ("logarithms_of_1_plus", arb.log1p, 4, 1, above_minus_1),
    ("normal_tails", normal_tail, 30, 1, distances),
]


def joined(parts, least=-np.inf):
    """In vectors of eight, as they are asked."""
    x = np.concatenate(parts)
    x = x[x > least]
    return np.concatenate([x, np.ones(-x.size % 8)])


@every_kernel
@pytest.mark.parametrize(("name", "exact", "bound", "met", "arguments"), CASES)
def test_every_function_is_within_its_bound(kernel, name, exact, bound, met, arguments, samples):
    x = joined(arguments(samples), least=-1 if arguments is above_minus_1 else -np.inf)
    if arguments is exponents:
        x = x.clip(-708, 709)
    assert met < furthest(partial(getattr(numeric, name), kernel=kernel), exact, x) <= bound


@every_kernel
def test_both_exponentials_are_as_they_are_alone(kernel, samples):
    x = joined([*exponents(samples), [-1e300]])
    powers, less_1 = numeric.exponentials_both(x, kernel)
    assert (powers == numeric.exponentials(x, kernel)).all()
    assert (less_1 == numeric.exponentials_less_1(x, kernel)).all()


@every_kernel
def test_exponentials_far_below_0_are_those_of_the_least(kernel):
    ends = np.array([-708.0, -800.0, -1e300, -np.inf, -40.0, -50.0, 0.0, -0.0])
    powers, less_1 = numeric.exponentials_both(ends, kernel)
    assert powers[0] == powers[1] == powers[2] == powers[3] > 0
    assert powers[6] == 1
    assert less_1.tolist() == [-1, -1, -1, -1, -1, -1, 0, 0]
