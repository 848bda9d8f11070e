# SPDX-License-Identifier: Apache-2.0
"""Oracles in ball arithmetic, independent of the code under test.

    exact.delta(run, epsilon, direction), exact.epsilon(run, delta, direction)

return an arb ball for any `exact.Run` of (sampled) Gaussians; see `tests/README.md` for which
balls are proofs and which carry an estimated error.
"""

from exact.model import DIRECTIONS, Direction, Run, Step, gaussian_mu, merged
from exact.truth import clipped, delta, epsilon

__all__ = [
    "DIRECTIONS",
    "Direction",
    "Run",
    "Step",
    "clipped",
    "delta",
    "epsilon",
    "gaussian_mu",
    "merged",
]
