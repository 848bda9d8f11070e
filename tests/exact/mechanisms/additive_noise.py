# SPDX-License-Identifier: Apache-2.0
"""Noise given by functions: three that are known in closed form."""

from __future__ import annotations

import random
from dataclasses import dataclass

from flint import arb

from exact.laws import Laplace, Logistic
from exact.moments import law
from exact.release import Parameters, Release, power, shift_of


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {"sensitivity": power(rng, -2, 0.6)}


def _normal(direction: str, sensitivity: float) -> Release:
    """Unit normal noise: the Gaussian of multiplier 1 / sensitivity, which is no double."""
    scaled = _BallStep(1 / arb(sensitivity))
    return Release(law(scaled, "replace" if direction.startswith("replace") else "remove"))


@dataclass(frozen=True, slots=True)
class _BallStep:
    sigma: arb
    q: float = 1.0


def _laplace(direction: str, sensitivity: float) -> Release:
    return Release(Laplace(shift_of(direction) * arb(sensitivity)))


def _logistic(direction: str, sensitivity: float) -> Release:
    logistic = Logistic(shift_of(direction) * sensitivity)
    return Release(logistic, logistic.delta)


RELEASES = {"normal noise": _normal, "Laplace noise": _laplace, "logistic noise": _logistic}
