# SPDX-License-Identifier: Apache-2.0
"""Sampled Gaussians with little noise, by the number of steps that a record joins, in balls."""

import math

from flint import arb

from exact.one_step import gaussian_delta
from hockeystick import _core
from questions import core_answer


def sampled(noise, rate, form="remove"):
    return _core.dominating_pair(f"poisson_gaussian_{form}", (noise, rate))


def asked(terms, query, at, method="participations", tolerance=1e-3):
    return core_answer([terms], query, at, method=method, tolerance=tolerance)


def curve(square, loss):
    """The curve of N(s, 1) against N(0, 1) at any loss, s^2 = square; s = 0 too."""
    return gaussian_delta(square.sqrt(), loss) if square > 0 else max(1 - loss.exp(), 0, key=float)


def numbers_joined(noise, rate, count, form):
    """Of each number of steps its probability, the square of mu, and what the loss lacks of x."""
    q = arb(rate)
    if form == "add":
        yield arb(1), arb(0), count * (1 - q).log()
        return
    for k in range(count + 1):
        weight = math.comb(count, k) * q**k * (1 - q) ** (count - k)
        if form == "remove":
            shift = -k * q.log() - (count - k) * (1 - q).log()
        else:
            shift = k * ((1 - q) / q).log()
        yield weight, k * arb(1 / noise) ** 2, shift
