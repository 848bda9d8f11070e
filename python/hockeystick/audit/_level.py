# SPDX-License-Identifier: Apache-2.0
"""How sure an audit is, and how many trials it may count."""

import math

from hockeystick import _checks

MOST_TRIALS = 10**9


def level_of(confidence: float) -> float:
    """1 - confidence, rounded down: exact from 1/2 on."""
    given = _checks.open_unit("confidence", confidence)
    level = 1 - given
    return level if given >= 0.5 else math.nextafter(level, 0.0)  # noqa: PLR2004
