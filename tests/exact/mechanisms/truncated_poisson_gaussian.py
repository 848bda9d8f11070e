# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism on Poisson subsamples cut to a size."""

from __future__ import annotations

import math
import random
from functools import lru_cache
from typing import Any

from exact.choice import truncated
from exact.laws import Choice
from exact.moments import law
from exact.release import Parameters, Release, power


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


def release(
    direction: str,
    noise_multiplier: float,
    sampling_probability: float,
    truncated_batch_size: int,
    dataset_size: int,
) -> Release:
    """See `exact.mechanisms`."""
    parameters = dataset_size, sampling_probability, truncated_batch_size, noise_multiplier
    pair = _pair(*parameters, direction.removesuffix("_back"))
    choices = [(w, law(part.step, part.direction)) for w, part in pair.choices]
    return Release(Choice(choices), pair.delta)


@lru_cache(maxsize=8)
def _pair(*parameters: Any) -> Any:
    return truncated(*parameters)[0]
