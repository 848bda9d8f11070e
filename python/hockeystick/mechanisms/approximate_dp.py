# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of which only a guarantee is known."""

from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._guarantee import replaceable
from hockeystick.mechanisms._pair import pair, sampled_atoms
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ApproximateDP(SamplableMechanism):
    """Any (epsilon, delta)-differentially private mechanism, under whichever adjacency is asked.

    Dominated by a pair whose privacy loss is infinite with probability delta, epsilon with
    probability (1 - delta) e^epsilon / (1 + e^epsilon), and -epsilon otherwise. Some mechanism has
    that very pair (randomized response that fails with probability delta), so that compositions
    are the optimal ones of their guarantees.

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
    def __init__(self, *, epsilon: float, delta: float) -> None:
        epsilon = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        object.__setattr__(self, "guaranteed_epsilon", epsilon)
        object.__setattr__(self, "guaranteed_delta", _checks.probability("delta", delta))

    @property
    def arguments(self) -> dict[str, float]:
        """The keyword arguments that make an equal mechanism."""
        return {"epsilon": self.guaranteed_epsilon, "delta": self.guaranteed_delta}

    def simplified(self) -> Mechanism | None:
        """None at epsilon = delta = 0: the output then ignores the data."""
        return None if self.guaranteed_epsilon == self.guaranteed_delta == 0 else self

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:  # noqa: ARG002
        """The pair (P, Q) that dominates all neighbours; the same in every direction."""
        return pair("approximate_dp", self.guaranteed_epsilon, self.guaranteed_delta)

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample.

        Raises:
            ValueError: `direction` replaces a record.
        """
        parameters = (self.guaranteed_epsilon, self.guaranteed_delta, sampling_probability)
        sampled = self.poisson_sampled(sampling_probability)
        return sampled_atoms(sampled, direction, "approximate_dp", *parameters)
