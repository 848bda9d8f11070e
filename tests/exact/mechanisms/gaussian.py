# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism."""

from __future__ import annotations

import random

from exact.model import Step
from exact.moments import law
from exact.pair import Pair
from exact.release import Parameters, Release, power, way_of, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    extreme = rng.random() < 0.1
    return with_rate(
        rng, {"noise_multiplier": power(rng, -2, 5) if extreme else power(rng, -0.4, 2)}
    )


def release(direction: str, noise_multiplier: float, rate: float = 1.0) -> Release:
    """See `exact.mechanisms`."""
    way = "replace" if direction.startswith("replace") else way_of(direction)
    step = Step(noise_multiplier, rate)
    return Release(law(step, way), Pair(step, way).delta if rate < 1 else None)
