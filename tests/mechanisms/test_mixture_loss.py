# SPDX-License-Identifier: Apache-2.0
"""Losses of Gaussian mixtures, at many points at once and with weights, against ball arithmetic."""

import itertools
import math

import numpy as np
import pytest
from flint import arb

from hockeystick import _core

U = 2.0**-53
# (deviation, rate, ((sensitivity, weight), ...)); no weight times a rate is a rounded subnormal.
MIXTURES = {
    "usual": (0.449, 3.3e-6, ((0.463, 1.0), (0.9249, 0.7), (0.38, 0.7), (0.569, 0.78))),
    "one": (1.0, 0.01, ((1.0, 1.0),)),
    "half at rest": (1.5, 1.0, ((0.0, 0.5), (0.5, 0.2), (1.0, 0.2), (3.0, 0.1))),
    "repeated": (1.0, 0.5, ((1.0, 0.125), (0.0, 0.25), (1.0, 0.375), (2.0, 0.25))),
    "next to always": (1.0, 1 - U, ((1.0, 0.5), (2.0, 0.5))),
    "always": (1.0, 1.0, ((1.0, 0.5), (2.0, 0.5))),
    "just plain": (1.0, 1.0, ((0.0, 1.1e-250), (1.0, 1.0))),
    "just tiny": (1.0, 1.0, ((0.0, 0.9e-250), (1.0, 1.0))),
    "rare": (0.7, 1e-300, ((1.0, 0.5), (3.0, 0.5))),
    "seldom": (0.7, 1e-100, ((1.0, 0.5), (3.0, 0.5))),
    "as rare as can be": (0.5, 5e-324, ((1.0, 1.0),)),
    "rare among others": (1.0, 1.0, ((0.0, 0.5), (1.0, 0.5), (9.0, 5e-324), (9.5, 1e-300))),
    "tiny shifts": (1e12, 0.3, ((1.0, 0.5), (1e-290, 0.5))),
    "subnormal exponents": (1e300, 0.3, ((1.0, 0.5), (3.0, 0.5))),
    "huge shifts": (5e-4, 0.3, ((1.0, 0.5), (0.1, 0.5))),
    "tiny and huge shifts": (1.0, 0.9, ((1e-9, 0.4), (1e3, 0.2), (1.0, 0.4))),
    "many": (0.6, 0.2, tuple((1.0 + k, 0.5**k) for k in range(40))),
    "a crowd": (1.0, 0.4, ((1.0, 0.1),) * 600),
}

pytestmark = pytest.mark.bits(2400)  # e^t next to 1, for t of any size


def points(deviation, rate, parts):
    """Where exponents are 0, powers over- or underflow, losses change their way, and far beyond."""
    shifts = [s / deviation for s, _ in parts if s > 0]
    x = [0.0, -0.0, *np.linspace(-40, 40, 41), *np.linspace(-3, 3, 20)]
    for shift in (shifts[0], max(shifts), min(shifts)):
        t = (
            0.0,
            1e-9,
            -1e-9,
            0.69,
            -0.6932,
            599.9,
            600.1,
            -570.0,
            -575.0,
            -580.0,
            -667.7,
            -667.8,
            -708.1,
            -746.0,
            720.0,
        )
        x += [shift / 2 + at / shift for at in t]
        x += np.nextafter(shift / 2, [0.0, math.inf]).tolist()
        x += [shift, *(shift / 2 - math.log(rate) * np.linspace(0.8, 1.1, 13) / shift)]
    x += [sign * 10.0**k for sign in (-1, 1) for k in (-320, -160, -9, 3, 6, 18, 100)]
    return [float(at) for at in x if abs(at) < 1e150]


def losses(mixture, x, *, with_weights=False):
    deviation, rate, parts = mixture
    sensitivities, weights = zip(*parts, strict=True)
    return _core.parts.mixture_losses(deviation, rate, sensitivities, weights, x, with_weights)


