# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism."""

import math
import random

from flint import arb

from exact.laws import AtomLaw
from exact.release import Parameters, grid, power, shift_of, way_of, with_rate

FARTHEST = 41  # deviations: beyond lies less than e^-840

CORNERS = [
    *grid(sigma=(0.001, 0.05, 0.3, 1.0, 4.0), sensitivity=(1, 5), truncation=(None,)),
    *grid(sigma=(0.05, 0.3, 1.0, 4.0), sensitivity=(1, 5), truncation=(1, 8)),
    *grid(sigma=(0.05, 1.0), sensitivity=(2,), truncation=(None, 4), rate=(1e-9, 0.1, 1 - 1e-9)),
]
BITS = 4_000


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    sigma = power(rng, -0.4, 0.8)
    truncation = None if rng.random() < 0.5 else math.ceil(sigma * rng.uniform(2, 30))
    sensitivity = rng.randint(1, 3)
    parameters = {"sigma": sigma, "sensitivity": sensitivity, "truncation": truncation}
    return with_rate(rng, parameters, 0.4)


def release(
    direction: str, sigma: float, sensitivity: int, truncation: int | None, rate: float = 1.0
) -> AtomLaw:
    """See `exact.mechanisms`."""
    s, far = sensitivity * shift_of(direction), math.ceil(FARTHEST * sigma) + 2 * sensitivity
    most = far if truncation is None else min(far, truncation)
    weights = {x: (-arb(x * x) / (2 * arb(sigma) ** 2)).exp() for x in range(-most, most + 1)}
    total, cut = sum(weights.values(), arb(0)), truncation is None or most < truncation
    outcomes = range(-most + s, most + 1) if cut else range(-most, most + s + 1)
    zero = arb(0)
    pairs = [(weights.get(x - s, zero) / total, weights.get(x, zero) / total) for x in outcomes]
    return AtomLaw(pairs, direction=way_of(direction), rate=rate)
