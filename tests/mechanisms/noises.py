# SPDX-License-Identifier: Apache-2.0
"""Noise given by functions that note where they are asked."""

from dataclasses import dataclass

import numpy as np
from flint import arb, ctx

from exact.balls import normal_tail
from hockeystick import _core

LEAST = 2.0**-53
BITS = 600


@dataclass(frozen=True)
class Normal:
    """Tails and log densities as balls, x > 0."""

    def tail(self, x):
        """The mass above x."""
        return normal_tail(x)

    def log_density(self, x):
        """At x."""
        return -x * x / 2 - (2 * arb.pi()).log() / 2


def rounded(function, x):
    """At the distance from the centre, to the nearest double."""
    with ctx.workprec(200):
        return np.array([float(function(arb(abs(v))).mid()) for v in x.tolist()])


class Noted:
    """Functions for the core, off by parts of `accuracy`, that remember where tails were asked."""

    def __init__(self, noise, accuracy, log_off=lambda x: 0 * x, tail_off=lambda x: 0 * x):
        self.noise, self.accuracy, self.asked = noise, accuracy, []
        self.log_off, self.tail_off = log_off, tail_off

    def log_density(self, x):
        """As the core asks for it."""
        g = rounded(self.noise.log_density, x)
        return g + self.log_off(np.abs(x)) * self.accuracy * (1 + np.abs(g)) * (1 - 1e-7)

    def distribution(self, x):
        """As the core asks for it."""
        self.asked.append(-x)
        return rounded(self.noise.tail, x) * (
            1 + self.tail_off(np.abs(x)) * self.accuracy * (1 - 1e-7)
        )

    def integrate(self, shift, edges):
        """The cells, the thresholds, all of which must be above 0, and where reach ends."""
        pair = _core.additive_noise_pair(self.log_density, self.distribution, self.accuracy, shift)
        self.asked.clear()
        got = pair.integrate(edges)
        return got, [arb(x) for x in self.asked[0][: len(edges)].tolist()], arb(self.asked[0][-1])


def normal_edges(shift, x, width):
    """The losses of Gaussian noise at x and at x + width."""
    return [shift * (y + shift / 2) for y in (x, x + width)]
