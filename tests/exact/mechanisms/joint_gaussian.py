# SPDX-License-Identifier: Apache-2.0
"""Gaussian mechanisms on the same records, released together, whose one noise is a double."""

import random

from exact.release import Parameters, power, with_rate

# Noises over that of all together, and how many of each: the sum of count / noise^2 is 1.
PARTS = (((1, 1),), ((2, 4),), ((2, 3), (4, 4)), ((2, 2), (4, 8)), ((2, 1), (4, 11), (8, 4)))


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    noise, parts = power(rng, -0.4, 2), rng.choice(PARTS)
    parameters = {
        "noise_multipliers": tuple(times * noise for times, _ in parts),
        "counts": tuple(float(count) for _, count in parts),
    }
    return with_rate(rng, parameters)
