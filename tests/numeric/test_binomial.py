# SPDX-License-Identifier: Apache-2.0
"""Binomial tails, by the limits and p-values that they make, against sums in balls."""

import random

import pytest
from flint import arb, ctx

from hockeystick import _core


def at_least(k, n, p):
    """P(Bin(n, p) >= k), every term by the recurrence of exact ratios."""
    if k <= 0:
        return arb(1)
    term = (
        arb(n + 1).lgamma()
        - arb(k + 1).lgamma()
        - arb(n - k + 1).lgamma()
        + k * p.log()
        + (n - k) * (1 - p).log()
    ).exp()
    total, odds = term, p / (1 - p)
    for j in range(k, n):
        term *= arb(n - j) / (j + 1) * odds
        total += term
        if term < total * arb(2) ** -200:
            break
    return total


def cases(count):
    rng = random.Random(7)
    for _ in range(count):
        n = rng.choice([1, 2, 5, 20, 100, 1000, rng.randint(1, 3000)])
        yield rng.randint(0, n), n, rng.choice([0.025, 0.5, 1e-3, 1e-9, rng.random()])


@pytest.mark.parametrize(("k", "n", "alpha"), list(cases(120)))
def test_limits_are_outside_and_close(k, n, alpha):
    lower, upper = _core.rate_limits(k, n, alpha)
    assert 0 <= lower <= k / n <= upper <= 1 or alpha > 0.2
    with ctx.workprec(300):
        if k > 0:
            assert at_least(k, n, arb(lower)) <= alpha
            assert at_least(k, n, arb(lower) * (1 + arb(1e-11))) > alpha
        if k < n:
            failures = 1 - arb(upper)
            assert at_least(n - k, n, failures) <= alpha
            nearer = failures * (1 + arb(1e-11)) + (arb(upper) * 1e-11 if upper < 0.5 else 4e-15)
            assert at_least(n - k, n, nearer) > alpha


def test_ends_of_no_and_all_successes():
    for n in (1, 10, 1000, 10**9):
        assert _core.rate_limits(0, n, 0.05)[0] == 0
        assert _core.rate_limits(n, n, 0.05)[1] == 1
        with ctx.workprec(200):
            exact = 1 - (arb(0.05).log() / n).exp()
            found = _core.rate_limits(0, n, 0.05)[1]
            assert exact <= found <= exact * (1 + arb(1e-12))


@pytest.mark.parametrize(("k", "n"), [(5 * 10**8, 10**9), (10**9 - 3, 10**9), (3, 10**9)])
def test_many_trials(k, n):
    lower, upper = _core.rate_limits(k, n, 0.025)
    spread = (k / n * (1 - k / n) / n) ** 0.5
    assert 0 < k / n - lower < 6 * spread
    assert 0 < upper - k / n < 6 * spread


def chance(epsilon):
    return 1 / (1 + (-arb(epsilon)).exp())


def test_tails_of_right_guesses_are_rounded_up():
    """By the p-value of pure DP: half of these would be below the truth if it were not booked."""
    rng = random.Random(1)
    for _ in range(300):
        n = rng.randint(1, 400)
        v, epsilon = rng.randint(1, n), rng.uniform(0, 6)
        found = _core.one_run_p_value(n, n, v, epsilon, 0.0)
        with ctx.workprec(300):
            exact = at_least(v, n, chance(epsilon))
            assert found == 1 or exact <= found
            assert found <= exact * (1 + arb(1e-12)) + 1e-14
