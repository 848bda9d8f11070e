# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism on Poisson subsamples cut to a size."""

import math
import random

from exact.release import Parameters, power


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    size, q = round(power(rng, 0.7, 3.2)), power(rng, -2.5, -0.1)
    batch = round(size * q + rng.uniform(-1, 6) * math.sqrt(size * q * (1 - q)))
    batch = min(max(batch, 1), size - 1)
    return {
        "noise_multiplier": power(rng, -0.2, 1.5),
        "sampling_probability": q,
        "truncated_batch_size": batch,
        "dataset_size": size,
    }
