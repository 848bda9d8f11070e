# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism."""

from __future__ import annotations

import random

from flint import arb

from exact.laplace import LaplacePair
from exact.laws import Laplace, SampledLaplace
from exact.release import Parameters, Release, power, shift_of, way_of, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return with_rate(rng, {"noise_multiplier": power(rng, -0.6, 2.5)}, 0.5)


def release(direction: str, noise_multiplier: float, rate: float = 1.0) -> Release:
    """See `exact.mechanisms`."""
    if rate == 1:
        return Release(Laplace(shift_of(direction) / arb(noise_multiplier)))
    way = way_of(direction)
    one = LaplacePair(noise_multiplier, rate, way)
    return Release(SampledLaplace(1 / arb(noise_multiplier), rate, way), one.delta)