def truth(mixture, x):
    """The loss at x, and the slope of that of the shifts that are next to the true ones."""
    deviation, rate, parts = mixture
    total = sum((arb(w) for _, w in parts), arb(0))
    moved = [(s, arb(rate) * arb(w) / total) for s, w in parts if s > 0]
    rest = 1 - sum((p for _, p in moved), arb(0))

    def powers(shifts):
        terms = [
            p * (s * arb(x) - s * s / 2).exp() for s, (_, p) in zip(shifts, moved, strict=True)
        ]
        return terms, rest + sum(terms, arb(0))

    near = [arb(s / deviation) for s, _ in moved]
    terms, below = powers(near)
    slope = sum((t * s for t, s in zip(terms, near, strict=True)), arb(0)) / below
    return powers([arb(s) / arb(deviation) for s, _ in moved])[1].log(), slope


def check(mixture, x, found):
    """Encloses the truth; how much of the error is met, at most."""
    deviation, _, parts = mixture
    largest, met = max(s for s, _ in parts) / deviation, 0.0
    for at, (loss, slope, error) in zip(x, found, strict=True):
        true_loss, true_slope = truth(mixture, at)
        off = abs(true_loss - arb(loss))
        assert off <= arb(error), at
        met = max(met, float(off / arb(error)))
        most = U * (24 + 4 * (len(parts) + 1)) * true_slope + 1e-40 * arb(largest)
        assert abs(true_slope - arb(slope)) <= most, at
    return met


@pytest.mark.every(4)
@pytest.mark.parametrize("with_weights", [False, True])
@pytest.mark.parametrize("name", MIXTURES)
def test_losses_and_slopes_are_within_their_errors(name, with_weights):
    x = points(*MIXTURES[name])
    met = check(MIXTURES[name], x, losses(MIXTURES[name], x, with_weights=with_weights))
    idle = with_weights and name == "subnormal exponents"  # a logarithm of about 1
    assert idle or met > 0.01


@pytest.mark.parametrize("with_weights", [False, True])
@pytest.mark.parametrize("name", ["usual", "half at rest", "rare", "next to always", "many"])
def test_losses_anywhere_are_within_their_errors(name, with_weights, samples):
    x = np.random.default_rng(5).normal(0, 12, samples(200)).tolist()
    check(MIXTURES[name], x, losses(MIXTURES[name], x, with_weights=with_weights))


@pytest.mark.parametrize("count", [1, 5, 8, 13, 1000])
@pytest.mark.parametrize("name", MIXTURES)
def test_losses_do_not_depend_on_what_else_is_asked(name, count):
    x = points(*MIXTURES[name])
    np.random.default_rng(3).shuffle(x)
    parts = [losses(MIXTURES[name], x[k : k + count]) for k in range(0, len(x), count)]
    assert losses(MIXTURES[name], x) == [each for part in parts for each in part]


@pytest.mark.parametrize("with_weights", [False, True])
@pytest.mark.parametrize("name", ["usual", "half at rest", "rare", "huge shifts"])
def test_losses_at_no_number_are_not_known(name, with_weights):
    found = losses(
        MIXTURES[name], [math.nan, -math.inf, math.inf, 0.0] * 3, with_weights=with_weights
    )
    for (_, _, error), known in zip(found, itertools.cycle([False, False, False, True])):
        assert math.isfinite(error) is known


@pytest.mark.parametrize("x", [-10.0, -60.0])
def test_the_error_of_a_logarithm_is_the_formula(x):
    """Of one shift of 1 that is always there: two terms, and a loss of x - 1/2."""
    ((loss, _, error),) = _core.parts.mixture_losses(1.0, 1.0, [1.0], [1.0], [x], False)
    assert loss == x - 0.5
    booked = 1.01 * (8 * abs(loss) + 14 + 2) + 2.1 * (abs(x - 1) + 1)
    assert error / U == pytest.approx(booked, rel=1e-9)


@pytest.mark.parametrize(("rate", "x"), [(0.3, 3.0), (1e-3, 0.0), (0.01, -2.0)])
def test_the_error_of_a_rise_is_the_formula(rate, x):
    ((loss, _, error),) = _core.parts.mixture_losses(1.0, rate, [1.0], [1.0], [x], False)
    rise = rate * math.expm1(x - 0.5)
    weight = rate * math.exp(x - 0.5) / (1 + rise)
    booked = 1.01 * (14 + 2) * abs(rise) / (1 + rise) + 4 * abs(loss)
    booked += 2.1 * (weight * abs(x - 1) + weight)
    assert error / U == pytest.approx(booked, rel=1e-9)
