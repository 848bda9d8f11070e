# SPDX-License-Identifier: Apache-2.0
"""The worst mechanism of an (epsilon, delta) guarantee."""

import random

from flint import arb

from exact.laws import AtomLaw
from exact.release import Parameters, grid, power, way_of

EPSILONS = (0.0, 1e-9, 0.1, 1.0, 37.0, 700.0, 1e4)
CORNERS = grid(epsilon=EPSILONS, delta=(0.0, 1e-300, 1e-12, 0.3, 1.0))
BITS = 20_000


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    delta = 0.0 if rng.random() < 0.3 else power(rng, -180, -4)
    return {"epsilon": power(rng, -3, 1), "delta": delta}


def release(direction: str, epsilon: float, delta: float = 0.0, rate: float = 1.0) -> AtomLaw:
    """See `exact.mechanisms`."""
    likely = arb(epsilon).exp() / (1 + arb(epsilon).exp())
    rest, d = 1 - arb(delta), arb(delta)
    pairs = [(rest * likely, rest * (1 - likely)), (rest * (1 - likely), rest * likely)]
    return AtomLaw([*pairs, (d, arb(0)), (arb(0), d)], direction=way_of(direction), rate=rate)
