# SPDX-License-Identifier: Apache-2.0
"""Laws of a random number of runs: derivatives of the generating function in balls."""

import random

import pytest
from flint import arb, ctx

from hockeystick import _core

LAWS = [
    ("poisson", 0.3, 0.0),
    ("poisson", 10.0, 0.0),
    ("poisson", 1e5, 0.0),
    ("negative_binomial", 10.0, 1.0),
    ("negative_binomial", 1.0, 1.0),
    ("negative_binomial", 1e6, 1.0),
    ("negative_binomial", 12.5, 0.0),
    ("negative_binomial", 1.0001, 0.0),
    ("negative_binomial", 50.0, -0.5),
    ("negative_binomial", 1e6, -0.9),  # (1 + rise)^0.9 is 4e54
    ("negative_binomial", 1.0001, -0.99999),
    ("negative_binomial", 3.0, 1e-320),  # products with the shape are subnormal
    ("negative_binomial", 3.0, -5e-324),
    ("negative_binomial", 1e3, 100.0),
    ("negative_binomial", 7.0, 30.0),
    ("binomial", 10.0, 10.0),
    ("binomial", 10.0, 20.0),
    ("binomial", 0.01, 5.0),
    ("binomial", 1.0, 1.0),
    ("binomial", 1e6, 1e6),
    ("binomial", 999.0, 1000.0),
]


def mean_of(shape, rise):
    log = (1 + rise).log()
    return rise / log if shape == 0 else rise * shape / -(-shape * log).expm1()


def rise_of(mean, shape):
    if shape == 1:
        return arb(mean) - 1
    if mean == 1:
        return arb(0)
    low, high = arb(0), arb(1)
    while mean_of(shape, high) < mean:
        high *= 2
    for _ in range(400):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if mean_of(shape, middle) < mean else (low, middle)
    return high


def generating(law, z):
    """f(z)."""
    kind, mean, extra = law
    if kind == "poisson":
        return (arb(mean) * (z - 1)).exp()
    if kind == "binomial":
        chance = arb(mean) / arb(extra)
        return (1 - chance + chance * z) ** int(extra)
    rise = rise_of(mean, arb(extra))
    if rise == 0:
        return z
    gamma = 1 / (1 + rise)
    left = 1 - (1 - gamma) * z
    if extra == 0:
        return left.log() / gamma.log()
    return (-arb(extra) * left.log()).expm1() / (-arb(extra) * gamma.log()).expm1()


def rate(law, x):
    """f'(1 - x)."""
    kind, mean, extra = law
    if kind == "poisson":
        return arb(mean) * (-arb(mean) * x).exp()
    if kind == "binomial":
        chance = arb(mean) / arb(extra)
        return arb(mean) * (1 - chance * x) ** (int(extra) - 1)
    return arb(mean) * (1 + rise_of(mean, arb(extra)) * x) ** (-arb(extra) - 1)


PLACES = [0.0, 1e-18, 1e-5, 0.03, 0.5, 0.75, 1 - 2**-40, 1.0] + [
    random.Random(3).random() for _ in range(40)
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_rates_are_within_their_error(law):
    runs = _core.NumberOfRuns(*law)
    assert 0 < runs.error < 1e-3
    with ctx.workprec(600):
        for x in PLACES:
            truth = rate(law, arb(x))
            assert abs(arb(runs.rate(x)) - truth) <= runs.error * truth + 1e-300


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_parts_are_within_their_error(law):
    runs = _core.NumberOfRuns(*law)
    rng = random.Random(7)
    with ctx.workprec(600):
        for _ in range(60):
            part = 2.0 ** -rng.randint(1, 40)
            x = part * rng.randint(0, min(round(1 / part) - 1, 2**12))
            truth = generating(law, 1 - arb(x)) - generating(law, 1 - arb(x) - arb(part))
            found = runs.between(x, 1 - x, part)
            assert abs(arb(found) - truth) <= 2 * runs.error * truth + 1e-300


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_slope_is_that_of_the_rate(law):
    runs = _core.NumberOfRuns(*law)
    with ctx.workprec(600):
        for x in (1e-6, 0.1, 0.4, 0.8):
            step = arb(2) ** -150
            truth = (rate(law, arb(x)) - rate(law, arb(x) + step)) / step
            slope = arb(runs.rate_slope(x))
            of_rate = runs.error * rate(law, arb(x)) / x
            assert abs(slope - truth) <= (2 * runs.error + 2.0**-40) * truth + of_rate + 1e-300


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_probability_of_no_run(law):
    with ctx.workprec(600):
        truth = generating(law, arb(0))
        runs = _core.NumberOfRuns(*law)
        assert abs(arb(runs.none) - truth) <= runs.error * abs(truth) + 1e-300
