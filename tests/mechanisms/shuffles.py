# SPDX-License-Identifier: Apache-2.0
"""What epochs of shuffled batches are held to, whether they use every record or leave some out."""

import math

import pytest

import hockeystick as hs
from hockeystick.mechanisms._enclosed import Accuracy

SPECIAL = {"adjacency": "replace-special"}


def check_below_the_fixed_order(noise, adjacency, **sizes):
    """No shuffled epoch costs more than one step without sampling."""
    step = hs.Gaussian(noise)
    epoch = step.shuffled(**sizes)
    for runs, delta in ((1, 1e-3), (1, 1e-9), (12, 1e-6)):
        found = (runs * epoch).epsilon_bounds(delta, adjacency=adjacency)
        every = (runs * step).epsilon_bounds(delta, adjacency=adjacency)
        assert 0 <= found.lower <= found.upper <= every.upper * (1 + 1e-12)
        loss = 0.3 * every.upper
        deltas = [(runs * one).delta_bounds(loss, adjacency=adjacency) for one in (epoch, step)]
        assert deltas[0].lower <= deltas[0].upper <= deltas[1].upper * (1 + 1e-12)


def check_above_a_random_allocation(noise, batches, above):
    """An adversary attains that where all other records add nothing."""
    share = hs.Gaussian(noise).random_allocation(steps=batches)
    for direction, back in ((hs.Direction.REMOVE, 0.0), (hs.Direction.ADD, 1.0)):
        delta = above(noise, batches, back=back)
        attained = share.pairs_below(direction, Accuracy(24, 1e-9))[0]
        for epsilon in (-1.0, -0.1, 0.0, 0.1, 0.5, 1.0):
            assert attained.delta_above([epsilon])[0] <= delta(epsilon) + 1e-9


def check_reflection(forth, back, spare):
    """The curve of a direction at negative losses is that of the other at positive ones."""
    for epsilon in (0.01, 0.1, 0.5):
        mirrored = 1 - math.exp(-epsilon) + math.exp(-epsilon) * back(epsilon)
        assert forth(-epsilon) == pytest.approx(mirrored, abs=spare * back(0.0))


def check_that_the_same_order_is_one_epoch_at_less_noise(**sizes):
    """Four epochs in one order are one at half the noise."""
    kept = hs.Gaussian(8.0).shuffled(batches=100, epochs=4, **sizes)
    once = hs.Gaussian(4.0).shuffled(batches=100, **sizes)
    for adjacency in ("replace-special", "replace-one"):
        ends = [run.epsilon_bounds(1e-6, adjacency=adjacency) for run in (kept, once)]
        assert ends[0].upper == pytest.approx(ends[1].upper, rel=1e-6)
        assert ends[0].lower == pytest.approx(ends[1].lower, rel=1e-6)
