# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of which only a guarantee is known."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._guarantee import replaceable
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproximateDP(SamplableMechanism):
    """Any (epsilon, delta)-differentially private mechanism, under whichever adjacency is asked.

    Dominated by a pair whose privacy loss is infinite with probability delta, epsilon with
    probability (1 - delta) e^epsilon / (1 + e^epsilon), and -epsilon otherwise. Some mechanism has
    that very pair (randomized response that fails with probability delta), so that compositions
    are the optimal ones of their guarantees. The deltas add up: 3 runs of 1e-5 have an infinite
    epsilon at delta = 1e-5, and a finite one at 3e-5.

    Args:
        epsilon: In [0, 1e4] nats; kept as ``guaranteed_epsilon``.
        delta: In [0, 1], where 0 is pure differential privacy; kept as ``guaranteed_delta``.

    Source: Kairouz, Oh & Viswanath (2015), Theorem 3.1; Murtagh & Vadhan (2016).

    >>> ten = 10 * ApproximateDP(epsilon=0.1, delta=1e-6)
    >>> ten.epsilon(delta=1e-4) < 10 * 0.1
    True
    """

    guaranteed_epsilon: float
    guaranteed_delta: float

    @replaceable
    def __init__(self, epsilon: float, delta: float) -> None:
        loss = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        fails = _checks.probability("delta", delta)
        _checks.keep(self, guaranteed_epsilon=loss, guaranteed_delta=fails)

    def simplified(self) -> Mechanism | None:
        """None at epsilon = delta = 0: the output then ignores the data."""
        return None if self.guaranteed_epsilon == self.guaranteed_delta == 0 else self
