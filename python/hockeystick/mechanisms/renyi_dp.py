# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of which a Renyi divergence of one order is known."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism

LEAST_ORDER, MOST_ORDER = 1.0001, 1e4
LEAST_DIVERGENCE, MOST_DIVERGENCE = 1e-12, 1e4


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RenyiDP(EnclosedMechanism):
    """Any mechanism with Renyi divergences of one order of at most so much, in both directions.

    Under whichever adjacency is asked. The truth that is enclosed is the smallest epsilon, or
    delta, that all of them have. Several of one order are one whose divergence is the sum. From
    below bound Gaussians of that divergence; the bounds are ``limited_by == "theory"``. What one
    order says little of is not known: the largest loss is infinite.

    Args:
        order: In [1.0001, 10000].
        divergence: In nats; 0 or in [1e-12, 10000].

    Source: Mironov (2017), Definition 4; Canonne, Kamath & Steinke (2020), Proposition 12.

    >>> known = RenyiDP(order=8.0, divergence=1.0)
    >>> 2.543 < known.epsilon(delta=1e-6) < 2.544
    True
    """

    order: float
    divergence: float

    def __post_init__(self) -> None:
        order = _checks.within("order", self.order, LEAST_ORDER, MOST_ORDER)
        divergence = _checks.zero_or_within(
            "divergence", self.divergence, LEAST_DIVERGENCE, MOST_DIVERGENCE
        )
        _checks.keep(self, order=order, divergence=divergence)

    def simplified(self) -> Mechanism | None:
        """None at divergence 0: the output then ignores the data."""
        return None if self.divergence == 0 else self
