# SPDX-License-Identifier: Apache-2.0
"""What epochs of shuffled batches are held to, whether they use every record or leave some out."""

import math

import pytest
from flint import arb

import hockeystick as hs
from exact.balls import normal_tail
from hockeystick import _core
from hockeystick.mechanisms._enclosed import Accuracy

SPECIAL = {"adjacency": "replace-special"}


def above(kind, noise, batches, records=1.0, size=0.0, *, replaces=0.0, back=0.0):
    """delta of an epsilon, from above; `records` are left out, or in the last batch."""
    values = (noise, batches, records, size, replaces, 24.0, 1e-12, back)
    pair = _core.dominating_pair(f"shuffled_{kind}_above", values)
    return lambda epsilon: float(pair.delta_above([epsilon])[0])


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


class Term:
    """The prices of a term of a shuffled epoch, in balls (cpp/proofs/shuffled-terms.md)."""

    def __init__(self, mu, alpha, *, replaces=False, back=False):
        self.mu = arb(mu)
        self._above = (0, 1, -arb(alpha)) if replaces or back else (1, -arb(alpha), 0)
        self._below = (arb(alpha), -1, 0) if back and not replaces else (0, arb(alpha), -1)

    def call(self, x):
        """E (X - x)_+, x >= 0."""
        return self._price(*self._above, x)

    def put(self, x):
        """E (-X - x)_+, x >= 0."""
        return self._price(*self._below, x)

    def _price(self, square, line, constant, x):
        """E (square kappa y^2 + line y + constant - x)_+."""
        mu, kappa = self.mu, (-self.mu * self.mu).exp()
        y = (x - constant) / line
        if square != 0:
            y = ((arb(line) ** 2 + 4 * square * kappa * x).sqrt() - line) / (2 * square * kappa)
        g = y.log() / mu + mu / 2
        parts = ((square, 2 * mu), (line, mu), (constant - x, 0))
        return sum((c * normal_tail(g - shift) for c, shift in parts), arb(0))
