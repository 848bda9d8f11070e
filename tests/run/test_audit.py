# SPDX-License-Identifier: Apache-2.0
"""Lower bounds from counts, and audits of one run, against balls over the doubles at hand."""

import math
import random

import numpy as np
import pytest
from flint import arb, fmpq

from exact.attack import normal_quantile
from hockeystick import _core

pytestmark = pytest.mark.bits(300)


def test_epsilon_of_two_rates_is_rounded_down():
    rng = random.Random(2)
    for _ in range(2000):
        alarm, miss = rng.choice([0.9, 0.1, 1e-5]) * rng.random(), rng.random() * 0.7
        delta = rng.choice([0.0, 1e-5, 0.01])
        found = _core.audited_epsilon(alarm, miss, delta)
        pairs = ((arb(miss), arb(alarm)), (arb(alarm), arb(miss)))
        exact = max(
            ((1 - m - arb(delta)) / a).log() if 1 - m - arb(delta) > 0 else arb(-1)
            for m, a in pairs
        )
        if found == 0:
            assert exact < arb(1e-14)
        else:
            assert found <= exact
            assert exact - found <= 1e-14 * (1 + exact)


def test_mu_of_two_rates_is_rounded_down():
    rng = random.Random(3)
    for _ in range(60):
        alarm, miss = 10 ** rng.uniform(-12, -0.1), 10 ** rng.uniform(-12, -0.1)
        found = _core.audited_mu(alarm, miss)
        exact = normal_quantile(alarm) + normal_quantile(miss)
        assert found <= exact or found == 0
        assert exact - found <= 1e-12 or exact < 0
    assert _core.audited_mu(1.0, 0.1) == _core.audited_mu(0.1, 1.0) == 0


def weights(r, epsilon):
    q = 1 / (1 + (-arb(epsilon)).exp())
    term = (1 - q) ** r
    masses = [term]
    for j in range(r):
        term = term * (r - j) / (j + 1) * q / (1 - q)
        masses.append(term)
    return masses


def test_p_values_of_one_run_are_rounded_up():
    rng = random.Random(4)
    for _ in range(150):
        m = rng.randint(1, 300)
        r = rng.randint(1, m)
        v, epsilon = rng.randint(1, r), rng.uniform(0, 5)
        delta = rng.choice([1e-9, 1e-5, 1e-3])
        found = _core.one_run_p_value(m, r, v, epsilon, delta)
        masses = weights(r, epsilon)
        total, best = arb(0), arb(0)
        for i in range(1, v + 1):
            total += masses[v - i]
            best = max(best, total / i)
        exact = sum(masses[v:], arb(0)) + 2 * m * arb(delta) * best
        assert found == 1 or exact <= found
        assert found <= exact * (1 + arb(1e-11)) + 1e-14


def test_the_failing_part_alone_is_rounded_up():
    """Where next to nothing comes of the tail: all but one right is what is unlikely."""
    rng = random.Random(5)
    for _ in range(150):
        r = rng.randint(20, 400)
        epsilon = rng.uniform(0, 0.2)
        found = _core.one_run_p_value(r, r, r, epsilon, 2.0**-20)
        masses = weights(r, epsilon)
        total, best = arb(0), arb(0)
        for i in range(1, r + 1):
            total += masses[r - i]
            best = max(best, total / i)
        exact = masses[r] + 2 * r * arb(2.0**-20) * best
        assert exact <= found <= exact * (1 + arb(1e-11))


def test_epsilon_of_one_run_is_refuted_and_hardly_more():
    for m, r, v, delta in ((1000, 100, 95, 0.0), (1000, 1000, 600, 1e-5), (50, 20, 20, 1e-4)):
        epsilon = _core.one_run_epsilon(m, r, v, delta, 0.05)
        assert _core.one_run_p_value(m, r, v, epsilon, delta) < 0.05
        assert _core.one_run_p_value(m, r, v, epsilon * (1 + 1e-12), delta) >= 0.05


def line(epsilon, delta, steep, y):
    e = arb(epsilon).exp()
    return 1 - arb(delta) - (1 - y) * e if steep else (y - arb(delta)) / e


def recursion(m, w, v, epsilons, deltas, alpha):
    """r + c - w / m of the exact recursion, in balls, by the same lines of the inverse power."""
    r, c = arb(alpha) * v / m, arb(alpha) * (w - v) / m
    for i in range(v - 1, -1, -1):
        largest = c
        for epsilon, delta in zip(epsilons, deltas, strict=True):
            for steep in (False, True):
                largest = max(largest, line(epsilon, delta, steep, r))
        r, c = r + arb(i) / (w - i) * (largest - c), largest
    return r + c - arb(w) / m


def curve(mu):
    epsilons = np.linspace(0, 6, 13)
    return epsilons, [
        0.5 * math.erfc(-(mu / 2 - e / mu) / 2**0.5)
        - math.exp(e) * 0.5 * math.erfc((mu / 2 + e / mu) / 2**0.5)
        for e in epsilons.tolist()
    ]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_refuted_is_refuted_exactly_at_the_smallest_level(seed):
    rng = random.Random(seed)
    for _ in range(6):
        m = rng.randint(3, 60)
        w = rng.randint(2, m)
        v = rng.randint(max(1, w // 2), w)
        epsilons, deltas = curve(rng.choice([0.3, 1.0, 2.0]))
        deltas = [max(0.0, d) for d in deltas]

        def refuted(alpha, m=m, w=w, v=v, e=epsilons, d=deltas):
            return _core.one_run_refutes(m, w, v, e, d, alpha)

        low, high = 1e-12, 1 - 1e-9
        if not refuted(high):
            continue
        while math.nextafter(low, 1) < high:
            middle = low + (high - low) / 2
            low, high = (low, middle) if refuted(middle) else (middle, high)
        assert recursion(m, w, v, epsilons.tolist(), deltas, high) > 0
        assert recursion(m, w, v, epsilons.tolist(), deltas, low * (1 - 1e-11)) <= 0


def test_a_claim_of_both_directions_is_not_refuted_by_one():
    """One canary, with it (1/2, 1/2), without it (0, 1): right with probability 3/4.

    Of the direction that removes the record alone, or of the maximum without its hull, 3/4 is
    refuted at 0.7.
    """
    exact = fmpq(3, 4)
    with_it, without = (fmpq(1, 2), fmpq(1, 2)), (fmpq(0), fmpq(1))
    epsilons = np.linspace(0, 5, 41)

    def delta(epsilon):
        ratio = math.exp(epsilon)
        ways = ((with_it, without), (without, with_it))
        return max(
            sum(max(float(p) - ratio * float(q), 0.0) for p, q in zip(*way, strict=True))
            for way in ways
        )

    deltas = [delta(e) for e in epsilons.tolist()]
    assert not _core.one_run_refutes(1, 1, 1, epsilons, deltas, 0.7)
    assert not _core.one_run_refutes(
        1, 1, 1, epsilons, deltas, float(exact.p) / float(exact.q) - 0.01
    )
    assert _core.one_run_refutes(1, 1, 1, epsilons, deltas, 0.76)
