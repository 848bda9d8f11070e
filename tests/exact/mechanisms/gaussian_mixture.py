# SPDX-License-Identifier: Apache-2.0
"""Gaussian noise on a sum with a random sensitivity."""

import math
import random

from exact.release import Parameters, power, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    number = rng.randint(1, 4)
    weights = [rng.random() + 0.01 for _ in range(number)]
    sensitivities = [rng.uniform(0.2, 3) for _ in range(number)]
    if number > 1 and rng.random() < 0.5:
        sensitivities[0] = 0.0
    parameters = {
        "standard_deviation": power(rng, -0.2, 1.5),
        "sensitivities": tuple(sensitivities),
        "probabilities": tuple(w / math.fsum(weights) for w in weights),
    }
    return with_rate(rng, parameters, 0.4)
