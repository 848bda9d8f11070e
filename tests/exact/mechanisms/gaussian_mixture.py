# SPDX-License-Identifier: Apache-2.0
"""Gaussian noise on a sum with a random sensitivity."""

from __future__ import annotations

import math
import random

from flint import arb

from exact.laws import Mixture
from exact.mixture import MixturePair
from exact.model import Step
from exact.release import Parameters, Release, power, way_of, with_rate


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


def release(
    direction: str,
    standard_deviation: float,
    sensitivities: tuple[float, ...],
    probabilities: tuple[float, ...],
    rate: float = 1.0,
) -> Release:
    """See `exact.mechanisms`."""
    way, total = way_of(direction), sum(map(arb, probabilities), arb(0))
    parts = list(zip(sensitivities, probabilities, strict=True))
    terms = [(arb(s) / arb(standard_deviation), arb(rate) * arb(p) / total) for s, p in parts]
    rest = [(arb(0), 1 - arb(rate))] if rate < 1 else []
    still = sum((p for s, p in [*terms, *rest] if s.is_zero()), arb(0))
    moving = [(s, p) for s, p in terms if not s.is_zero()]
    terms = [*moving, (arb(0), still)] if still > 0 else moving
    one = MixturePair(Step(1.0), way, standard_deviation, tuple(parts), rate)
    bounded = Mixture(terms, way)
    return Release(bounded, lambda e: arb(0) if e >= bounded.supremum else one.delta(e))
