# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism."""

from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._pair import no_pair, pair
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(SamplableMechanism):
    """A number that a record changes by at most 1, plus Laplace noise.

    Dominated by Lap(1, b) against Lap(0, b), b the noise multiplier, when a record is added or
    removed (both directions alike) or made a special one that adds nothing, and by Lap(1, b)
    against Lap(-1, b) when one is replaced by another. For other sensitivities, b is the noise's
    scale divided by the sensitivity. The loss is bounded by 1 / b and takes both ends with
    positive probability.

    On a Poisson subsample there is no proved pair for replacing a record by any other.

    Args:
        noise_multiplier: Scale of the noise over the sensitivity; in [0.001, 1e12].

    Source: Dwork, McSherry, Nissim & Smith (2006); Zhu, Dong & Wang (2022), Theorem 11.

    >>> Laplace(noise_multiplier=2).delta(epsilon=0.51)
    0.0
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        noise_multiplier = _checks.noise_multiplier(self.noise_multiplier)
        object.__setattr__(self, "noise_multiplier", noise_multiplier)

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        return pair("laplace", self.noise_multiplier / (2 if direction.replaces else 1))

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample."""
        if direction.replaces:
            raise no_pair(self.poisson_sampled(sampling_probability), direction, NOT_PROVED)
        form = direction.form
        return pair(f"poisson_laplace_{form}", self.noise_multiplier, sampling_probability)


NOT_PROVED = "no pair is proved to dominate it on a Poisson subsample"
