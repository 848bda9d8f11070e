# SPDX-License-Identifier: Apache-2.0
"""The discrete Laplace mechanism."""

from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._pair import large_pair, sampled_atoms
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MIN_PARAMETER, MAX_PARAMETER = 1e-12, 1e3
MAX_SENSITIVITY = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace(SamplableMechanism):
    """A whole-numbered sum of records plus two-sided geometric noise.

    The noise is x with probability proportional to e^(-parameter |x|), x any integer. Adding or
    removing a record, or making it a special one that adds nothing, moves the sum by up to
    `sensitivity`: the pair is the noise against the noise moved that far. Replacing one moves it
    by up to twice that.

    Sums of vectors with sensitivity in the L1 norm have the same pair: a step of 1 in any
    coordinate is randomized response with epsilon `parameter`, so s steps leave at least the
    trade-off function of that, applied s times, which a shift by s in one coordinate attains.

    Args:
        parameter: Inverse scale of the noise, in [1e-12, 1e3].
        sensitivity: A whole number in [1, 1e6].

    Cost: one atom a unit of sensitivity. Source: Ghosh, Roughgarden & Sundararajan (2012).

    >>> noise = DiscreteLaplace(parameter=0.5, sensitivity=2)
    >>> noise.epsilon(delta=1e-9) <= 0.5 * 2
    True
    """

    parameter: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        parameter = _checks.within("parameter", self.parameter, MIN_PARAMETER, MAX_PARAMETER)
        object.__setattr__(self, "parameter", parameter)
        sensitivity = _checks.whole("sensitivity", self.sensitivity, 1, MAX_SENSITIVITY)
        object.__setattr__(self, "sensitivity", sensitivity)

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        shift = self.sensitivity * (2 if direction.replaces else 1)
        return large_pair("discrete_laplace", self.parameter, shift)

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample.

        Raises:
            ValueError: `direction` replaces a record.
        """
        parameters = (self.parameter, self.sensitivity, sampling_probability)
        sampled = self.poisson_sampled(sampling_probability)
        return sampled_atoms(sampled, direction, "discrete_laplace", *parameters)
