# SPDX-License-Identifier: Apache-2.0
"""The confidence of an audit, and the largest number of its trials."""

from hockeystick import _checks, outward

MOST_TRIALS = 10**9


def level_of(confidence: float) -> float:
    """1 - confidence, rounded down."""
    given = _checks.open_unit("confidence", confidence)
    return float(outward.difference(1.0, given, above=False))
