# SPDX-License-Identifier: Apache-2.0
"""Permute-and-flip."""

from __future__ import annotations

import random

from flint import arb

from exact.laplace import LaplacePair
from exact.laws import Laplace, SampledLaplace
from exact.release import Parameters, Release, power, way_of


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {"epsilon": power(rng, -2.5, 0.6)}


def release(direction: str, epsilon: float, rate: float = 1.0) -> Release:
    """See `exact.mechanisms`."""
    if rate == 1:
        return Release(Laplace(arb(epsilon)))
    way = way_of(direction)
    one = LaplacePair(1 / arb(epsilon), rate, way)
    return Release(SampledLaplace(arb(epsilon), rate, way), one.delta)
