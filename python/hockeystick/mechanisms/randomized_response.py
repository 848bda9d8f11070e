# SPDX-License-Identifier: Apache-2.0
"""Randomized response."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import nextafter

from hockeystick import _checks, _core
from hockeystick._words import one_of
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._pair import described_pair

MAX_BUCKETS = 10**9
MIN_EPSILON, MAX_EPSILON = 1e-6, 700  # the noise parameter then has 10 digits, and is above 0


@dataclass(frozen=True, slots=True, repr=False)
class RandomizedResponse(Mechanism):
    """The record's value, one of k; with probability `noise_parameter` a uniform one instead.

    With r the noise parameter, the answer is the true one with probability 1 - r + r/k, and any
    other with r/k. Replacing a record compares the answers of two values. REPLACE_SPECIAL compares
    those of a value with uniform answers, which the special record gives. Records cannot be added
    or removed: each gives one answer, and the number of answers is seen.

    Args:
        noise_parameter: In [0, 1]. Without noise (0) the privacy loss can be infinite; 1 costs
            nothing.
        num_buckets: k, a whole number in [1, 1e9]; 1 costs nothing. 2, a yes or a no, if it is not
            given.
        epsilon: In place of the noise parameter, what the mechanism guarantees when a record is
            replaced, in [1e-6, 700] nats; kept, and certified, is the largest double up to
            r = k / (e^epsilon - 1 + k), as less noise costs more.

    Source: Warner (1965); Kairouz, Oh & Viswanath (2016) for k > 2.

    >>> import hockeystick as hs
    >>> hs.RandomizedResponse(epsilon=1.0).noise_parameter
    0.5378828427399902
    >>> survey = hs.RandomizedResponse(noise_parameter=0.5, num_buckets=4)
    >>> bounds = survey.delta_bounds(0.0, adjacency=hs.Adjacency.REPLACE_ONE)
    >>> bounds.lower <= 0.5 <= bounds.upper
    True
    """

    noise_parameter: float
    num_buckets: int

    def __init__(
        self,
        noise_parameter: float | None = None,
        *,
        num_buckets: int = 2,
        epsilon: float | None = None,
    ) -> None:
        name, noise = one_of(noise_parameter=noise_parameter, epsilon=epsilon)
        buckets = _checks.whole("num_buckets", num_buckets, 1, MAX_BUCKETS)
        if name == "epsilon":
            noise = _noise(_checks.within(name, noise, MIN_EPSILON, MAX_EPSILON), buckets)
        checked = _checks.probability("noise_parameter", noise)
        _checks.keep(self, noise_parameter=checked, num_buckets=buckets)

    def simplified(self) -> Mechanism | None:
        """None where all answers are noise, or there is only one."""
        return None if self.noise_parameter == 1 or self.num_buckets == 1 else self

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Raises:
            ValueError: `direction` adds or removes a record.
        """
        return described_pair(self, direction)


def _noise(epsilon: float, buckets: int) -> float:
    with localcontext(prec=60):
        exact = buckets / (Decimal(epsilon).exp() - 1 + buckets)
    nearest = float(exact)
    return nearest if nearest <= exact else nextafter(nearest, 0)
