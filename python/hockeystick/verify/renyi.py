# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences: log E_Q[(dP/dQ)^a] / (a - 1) = log M(a - 1) / (a - 1), added up by step."""

from collections.abc import Sequence

from flint import arb, ctx

from hockeystick.adjacency import Adjacency
from hockeystick.composition import Mechanism
from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.curves import merged
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Atoms, law
from hockeystick.verify.moments import moment


def divergence(
    releases: Sequence[tuple[Mechanism, int]], adjacency: Adjacency, order: float
) -> tuple[arb, str]:
    """The largest of all directions."""
    if order == 1:
        raise NotKnownError("the mean of the loss is not computed yet")
    t, nats = arb(order) - 1, 0.7 * ctx.prec
    balls = []
    for direction in adjacency.directions:
        total = ZERO
        for made, n in merged([(law(mechanism, direction), n) for mechanism, n in releases]):
            pairs = [pair for _, pair in made if isinstance(pair, Atoms)]
            if any(pair.infinite > 0 for pair in pairs):
                return arb("inf"), "closed form"
            if any(not pair.slack.is_zero() for pair in pairs):
                raise NotKnownError("the moments of outcomes that are not listed are not bounded")
            total += n * moment(made, t, nats).log()
        balls.append(total / t)
    return maximum(*balls), "moments"
