# SPDX-License-Identifier: Apache-2.0
"""Permute-and-flip."""

import random

from exact.release import Parameters, power


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {"epsilon": power(rng, -2.5, 0.6)}
