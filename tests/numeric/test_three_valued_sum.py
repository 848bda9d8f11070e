# SPDX-License-Identifier: Apache-2.0
"""Positive parts of sums of terms of three values: enclosed by exact sums, in balls."""

import math
import random

import pytest
from flint import arb, ctx

from hockeystick import _core

positive_part, likely_counts = _core.runs.positive_part, _core.runs.likely_counts

pytestmark = pytest.mark.bits(256)


def masses(n, p):
    """P(X = k) of Bin(n, p) for each k."""
    q, term = 1 - p, (1 - p) ** n
    for k in range(n + 1):
        yield term
        term = term * (n - k) * p / ((k + 1) * q)


def truth(n, share, ends, values, offset):
    """E (sum + offset)_+ / n by all numbers of ends and of gains."""
    gain, loss, rest = map(arb, values)
    total = arb(0)
    for m, weight in enumerate(masses(n, ends)) if ends < 1 else [(n, arb(1))]:
        for k, mass in enumerate(masses(m, share)):
            total += (
                weight * mass * (k * gain + (m - k) * loss + (n - m) * rest + offset).max(arb(0))
            )
    return total / n


def cases(seed):
    rng = random.Random(seed)
    for _ in range(12):
        lead, more = math.expm1(10 ** rng.uniform(-3, 0.7)), 10 ** rng.uniform(-4, 0)
        more *= min(lead, 1.0)
        rest = -rng.choice([0.0, 0.3, 1.0, 1 + lead]) * more
        yield rng, (lead - more, -(more + lead + more * lead), rest)


@pytest.mark.parametrize("terms", [1, 2, 7, 40, 90])
def test_even_ends(terms):
    for rng, values in cases(terms):
        ends = rng.choice([1e-9, 1e-3, 0.2, 0.55, 0.97, 1 - 2.0**-30])
        offset = rng.choice([0.0, 1.0, -1.0]) * rng.uniform(0, 1) * values[0] * math.sqrt(terms)
        exact = truth(terms, arb(0.5), arb(ends), values, arb(offset))
        lower, upper = positive_part(terms, [ends, 1 - ends], values, offset, 1e-250)
        assert lower <= exact <= upper
        assert upper - lower <= 1e-9 * upper + 1e-12 * sum(map(abs, values))


@pytest.mark.parametrize("terms", [1, 3, 40, 400])
def test_two_values(terms):
    for rng, (gain, loss, _) in cases(terms):
        high = rng.choice([1e-6, 0.01, 0.3, 0.5, 0.9])
        values = (gain, loss, 0.0)
        exact = truth(terms, arb(high), arb(1), values, arb(0))
        lower, upper = positive_part(terms, [high, 1 - high], values, 0.0, 0.0)
        assert lower <= exact <= upper
        assert upper - lower <= 1e-9 * upper + 1e-12 * sum(map(abs, values))


@pytest.mark.parametrize(("epsilon", "close"), [(0.02, 1e-8), (0.1, 1e-8), (0.5, 1e-6)])
def test_many_terms_of_which_tails_go_on(epsilon, close):
    """From one number of ends to the next, of 1200 terms; delta down to 1e-44."""
    n, e, a = 1200, math.exp(1.0), math.exp(epsilon)
    gain, loss, ends = e - a, 1 - a * e, 2 / (1 + e)
    total, ctx.prec = arb(0), 128
    for m, weight in enumerate(masses(n, arb(ends))):
        if weight > arb(1e-60):
            k = max(0, math.floor(-m * loss / (gain - loss)) + 1)
            mass, more = arb(math.comb(m, k)) / arb(2) ** m, arb(0)
            for j in range(k, m + 1):
                more += mass * (j * arb(gain) + (m - j) * arb(loss)).max(arb(0))
                mass *= arb(m - j) / (j + 1)
            total += weight * more
    exact = total / n
    lower, upper = positive_part(n, [ends, 1 - ends], (gain, loss, 0.0), 0.0, 1e-55)
    assert lower <= exact <= upper
    assert upper - lower <= close * upper


@pytest.mark.parametrize(("trials", "success"), [(5, 0.3), (400, 0.6), (3000, 0.01), (50, 1e-7)])
@pytest.mark.parametrize("cut", [1e-2, 1e-6, 1e-200])
def test_likely_counts(trials, success, cut):
    exact = list(masses(trials, arb(success)))
    first, weights, error, below, above, mean = likely_counts(trials, success, 1 - success, cut)
    first, last = int(first), int(first) + len(weights) - 1
    for weight, mass in zip(weights, exact[first : last + 1], strict=True):
        assert abs(arb(weight) - mass) <= arb(error) * mass
    assert sum(exact[:first], arb(0)) <= below
    assert sum(exact[last + 1 :], arb(0)) <= above
    rest = sum((k * mass for k, mass in enumerate(exact) if k > last), arb(0)) / trials
    assert rest <= mean
    assert below + above <= 100 * cut
    assert error < 1e-10


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_left_out_is_booked(sign):
    """A window that leaves much out: too few ends lose gains of the offset, too many lose gains."""
    for terms, ends in ((60, 0.5), (200, 0.05), (60, 0.97)):  # of the last, only few ends
        values, offset = (0.5, -0.6, 0.0), sign * 3.0
        exact = truth(terms, arb(0.5), arb(ends), values, arb(offset))
        lower, upper = positive_part(terms, [ends, 1 - ends], values, offset, 0.03)
        assert lower <= exact <= upper


def test_no_gain_counts_next_to_nothing():
    lower, upper = positive_part(10, [0.5, 0.5], (0.0, -1.0, 0.0), 0.0, 1e-20)
    assert lower == 0
    assert 0 <= upper < 1e-14
    assert positive_part(10, [0.5, 0.5], (0.0, -1.0, 0.0), 3.0, 1e-20)[1] >= 0.3


def test_work_grows_with_the_root():
    few, many = (len(likely_counts(n, 0.5, 0.5, 1e-12)[1]) for n in (10**4, 10**8))
    assert 80 * few < many < 120 * few
