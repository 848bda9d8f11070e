# SPDX-License-Identifier: Apache-2.0
"""Permute-and-flip."""

from __future__ import annotations

import random

from flint import arb

from exact.laws import Laplace
from exact.release import Parameters, Release, power


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    return {"epsilon": power(rng, -2.5, 0.6)}


def release(direction: str, epsilon: float) -> Release:  # noqa: ARG001
    """See `exact.mechanisms`."""
    return Release(Laplace(arb(epsilon)))
