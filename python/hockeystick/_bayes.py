# SPDX-License-Identifier: Apache-2.0
"""The Bayes risk of a prior of at most 1/2, from delta at the log odds against it."""

import math

_SUBNORMAL = 2.0**-1074


def log_odds(prior: float) -> float:
    """log((1 - prior) / prior) >= 0, to a few roundings."""
    return max(0.0, math.log1p(-prior) - math.log(prior))


def risk(prior: float, delta: float, *, upwards: bool) -> float:
    """prior (1 - delta), delta that at the `log_odds`, rounded in one direction.

    An error of epsilon changes the risk relatively by no more, as does its rounding: log1p and log
    4 u each, the difference u of each; then two roundings of the result. Products that are
    subnormal are off by half a subnormal number each besides. The risk is at most the prior.
    """
    slack = (16 * (1 + log_odds(prior))) * 2.0**-53
    if upwards:
        return min(prior, prior * (1 - delta) * (1 + slack) + 2 * _SUBNORMAL)
    return max(0.0, prior * (1 - delta) * (1 - slack) - 2 * _SUBNORMAL)
