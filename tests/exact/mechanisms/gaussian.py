# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism."""

import random

from exact.release import Parameters, power, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    extreme = rng.random() < 0.1
    return with_rate(
        rng, {"noise_multiplier": power(rng, -2, 5) if extreme else power(rng, -0.4, 2)}
    )
