# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences: log E_Q[(dP/dQ)^a] / (a - 1) = log M(a - 1) / (a - 1), added up by step."""

from collections.abc import Sequence

from flint import arb, ctx

from hockeystick.adjacency import Adjacency, Direction
from hockeystick.composition import Mechanism, Terms
from hockeystick.verify.balls import ZERO, between, maximum
from hockeystick.verify.curves import merged
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Atoms, Law, law
from hockeystick.verify.moments import moment
from hockeystick.verify.sides import GAPS


def divergence(
    runs: tuple[Terms, ...], adjacency: Adjacency, order: float, _: int
) -> tuple[arb, str]:
    """The largest of all runs and directions."""
    if any(isinstance(mechanism, GAPS) for run in runs for mechanism, _ in run):
        raise NotKnownError("Renyi divergences of mechanisms with a gap are not known")
    bits, directions = ctx.prec, adjacency.directions
    with ctx.workprec(3 * bits if order == 1 else bits):
        balls = [
            of_direction(run, direction, order, bits) for run in runs for direction in directions
        ]
        return maximum(*balls), "moments"


def of_direction(
    releases: Sequence[tuple[Mechanism, int]], direction: Direction, order: float, bits: int
) -> arb:
    """In one direction, to about that many bits."""
    t, total = arb(order) - 1, ZERO
    for made, n in merged([(law(mechanism, direction), n) for mechanism, n in releases]):
        pairs = [pair for _, pair in made if isinstance(pair, Atoms)]
        if any(pair.infinite > 0 for pair in pairs):
            return arb("inf")
        if any(not pair.slack.is_zero() for pair in pairs):
            raise NotKnownError("the moments of outcomes that are not listed are not bounded")
        total += n * (_mean(made, bits) if t.is_zero() else moment(made, t, 0.7 * bits).log() / t)
    return total


def _mean(made: Law, bits: int) -> arb:
    """The mean of the loss: the slope at 0 of log M, which is convex and 0 there.

    The chords to either side enclose it, to about as many bits as they are short.
    """
    short, nats = arb(2) ** -bits, 1.4 * bits + 20
    above = moment(made, short, nats).log() / short
    below = -moment(made, -short, nats).log() / short
    return between(below, above)
