# SPDX-License-Identifier: Apache-2.0
"""Mechanisms given by two distributions on finitely many outcomes."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._checks import Vector
from hockeystick._outcomes import distributions
from hockeystick.composition import Mechanism
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism


@dataclass(frozen=True, slots=True, repr=False)
class DiscretePair(SamplableMechanism):
    """Any mechanism dominated by p against q, two distributions on the same outcomes.

    That they dominate, under the adjacency asked for, is yours to know: for instance because only
    these two distributions can be seen at all. The first direction of an adjacency (with the
    record, or before it is replaced) compares p with q, the other one q with p, and every step of a
    run is compared in the same order: where a mechanism chosen later may turn the pair round, give
    one that dominates both orders. An outcome with q = 0 < p has infinite loss; where both are 0 it
    is left out.

    Args:
        p: Probabilities >= 0 that sum to 1 within 1e-9, and are then taken over their exact sum; or
            counts: whole numbers of any sum up to 2^53. Any sequence or one-dimensional array of 1
            to 1e6 numbers; kept as a tuple.
        q: As many, of the same kind. With counts on both sides, each is taken over its own sum.

    Raises:
        ValueError: The lengths differ, or a number or a sum is out of range.
        TypeError: What is given are not real numbers.

    Source: Sommer, Meiser & Mohammadi (2019), Definition 4.2.

    Dummy messages, 0 to 6 of them, hide whether one real message was sent (truncated geometric
    noise; van den Hooff et al. 2015 hide messages so):

    >>> import hockeystick as hs
    >>> weights = [2 ** -abs(x - 3) for x in range(7)]
    >>> noise = [w / sum(weights) for w in weights]
    >>> round_trip = hs.DiscretePair(p=[0, *noise], q=[*noise, 0])
    >>> round_trip.epsilon(delta=0.05) < 0.6931
    True

    Response times of a cached and of an uncached page, counted in bins:

    >>> timing = hs.DiscretePair(p=[9, 80, 11, 0], q=[12, 75, 12, 1])
    >>> bool(timing.delta(0.0) < 0.06)
    True
    """

    p: Vector
    q: Vector

    def __post_init__(self) -> None:
        p, q = distributions(p=self.p, q=self.q)
        _checks.keep(self, p=p, q=q)

    def simplified(self) -> Mechanism | None:
        """None if p and q are the same numbers: the output then ignores the data."""
        return None if self.p == self.q else self
