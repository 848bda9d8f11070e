# SPDX-License-Identifier: Apache-2.0
"""Two given distributions."""

import math
import random

from flint import arb

from exact.laws import AtomLaw
from exact.release import Parameters, power, way_of, with_rate


def draw(rng: random.Random) -> Parameters:
    """See `exact.mechanisms`."""
    number = rng.randint(2, 4)
    if rng.random() < 0.5:
        p, q = ([rng.randint(0 if j > 2 else 1, 50) for j in range(number)] for _ in "pq")
    else:
        odds = [power(rng, -4, 0) for _ in range(number)]
        p = [x / math.fsum(odds) for x in odds]
        tilted = [x * math.exp(rng.gauss(0, 0.3)) for x in odds]
        q = [x / math.fsum(tilted) for x in tilted]
    return with_rate(rng, {"p": tuple(p), "q": tuple(q)}, 0.3)


def release(
    direction: str, p: tuple[float, ...], q: tuple[float, ...], rate: float = 1.0
) -> AtomLaw:
    """See `exact.mechanisms`."""
    sums = [sum(map(arb, masses), arb(0)) for masses in (p, q)]
    pairs = [(arb(x) / sums[0], arb(y) / sums[1]) for x, y in zip(p, q, strict=True)]
    return AtomLaw(pairs, direction=way_of(direction), rate=rate)
