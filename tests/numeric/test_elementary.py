# SPDX-License-Identifier: Apache-2.0
"""Elementary functions of one number, against ball arithmetic, at the stated bounds."""

import itertools
import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from hockeystick import _core
from relative_errors import SMALLEST, U, around, furthest, scattered

numeric = _core.numeric
LARGEST = np.finfo(float).max


def between(low, high):
    """Uniform numbers."""
    return lambda samples: np.random.default_rng(6).uniform(low, high, samples(3000))


def seams(samples):
    """Where the index of the table of powers changes, and the polynomial ends."""
    steps = (np.arange(-samples(400), samples(400)) + 0.5) * math.log(2) / 128
    return around(np.concatenate([steps, [-708, 708, 0.0625, -0.0625, 709.7, -745, -37, 37, 22]]))


def edges(samples):
    """Where the interval of the fraction changes, next to 1, and where logarithms are small."""
    fractions = np.concatenate([0.71875 + np.arange(72) / 256, 1 + np.arange(57) / 128])
    near = 1 + scattered(samples, -52, -4)
    return around(np.concatenate([fractions, fractions * 2.0**-500, near, [31 / 32, 33 / 32]]))


def sizes(low, high):
    return lambda samples: scattered(samples, low, high)


def positive(parts):
    return lambda samples: np.abs(parts(samples))


def less_1(parts):
    return lambda samples: np.abs(parts(samples)) - 1


# Function, its bound [u], its least error [u] that a test must meet, and arguments.
CASES = [
    ("exp", arb.exp, 1.2, 0.9, [between(-745, 710), between(-2, 2), sizes(-60, 9), seams]),
    ("expm1", arb.expm1, 2.3, 1.7, [between(-40, 710), between(-1, 1), sizes(-1074, 9), seams]),
    ("log", arb.log, 1.6, 0.95, [between(0.2, 3), positive(sizes(-1074, 1023.9)), edges]),
    ("log1p", arb.log1p, 1.9, 0.95, [between(-0.99, 5), sizes(-1074, -0.1), less_1(edges)]),
    ("log1p", arb.log1p, 1.9, 0.5, [positive(sizes(0, 1023.9)), less_1(positive(sizes(-52, 0)))]),
    ("log2", lambda x: x.log() / arb.const_log2(), 4, 1.5, [positive(sizes(-1074, 1023.9)), edges]),
    ("sinh", arb.sinh, 5, 2, [between(-3, 3), sizes(-1074, 9.47), seams]),
    ("cosh", arb.cosh, 4, 1.5, [between(-3, 3), sizes(-60, 9.47), seams]),
    ("asinh", arb.asinh, 7, 1.7, [between(-3, 3), sizes(-1074, 1023.9)]),
    ("acosh", arb.acosh, 8, 1.5, [between(1, 9), positive(sizes(0, 1023.9))]),
]


@pytest.mark.parametrize(("name", "exact", "bound", "met", "ranges"), CASES)
def test_every_function_is_within_its_bound(name, exact, bound, met, ranges, samples):
    x = np.concatenate([each(samples) for each in ranges])
    if name == "log1p":
        x = x[x > -1]
    if name == "acosh":
        x = x[x >= 1]
    worst = furthest(getattr(numeric, name), exact, x)
    assert met <= worst <= bound


def same(got, wanted):
    return math.isnan(got) if math.isnan(wanted) else str(got) == str(wanted)  # and the sign of 0


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        *((name, NAN, NAN) for name, *_ in CASES),
        *(("exp", *each) for each in [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0)]),
        *(("exp", *each) for each in [(710.0, INF), (-745.14, 0.0), (-745.13, SMALLEST)]),
        *(("expm1", *each) for each in [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0)]),
        *(("expm1", *each) for each in [(-750.0, -1.0), (-708.0, -1.0), (710.0, INF)]),
        *(("log", *each) for each in [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)]),
        *(("log", *each) for each in [(-1.0, NAN), (-INF, NAN), (-SMALLEST, NAN)]),
        *(("log1p", *each) for each in [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF)]),
        *(("log1p", *each) for each in [(-1.5, NAN), (-INF, NAN), (SMALLEST, SMALLEST)]),
        *(("log2", *each) for each in [(0.0, -INF), (INF, INF), (-1.0, NAN), (1.0, 0.0)]),
        *(("log2", 2.0**k, float(k)) for k in (-1074, -3, 1, 52, 1023)),
        *(("sinh", *each) for each in [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
        *(("cosh", *each) for each in [(0.0, 1.0), (INF, INF), (-INF, INF)]),
        *(("asinh", *each) for each in [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
        *(("acosh", *each) for each in [(1.0, 0.0), (INF, INF), (0.5, NAN), (-3.0, NAN)]),
    ],
)
def test_ends(name, at, value):
    assert same(float(getattr(numeric, name)(at)), value)


def test_quotients_of_complex_numbers():
    rng = np.random.default_rng(10)
    a, b = (rng.normal(size=2000) * np.exp(1j * rng.uniform(0, 7, 2000)) for _ in range(2))
    b = np.concatenate([b[4:], [1e200 + 1e200j, 1e-200 - 1e-201j, 3j, -2.0]])
    worst = 0.0
    with ctx.workprec(120):
        for got, x, y in zip(numeric.quotient(a, b).tolist(), a.tolist(), b.tolist(), strict=True):
            exact = acb(x.real, x.imag) / acb(y.real, y.imag)
            worst = max(worst, float(abs(acb(got.real, got.imag) / exact - 1)) / U)
    assert 1 < worst < 6


@pytest.mark.parametrize("scale", [1.0, 2.0**480, 2.0**-480])
def test_products_are_exact_however_they_are_made(scale):
    """And of what a wider format would round twice."""
    rng = np.random.default_rng(11)
    a, b = (rng.uniform(1, 2, 500).tolist() for _ in range(2))
    for x, y in itertools.chain(zip(a, b, strict=True), [(1 + 2.0**-52, 1 + 2.0**-52), (3.0, 0.1)]):
        value, error, *halved = numeric.two_product(x * scale, y * scale)
        assert [value, error] == halved
        with ctx.workprec(200):
            assert arb(value) + arb(error) == arb(x * scale) * arb(y * scale)


def test_the_largest_powers():
    x = np.array([709.782712893384, 709.0, 708.5, 710.4758600739439, -745.0, -720.0])
    assert numeric.exp(x)[0] <= LARGEST
    assert furthest(numeric.exp, arb.exp, x[[0, 1, 2, 4, 5]]) <= 1.2
    assert furthest(numeric.sinh, arb.sinh, x[:4]) <= 5
    assert furthest(numeric.cosh, arb.cosh, x[:4]) <= 5
