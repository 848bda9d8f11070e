# SPDX-License-Identifier: Apache-2.0
"""Small shuffles by brute force: all arrangements, and adversaries who look at earlier batches."""

import itertools
import math
import random

import numpy as np
import pytest

import hockeystick as hs

STEP = {2: 0.15, 3: 0.35}  # of a sum over outputs


def arrangements(batches):
    """All ways to put the records, of whom the first is asked about, in pairs into batches."""
    records = range(2 * batches)
    return {
        tuple(tuple(sorted(order[2 * k : 2 * k + 2])) for k in range(batches))
        for order in itertools.permutations(records)
    }


def likelihood(axes, batches, chosen):
    """Of all outputs: `chosen` has the records' terms by batch, and by what came before it."""
    total = 0.0
    ways = arrangements(batches)
    for way in ways:
        exponent, before = 0.0, 0.0
        for k, batch in enumerate(way):
            small, large = (sum(chosen[k][late][r] for r in batch) for late in (0, 1))
            mean = np.where(before > 0, large, small)
            exponent = exponent + (axes[k] - mean) ** 2
            before = before + axes[k]
        total = total + np.exp(-exponent / 2)
    return total / len(ways)


def adversary(rng, batches, *, plain):
    """Terms of each record with the record asked about; without it, that adds nothing."""
    number = 2 * batches
    with_it = [
        [
            [1, *([-1] * (number - 1))]
            if plain
            else [rng.choice((-1, 1)), *(rng.choice((-1, 0, 1)) for _ in range(number - 1))]
            for _ in range(2)
        ]
        for _ in range(batches)
    ]
    without = [[[0, *late[1:]] for late in both] for both in with_it]
    return with_it, without


@pytest.mark.parametrize(("batches", "number"), [(2, 10), (3, 3)])
def test_adaptive_adversaries_stay_below_what_is_proved(batches, number):
    """4 records in 2 batches, and 6 in 3: the plain adversary attains nearly what is attained.

    Who chooses the last batch after the largest output before attains a little more.
    """
    rng, step = random.Random(batches), STEP[batches]
    axes = np.meshgrid(*[np.arange(-6.5, 6.5, step)] * batches, indexing="ij", sparse=True)
    cell = step**batches / (2 * math.pi) ** (batches / 2)
    epoch = hs.Gaussian(1.0).shuffled(batches=batches)
    results = {
        epsilon: hs.verify(epoch, epsilon=epsilon, adjacency="replace-special", digits=8)
        for epsilon in (0.2, 1.0)
    }
    for k in range(number):
        p, q = (
            likelihood(axes, batches, chosen) for chosen in adversary(rng, batches, plain=k == 0)
        )
        for epsilon, result in results.items():
            worst = max(
                float(np.maximum(a - math.exp(epsilon) * b, 0).sum() * cell)
                for a, b in ((p, q), (q, p))
            )
            assert worst <= result.upper * (1 + 1e-3)
            assert worst <= result.fast.upper * (1 + 1e-3)
            if k == 0:
                assert result.lower <= worst * (1 + 5e-3)
                assert result.fast.lower <= worst * (1 + 5e-3)
