# SPDX-License-Identifier: Apache-2.0
"""The discrete Laplace mechanism."""

import random

from flint import arb

from exact.laws import AtomLaw
from exact.release import Parameters, grid, power, shift_of, way_of, with_rate

PARAMETERS = (1e-12, 1e-6, 0.05, 1.0, 20.0, 600.0, 1000.0)
CORNERS = [
    *grid(parameter=PARAMETERS, sensitivity=(1, 2, 7)),
    *grid(parameter=PARAMETERS, sensitivity=(3,), rate=(1e-9, 0.01, 0.5, 1 - 1e-9)),
]
BITS = 20_000


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    parameters = {"parameter": power(rng, -2, 0.5), "sensitivity": rng.randint(1, 6)}
    return with_rate(rng, parameters, 0.4)


def release(direction: str, parameter: float, sensitivity: int, rate: float = 1.0) -> AtomLaw:
    """See `exact.mechanisms`."""
    a, s = arb(parameter), sensitivity * shift_of(direction)
    scale = (a / 2).tanh()
    end = scale / (1 - (-a).exp())
    pairs = [((-a * s).exp() * end, end), (end, (-a * s).exp() * end)]
    pairs += [(scale * (-a * (s - x)).exp(), scale * (-a * x).exp()) for x in range(1, s)]
    return AtomLaw(pairs, direction=way_of(direction), rate=rate)
