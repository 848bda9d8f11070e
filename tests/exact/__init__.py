# SPDX-License-Identifier: Apache-2.0
"""Oracles in ball arithmetic, independent of the code under test.

    exact.delta(run, epsilon, direction), exact.epsilon(run, delta, direction)

return an arb ball for any `exact.Run` of (sampled) Gaussians, by `hockeystick.verify`; all else
here shares no code with it. See `tests/README.md`.
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
