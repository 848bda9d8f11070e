# SPDX-License-Identifier: Apache-2.0
"""Tests of a shuffled epoch's batches: below mixtures, which are integrals, and close to them."""

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._enclosed import Accuracy
from hockeystick.verify.balls import between, normal_tail
from hockeystick.verify.batches import Means, allocated, attained, chosen, largest, total

CELLS = 1500

pytestmark = pytest.mark.bits(160)


def two_batches(means, alpha, *, back):
    """E (W(x) + W(y))_+ / 2 of two batches, W the difference of their ratios, in balls.

    Over cells of x, in each of which W lies between its ends and its turning point; of y it is
    positive beyond the roots of a quadratic form in e^(m y).
    """
    a, b = map(arb, means)

    def ratio(m, x):
        return (m * x - m * m / 2).exp()

    def w(x):
        p, q = ratio(a, x), ratio(b, x)
        return q - alpha * p if back else p - alpha * q

    def inner(c):
        """E (W(y) + c)_+, where a = 2 b: W is one of e^(b y) squared and e^(b y)."""
        first, second = (-(2 * b * b)).exp(), alpha * (-(b * b) / 2).exp()
        if back:
            first, second = -alpha * first, -(-(b * b) / 2).exp()
        root = second * second - 4 * first * c
        if not root > 0:  # of one sign
            return (w_mean + c).max(arb(0))
        ends = sorted(((second + s * root.sqrt()) / (2 * first) for s in (1, -1)), key=float)
        places = [end.log() / b if end > 0 else None for end in ends]
        low, high = (integral(place, c) for place in places)
        return low - high if back else (w_mean + c) - low + high

    def integral(place, c):
        """E W(y) + c over y beyond a place."""
        if place is None:
            return w_mean + c
        p, q = normal_tail(place - a), normal_tail(place - b)
        return (q - alpha * p if back else p - alpha * q) + c * normal_tail(place)

    w_mean = 1 - alpha
    turn = float((((alpha / 2).log() if not back else -(2 * alpha).log()) / b + 3 * b / 2).mid())
    edges = sorted([-9 + 20 * k / CELLS for k in range(CELLS + 1)] + [turn])
    low = high = arb(0)
    for x, y in pairwise(edges):
        mass = normal_tail(arb(x)) - normal_tail(arb(y))
        values = sorted((w(arb(x)), w(arb(y))), key=float)
        low, high = low + mass * inner(values[0]), high + mass * inner(values[1])
    tail = 2 * (normal_tail(a * 2 + 4) + normal_tail(arb(6)))
    return between(low / 2, high / 2 + tail)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("noise", "epsilon"), [(2.0, 0.0), (2.0, 0.6), (5.0, 0.1)])
def test_a_sum_of_two_batches_is_below_a_quadrature_in_balls(noise, epsilon, back):
    means, alpha = Means(2 / noise, 1 / noise), arb(epsilon).exp()
    truth = two_batches(means, alpha, back=back)
    found = [one(2, means, Fraction(1), back=back)(arb(epsilon)) for one in (total, largest)]
    assert all(value.lower() <= truth.upper() for value in found)
    assert max(found, key=float) >= 0.95 * truth.lower()


@pytest.mark.parametrize("way", [Direction.SPECIAL_REMOVE, Direction.SPECIAL_ADD])
def test_what_the_fast_accountant_attains_is_attained(way):
    for batches, noise, out in ((2, 3.0, 0), (30, 1.2, 1), (900, 4.0, 1)):
        epoch = hs.Gaussian(noise).shuffled(batches=batches, left_out=out)
        tests = attained(epoch, way)
        for epsilon in (0.0, 0.2 / noise, 1 / noise):
            best = max(float(test(arb(epsilon)).lower()) for test in tests)
            for pair in epoch.pairs_below(way, Accuracy())[:2]:
                assert pair.delta_above(epsilon).item() <= best * (1 + 1e-3) + 1e-9


def test_a_record_that_may_be_left_out_tells_less():
    means = Means(1.0, 0.5)
    whole, part = (total(9, means, Fraction(k, 4), back=False) for k in (4, 3))
    for epsilon in map(arb, (0.0, 0.3)):
        assert part(epsilon) < whole(epsilon)
        assert part(epsilon) >= 0.4 * whole(epsilon)


@pytest.mark.parametrize("way", [Direction.REMOVE, Direction.ADD])
def test_a_sum_over_steps_is_close_to_a_random_allocation(way):
    epoch = hs.Gaussian(2.0).random_allocation(steps=40)
    (test,) = allocated(epoch, way)
    adjacency = "remove-one" if way is Direction.REMOVE else "add-one"
    for epsilon in (0.0, 0.15, 0.4):
        truth = hs.verify(epoch, epsilon=epsilon, adjacency=adjacency, digits=9, fast=False)
        assert 0.8 * truth.lower <= float(test(arb(epsilon)).lower()) <= truth.upper


def test_many_steps_or_little_noise_have_no_sum():
    assert allocated(hs.Gaussian(0.3).random_allocation(steps=9), Direction.ADD) == []
    assert allocated(hs.Gaussian(2.0).random_allocation(steps=10**6), Direction.ADD) == []
    assert len(attained(hs.Gaussian(0.3).shuffled(batches=9), Direction.REPLACE)) == 2


@pytest.mark.parametrize(("batches", "last", "after"), [(2, 1.0, 1), (5, 0.5, 0)])
@pytest.mark.parametrize("back", [False, True])
def test_who_chooses_the_last_batch_attains_what_the_fast_accountant_does(
    batches, last, after, back
):
    share = Fraction(last) / (batches - 1 + Fraction(last))
    test = chosen(batches, Means(0.5, 0.25 * after), share, back=back)
    fast = _core.dominating_pair(
        "shuffled_chosen_below" + "_back" * back, [4.0, batches, 2, after, last]
    )
    for epsilon in (0.0, 0.2, 0.6, 1.1):
        found = fast.delta_above([epsilon])[0]
        assert found <= float(test(arb(epsilon)).lower()) + 1e-9 <= found * 1.01 + 2e-9
