# SPDX-License-Identifier: Apache-2.0
"""The range of a picture when the caller gives none."""

import math

from hockeystick.adjacency import AdjacencyLike
from hockeystick.composition import Composable
from hockeystick.errors import best_bounds

_TOLERANCE = 0.05  # of the end of an axis
_NOTHING = 1.0  # nats to show of a curve that is zero or infinite throughout


def reach(run: Composable, delta: float, adjacency: AdjacencyLike, memory_limit: int) -> float:
    """The epsilon at `delta`, or at the least tenfold of it that has a finite one; > 0."""
    while delta < 1:
        epsilon = best_bounds(
            run.epsilon_bounds,
            delta,
            adjacency=adjacency,
            tolerance=_TOLERANCE,
            memory_limit=memory_limit,
        ).upper
        if math.isfinite(epsilon):
            return epsilon or _NOTHING
        delta *= 10
    return _NOTHING


def fitting_interval(run: Composable, adjacency: AdjacencyLike, memory_limit: int) -> float:
    """A discretization interval that no eye can see in the distribution of `run`.

    A step's loss is moved by at most one interval and the moves of n steps are independent but for
    their mean, so the spread of the sum changes by about sqrt(n) intervals: 1/200 of epsilon.
    """
    steps = sum(count for _, count in run.terms)
    far = reach(run, 1e-5, adjacency, memory_limit)
    return far / max(2000.0, 200.0 * math.sqrt(steps))
