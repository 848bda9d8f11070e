# SPDX-License-Identifier: Apache-2.0
"""Losses given one by one, rounded to a grid."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from hockeystick.compat.dp_accounting.pld import pld_pmf

_ON_GRID = 2.0**-44  # relative to loss / interval: what rounding may have moved a loss by
_OUTWARD = 2.0**-48  # relative: what the rounding of exponentials may have taken


def rounded_loss(
    masses: Iterable[tuple[float, float]],
    infinity_mass: float,
    *,
    interval: float,
    pessimistic: bool,
) -> pld_pmf.PLDPmf:
    """The pmf of (loss, mass), losses rounded up (pessimistic) or down to multiples.

    Masses are moved outward by what `exp` may be off by. A loss within rounding of a multiple
    counts as on it.
    """
    rounded: dict[int, float] = {}
    for loss, mass in masses:
        k = _position(loss / interval, pessimistic=pessimistic)
        rounded[k] = rounded.get(k, 0.0) + mass
    sign = 1 if pessimistic else -1
    moved = {k: mass * (1 + sign * _OUTWARD) for k, mass in rounded.items()}
    if infinity_mass not in (0, 1):
        infinity_mass = min(infinity_mass * (1 + sign * _OUTWARD), 1.0)
    return pld_pmf.create_pmf(moved, interval, infinity_mass, pessimistic)


def rounded_log_pmfs(
    upper: Mapping[Any, float],
    lower: Mapping[Any, float],
    *,
    interval: float,
    pessimistic: bool,
    log_truncation: float,
) -> pld_pmf.PLDPmf:
    """The pmf of log(upper / lower) under upper, both given by logarithms."""
    masses = []
    infinite = []
    for outcome, log_mass in upper.items():
        log_other = lower.get(outcome, -math.inf)
        if log_other == -math.inf:
            infinite.append(math.exp(log_mass))
        elif log_mass > log_truncation:
            masses.append((log_mass - log_other, math.exp(log_mass)))
        elif pessimistic:
            infinite.append(math.exp(log_mass))
    total = min(math.fsum(infinite), 1.0)
    return rounded_loss(masses, total, interval=interval, pessimistic=pessimistic)


def _position(scaled: float, *, pessimistic: bool) -> int:
    nearest = round(scaled)
    if abs(scaled - nearest) <= _ON_GRID * max(abs(scaled), 1):
        return nearest
    return math.ceil(scaled) if pessimistic else math.floor(scaled)
