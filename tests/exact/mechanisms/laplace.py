# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism."""

import random

from exact.release import Parameters, power, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return with_rate(rng, {"noise_multiplier": power(rng, -0.6, 2.5)}, 0.5)
