# SPDX-License-Identifier: Apache-2.0
"""Curves above all mechanisms of which Renyi divergences are known, of one order or of all."""

import math
from collections.abc import Sequence

from flint import arb

from hockeystick import mechanisms as known
from hockeystick._search import peak
from hockeystick.composition import Mechanism
from hockeystick.verify.balls import ZERO, Curve, both_ways

WIDEST, CLOSE = 60.0, 1e-12  # |log t| of the tilts that are tried, and how close they come
Releases = Sequence[tuple[Mechanism, int]]


def of_releases(releases: Releases) -> list[Curve]:
    """Above all of RenyiDP: divergences of one order add up."""
    sums: dict[float, arb] = {}
    for mechanism, n in releases:
        if isinstance(mechanism, known.RenyiDP):
            more = n * arb(mechanism.divergence)
            sums[mechanism.order] = sums.get(mechanism.order, ZERO) + more
    return [diverging(order, divergence) for order, divergence in sums.items()]


def rho_of(mechanism: known.ZCDP | known.RenyiDP) -> arb:
    """The rho of a Gaussian that attains it: its divergence of order a is rho a."""
    if isinstance(mechanism, known.ZCDP):
        return arb(mechanism.rho)
    return arb(mechanism.divergence) / arb(mechanism.order)


def concentrated(rho: arb) -> Curve:
    """No rho-concentrated mechanism is above this (Canonne, Kamath & Steinke 2020, Corollary 13).

    It is Chernoff's bound at the order t + 1, for a good t > 0: any t gives a bound.
    """

    def curve(epsilon: arb) -> arb:
        slope = float(rho - epsilon)

        def exponent(log_t: float) -> float:
            t = math.exp(log_t)
            return (t + 1) * math.log1p(t) - t * (log_t + slope + t * float(rho))

        t = arb(math.exp(peak(exponent, -WIDEST, WIDEST, CLOSE)[0]))
        return _chernoff(t, (t + 1) * rho, epsilon)

    return _both_sides(curve, rho)


def diverging(order: float, divergence: arb) -> Curve:
    """No mechanism is above this whose divergences of an order, and so of smaller ones, are known.

    The same bound at the order t + 1 at most that, where it is least: t / (t + 1) is alpha e^-D.
    """

    def curve(epsilon: arb) -> arb:
        most, beyond = arb(order) - 1, float((divergence - epsilon).mid())
        t = arb(1 / math.expm1(beyond)) if 1e-300 < beyond < 300 else ZERO  # noqa: PLR2004
        t = t if 0 < t < most else most
        return _chernoff(t, divergence, epsilon)

    return _both_sides(curve, divergence)


def _chernoff(t: arb, divergence: arb, epsilon: arb) -> arb:
    """What a divergence of the order t + 1 says of delta (Canonne, Kamath & Steinke 2020)."""
    curved = t * t.log() - (t + 1) * t.log1p()
    return (t * (divergence - epsilon) + curved).exp().min(arb(1))


def _both_sides(curve: Curve, divergence: arb) -> Curve:
    """At epsilon < 0 by the reverse; never above what a divergence of order 1 says of the distance.

    By Pinsker's inequality and that of Bretagnolle & Huber.
    """
    distance = (divergence / 2).sqrt().min((-(-divergence).expm1()).sqrt())

    def capped(epsilon: arb) -> arb:
        return curve(epsilon).min(distance)

    return both_ways(capped, capped)
