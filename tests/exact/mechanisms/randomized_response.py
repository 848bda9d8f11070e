# SPDX-License-Identifier: Apache-2.0
"""Randomized response."""

import random

from flint import arb

from exact.laws import AtomLaw
from exact.release import Parameters, grid, power, way_of

NOISES = (0.0, 1e-300, 1e-17, 1e-6, 0.3, 0.5, 0.99, 1 - 2**-53)
CORNERS = grid(noise_parameter=NOISES, num_buckets=(2, 3, 10, 10**9))
BITS = 2_500


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {
        "noise_parameter": min(power(rng, -3, 0), 0.99),
        "num_buckets": round(power(rng, 0.4, 3)),
    }


def release(direction: str, noise_parameter: float, num_buckets: int) -> AtomLaw:
    """See `exact.mechanisms`."""
    k = arb(num_buckets)
    other = arb(noise_parameter) / k
    own = 1 - arb(noise_parameter) + other
    if direction.startswith("replace"):
        return AtomLaw([(own, other), (other, own), ((k - 2) * other, (k - 2) * other)])
    pairs = [(own, 1 / k), ((k - 1) * other, (k - 1) / k)]
    return AtomLaw(pairs, direction=way_of(direction))
