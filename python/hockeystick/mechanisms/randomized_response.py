# SPDX-License-Identifier: Apache-2.0
"""Randomized response."""

from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._pair import no_pair, pair

MAX_BUCKETS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Mechanism):
    """The record's value, one of k; with probability `noise_parameter` a uniform one instead.

    With r the noise parameter, the answer is the true one with probability 1 - r + r/k, and any
    other with r/k. Replacing a record compares the answers of two values. REPLACE_SPECIAL compares
    those of a value with uniform answers, which the special record gives. Records cannot be added
    or removed: each gives one answer, and the number of answers is seen.

    Args:
        noise_parameter: In [0, 1]. Without noise (0) the privacy loss can be infinite; 1 costs
            nothing.
        num_buckets: k, a whole number in [1, 1e9]; 1 costs nothing.

    Source: Warner (1965); Kairouz, Oh & Viswanath (2016) for k > 2.

    >>> import hockeystick as hs
    >>> survey = hs.RandomizedResponse(noise_parameter=0.5, num_buckets=4)
    >>> bounds = survey.delta_bounds(0.0, adjacency=hs.Adjacency.REPLACE_ONE)
    >>> bounds.lower <= 0.5 <= bounds.upper
    True
    """

    noise_parameter: float
    num_buckets: int

    def __post_init__(self) -> None:
        noise = _checks.probability("noise_parameter", self.noise_parameter)
        object.__setattr__(self, "noise_parameter", noise)
        buckets = _checks.whole("num_buckets", self.num_buckets, 1, MAX_BUCKETS)
        object.__setattr__(self, "num_buckets", buckets)

    def simplified(self) -> Mechanism | None:
        """None where all answers are noise, or there is only one."""
        return None if self.noise_parameter == 1 or self.num_buckets == 1 else self

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Raises:
            ValueError: `direction` adds or removes a record.
        """
        if direction.replaces:
            return pair("randomized_response", self.noise_parameter, self.num_buckets)
        if direction in (Direction.ADD, Direction.REMOVE):
            raise no_pair(self, direction, "each record gives one answer")
        back = "_back" if direction.backward else ""
        return pair(f"randomized_response_special{back}", self.noise_parameter, self.num_buckets)
