# SPDX-License-Identifier: Apache-2.0
"""A privacy loss distribution from both sides."""

from typing import Literal

from hockeystick.adjacency import AdjacencyLike
from hockeystick.composition import Composable
from hockeystick.pld import PrivacyLossDistribution
from hockeystick.plot._reach import fitting_interval

_SIDES: tuple[Literal["upper", "lower"], ...] = ("upper", "lower")


def both_sides(
    run: Composable, interval: float | None, adjacency: AdjacencyLike, memory_limit: int
) -> list[PrivacyLossDistribution]:
    """The upper and the lower estimate on one grid, by default one that looks continuous.

    Of mechanisms that are known by pairs above and below, there is only the upper one.
    """
    if interval is None:
        interval = fitting_interval(run, adjacency, memory_limit)
    is_exact = all(mechanism.is_exact for mechanism, _ in run.terms)
    return [
        run.pld(
            discretization_interval=interval,
            side=side,
            adjacency=adjacency,
            memory_limit=memory_limit,
        )
        for side in (_SIDES if is_exact else _SIDES[:1])
    ]
