# SPDX-License-Identifier: Apache-2.0
"""What epochs of shuffled batches are held to, whether they use every record or leave some out."""

import math

import pytest

import hockeystick as hs
from hockeystick.mechanisms._enclosed import Accuracy

SPECIAL = {"adjacency": "replace-special"}


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
