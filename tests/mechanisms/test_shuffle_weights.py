# SPDX-License-Identifier: Apache-2.0
"""Weights of the batches after the first one of a shuffled epoch."""

import math

import numpy as np
import pytest
from flint import arb

from exact.balls import normal_tail
from hockeystick import _core
from mechanisms.shuffles import Term

sampling = _core.sampling


def mistaken(nu, others, size, far, until):
    """The sum of cpp/proofs/shuffled-first.md over the levels .5, .75, ..., in balls."""
    total, reached, t = arb(0), arb(1), arb("0.5")
    while not reached <= until:
        ratio = (2 * nu * t + 5 * arb(nu) ** 2 / 2).exp()
        exponent = 2 * ratio * size * far**2 / ((1 + far / 3) * ratio - 1) ** 2
        total += reached * (2 * others * (-exponent).exp()).min(arb(1))
        reached = (2 * others * arb(size) * normal_tail(t)).min(arb(1))
        t += 0.25
    return total + reached


CASES = [(0.125, 9, 1000, 1e-3), (0.05, 500, 40, 1e-9), (0.25, 999, 1000, 1e-8)]


@pytest.mark.parametrize(("nu", "others", "size", "most"), CASES)
def test_the_probability_is_the_sum_over_levels(nu, others, size, most):
    """For the distance that the smaller weight shows; no wider than needed."""
    highs, lows, high, low, found = sampling.batch_weights(nu, others, size, most)
    assert 0 < low < 1 < high
    assert highs + lows == others
    assert abs(highs * high + lows * low - others) <= 1e-12 * others
    far = 1 - arb(low)
    assert far <= arb(high) - 1 + 1e-12
    exact = mistaken(nu, others, size, far, 0.01 * most)
    assert exact <= arb(found) <= exact * (1 + 1e-7) + 1e-300
    assert found <= most
    assert mistaken(nu, others, size, far / 1.03, 0.01 * most) > most


def test_few_records_a_batch_say_nothing():
    assert sampling.batch_weights(1.0, 99, 10, 1e-9)[0] == 0
    highs, lows, high, low, _ = sampling.batch_weights(0.25, 99, 60, 1e-6)
    assert low == 0
    assert highs * high == pytest.approx(99)
    assert highs + lows == 99


@pytest.mark.parametrize("shape", ["halves", "one", "normal"])
def test_weights_are_further_apart_as_rarely_as_it_says(shape):
    """Records in random batches, whose first contributions have one of three laws."""
    nu, others, size = 0.5, 10, 40
    rng = np.random.default_rng(3)
    z = {
        "halves": np.repeat([nu, -nu], others * size // 2),
        "one": np.r_[nu, np.full(others * size - 1, -nu)],
        "normal": np.clip(rng.normal(0, nu / 2, others * size), -nu, nu),
    }[shape]
    _, _, high, low, most = sampling.batch_weights(nu, others, size, 0.3)
    far, runs = 0, 2000
    for _ in range(runs):
        u = np.exp(z * (rng.normal() + nu) - z * z / 2)
        weights = rng.permutation(u).reshape(others, size).mean(axis=1) / u.mean()
        far += weights.max() > high or weights.min() < low
    assert far <= runs * most


@pytest.mark.parametrize("back", [False, True])
def test_the_first_batch_is_a_term_like_the_others(back):
    """E (c + w y)_+ of its output, w a mean of likelihoods, is at most a price of a term."""
    nu, alpha = 0.5, math.exp(0.3)
    term = Term(nu, alpha, back=back)
    g, weight = np.polynomial.hermite_e.hermegauss(100)
    weight /= weight.sum()

    def ratio(mean):
        return np.exp(nu * mean * g - (nu * mean) ** 2 / 2)

    for x in (1, -1, 0.5):
        own = (ratio(0), ratio(x)) if back else (ratio(x), ratio(0))
        for z in ((1,), (-1,), (1, -1), (0, 0.5), (-1, -1, 1)):
            w = np.mean([ratio(one) for one in z], axis=0)
            for y in (-2.0, -0.5, 0.1, 1.0):
                attained = float((weight * np.maximum(own[0] - alpha * own[1] + w * y, 0)).sum())
                price = term.call(arb(-y)) if y < 0 else term.put(arb(y)) + 1 - arb(alpha) + y
                assert attained <= float(price) + 2e-3


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("reach", [0.125, 0.25])
def test_very_many_records_a_batch_are_as_if_one_were_left_out(reach, back, replaces):
    """The weights of two and of five batches are next to 1 then."""
    alphas = [math.exp(k * reach / 8) for k in range(17)]  # mistakes add a part of the last value
    how = {"back": back, "replaces": replaces, "alpha": alphas}
    for batches in (2, 5):
        out = sampling.shuffle_bound(reach, batches, 0.0, 1.0, **how)
        every = sampling.shuffle_bound(reach, batches, uses_all=True, size=1e12, **how)
        for least, upper in zip(out, every, strict=True):
            assert least * (1 - 1e-3) <= upper <= 1.03 * least
