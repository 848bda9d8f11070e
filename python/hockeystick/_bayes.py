# SPDX-License-Identifier: Apache-2.0
"""The Bayes risk of a prior of at most 1/2, from delta at the log odds against it."""

import math


def log_odds(prior: float) -> float:
    """log((1 - prior) / prior) >= 0, to a few roundings."""
    return max(0.0, math.log1p(-prior) - math.log(prior))


def risk(prior: float, delta: float, *, upwards: bool) -> float:
    """prior (1 - delta), delta that at the `log_odds`, rounded in one direction.

    An error of epsilon changes the risk relatively by no more, as does its rounding: log1p and log
    4 u each, the difference u of each; then two roundings of the result.
    """
    slack = (16 * (1 + log_odds(prior))) * 2.0**-53
    return max(0.0, prior * (1 - delta) * (1 + slack if upwards else 1 - slack))
