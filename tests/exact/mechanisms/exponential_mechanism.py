# SPDX-License-Identifier: Apache-2.0
"""The exponential mechanism: no better than the worst of its guarantee."""

import random

from exact.mechanisms.approximate_dp import release
from exact.release import Parameters, power

__all__ = ["draw", "release"]


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {"epsilon": power(rng, -3, 1)}
