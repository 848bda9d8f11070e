# SPDX-License-Identifier: Apache-2.0
"""All shuffles of few records, against adversaries who choose each batch from earlier outputs."""

import itertools
import math

import numpy as np
import pytest

from hockeystick import _core

SPACING = 0.25
POINTS = np.arange(-9, 9 + SPACING / 2, SPACING)


def bound(noise, batches, epsilon, *, back):
    name = "shuffled_every_above"
    pair = _core.dominating_pair(name, [noise, batches, 1.0, 0.0, 24.0, 1e-12, float(back)])
    return float(pair.delta_above([epsilon])[0])


def densities(noise, most):
    """The normal densities of outputs, by the whole number that is added, -most to most."""
    at = POINTS / 1.0
    shifts = np.arange(-most, most + 1)[:, None]
    return np.exp(-(((at * max(noise, 1.0)) - shifts) ** 2) / (2 * noise**2)) / (
        noise * math.sqrt(2 * math.pi)
    )


def positive(first, second, alpha, *, back):
    return np.maximum(second - alpha * first if back else first - alpha * second, 0)


@pytest.mark.parametrize("noise", [0.8, 2.0])
@pytest.mark.parametrize("back", [False, True])
def test_four_records_in_two_batches(noise, back):
    """Six arrangements; each record's number in the second batch depends on the first output."""
    scale, pdf = SPACING * max(noise, 1.0), densities(noise, 2)
    halves = list(itertools.combinations(range(4), 2))  # who is in the first batch; 0: the record
    others = [-1, 0, 1]
    alphas = [math.exp(e) for e in (0.1, 0.5, 1.5)]
    best = np.zeros(len(alphas))
    for mine, *rest in itertools.product([1], others, others, others):
        if list(rest) != sorted(rest):
            continue
        # The first output's density for each arrangement, with the record and without it.
        first = [
            [pdf[2 + sum(x for i, x in enumerate(numbers) if i in half)] for half in halves]
            for numbers in ((mine, *rest), (0, *rest))
        ]
        gain = np.zeros((len(alphas), POINTS.size))
        for chosen in itertools.product([-1, 1], others, others, others):
            with_it, without = (
                sum(
                    np.multiply.outer(
                        one[k], pdf[2 + sum(x for i, x in enumerate(numbers) if i not in half)]
                    )
                    for k, half in enumerate(halves)
                )
                / len(halves)
                for one, numbers in zip(first, (chosen, (0, *chosen[1:])), strict=True)
            )
            for k, alpha in enumerate(alphas):
                inner = positive(with_it, without, alpha, back=back).sum(axis=1) * scale
                gain[k] = np.maximum(gain[k], inner)
        best = np.maximum(best, gain.sum(axis=1) * scale)
    for alpha, attained in zip(alphas, best, strict=True):
        upper = bound(noise, 2.0, math.log(alpha), back=back)
        assert attained <= upper * (1 + 1e-6) + 1e-9
        assert attained >= 0.3 * upper - 1e-3


@pytest.mark.parametrize(("noise", "back"), [(1.0, False), (2.5, True)])
def test_six_records_in_three_batches(noise, back):
    """The others all give the same number to a batch: 90 arrangements are three places."""
    scale, pdf = SPACING * max(noise, 1.0), densities(noise, 3)
    choices = list(itertools.product([-1, 1], [-1, 0, 1]))  # of the record, and of each other one
    alphas = [math.exp(e) for e in (0.1, 0.5)]

    def parts(mine, other):
        """Densities of a batch: with the record in it and there; in it and gone; elsewhere."""
        return pdf[3 + other + mine], pdf[3 + other], pdf[3 + 2 * other]

    best = np.zeros(len(alphas))
    for start in ((1, -1), (1, 0), (1, 1)):
        a, a_gone, a_none = parts(*start)
        after_first = np.zeros((len(alphas), POINTS.size))
        for second in choices:
            b, b_gone, b_none = parts(*second)
            # For each pair of outputs: the record was in the first batch, the second, or comes.
            places = [
                (np.multiply.outer(a, b_none), np.multiply.outer(a_gone, b_none)),
                (np.multiply.outer(a_none, b), np.multiply.outer(a_none, b_gone)),
            ]
            coming = np.multiply.outer(a_none, b_none)
            here, gone = (sum(place[k] for place in places) for k in (0, 1))
            after_second = np.zeros((len(alphas), POINTS.size, POINTS.size))
            for third in choices:
                c, c_gone, c_none = parts(*third)
                with_it = (np.multiply.outer(here, c_none) + np.multiply.outer(coming, c)) / 3
                without = (np.multiply.outer(gone, c_none) + np.multiply.outer(coming, c_gone)) / 3
                for k, alpha in enumerate(alphas):
                    inner = positive(with_it, without, alpha, back=back).sum(axis=2) * scale
                    after_second[k] = np.maximum(after_second[k], inner)
            after_first = np.maximum(after_first, after_second.sum(axis=2) * scale)
        best = np.maximum(best, after_first.sum(axis=1) * scale)
    for alpha, attained in zip(alphas, best, strict=True):
        upper = bound(noise, 3.0, math.log(alpha), back=back)
        assert attained <= upper * (1 + 1e-6) + 1e-9
        assert attained >= 0.3 * upper - 1e-3
