# SPDX-License-Identifier: Apache-2.0
"""Losses of outcomes given one by one, rounded to a grid."""

import math
from collections.abc import Mapping
from typing import Any

from hockeystick import outward
from hockeystick.compat.dp_accounting.pld import pld_pmf

_ON_GRID = 2.0**-44  # relative to loss / interval: what rounding may have moved a loss by


def rounded_log_pmfs(
    upper: Mapping[Any, float],
    lower: Mapping[Any, float],
    *,
    interval: float,
    pessimistic: bool,
    log_truncation: float,
) -> pld_pmf.PLDPmf:
    """The pmf of log(upper / lower) under upper, both given by logarithms.

    Losses are rounded up (pessimistic) or down to multiples of the interval; one within rounding of
    a multiple counts as on it. Masses round outward.
    """
    masses: dict[int, float] = {}
    infinite = []
    for outcome, log_mass in upper.items():
        log_other, mass = lower.get(outcome, -math.inf), outward.exp(log_mass, above=pessimistic)
        if log_other == -math.inf or (log_mass <= log_truncation and pessimistic):
            infinite.append(mass)
        elif log_mass > log_truncation:
            at = _position((log_mass - log_other) / interval, pessimistic=pessimistic)
            masses[at] = outward.sum_of(masses.get(at, 0.0), mass, above=pessimistic)
    return pld_pmf.SparsePLDPmf(
        masses, interval, min(outward.total(infinite, above=pessimistic), 1.0), pessimistic
    )


def _position(scaled: float, *, pessimistic: bool) -> int:
    nearest = round(scaled)
    if abs(scaled - nearest) <= _ON_GRID * max(abs(scaled), 1):
        return nearest
    return math.ceil(scaled) if pessimistic else math.floor(scaled)
