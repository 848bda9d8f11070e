# SPDX-License-Identifier: Apache-2.0
"""How often a Poisson subsample is cut, against binomial sums in ball arithmetic."""

import pytest
from flint import arb, ctx

from hockeystick import _core

truncation = _core.sampling.truncation
CASES = [(10, 0.3, 3), (200, 0.05, 20), (200, 0.05, 5), (50, 0.9, 49)]
LARGE = [
    (10_000, 0.01, 150),
    (10_000, 0.01, 60),
    (3000, 0.999, 2999),
    (3000, 1e-9, 1),
    (2, 1e-299, 1),
]
LARGE += [(2, 1 - 2**-53, 1), (5000, 0.5, 2500), (1000, 1e-3, 40), (3000, 0.5, 1)]


def from_sums(size, rate, batch):
    """Of the draw of each batch, and of the record's place in one that is cut."""
    q, others = arb(rate), [(1 - arb(rate)) ** (size - 1)]
    for k in range(1, size):
        others.append(others[-1] * (size - k) / k * q / (1 - q))
    cut = sum(others[batch:], arb(0))
    # A sampled record survives among k others with probability batch / (k + 1).
    joins = sum((p * q * batch / (k + 1) for k, p in enumerate(others) if k >= batch), arb(0))
    return 1 - cut, cut, joins / cut


@pytest.mark.parametrize("case", CASES + LARGE)
def test_the_draw_is_the_nearest_double(case):
    with ctx.workprec(4000):
        weights = [float(arb(w.mid())) for w in from_sums(*case)]
    whole, cut, joins = truncation(*case)
    for got, true in ((whole, weights[0]), (cut, weights[1])):
        assert got == true or max(got, true) < 1e-300
    assert joins == weights[2] or cut < 1e-300


def test_all_records_sampled_leave_no_room():
    assert truncation(50, 1.0, 20) == (0.0, 1.0, 0.4)


@pytest.mark.parametrize("batch", [1, 4 * 10**8, 5 * 10**8, 6 * 10**8, 10**9 - 1])
def test_probabilities_of_large_data_add_up(batch):
    whole, cut, joins = truncation(10**9, 0.5, batch)
    assert whole + cut == pytest.approx(1, abs=1e-15)
    assert 0 <= joins <= 0.5
    again = truncation(10**9, 0.5, 10**9 - batch)
    assert (whole, cut) == pytest.approx(again[1::-1], abs=1e-300, rel=1e-14)
