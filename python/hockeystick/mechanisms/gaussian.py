# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._pair import pair
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

if TYPE_CHECKING:
    from hockeystick.mechanisms.fixed_size_sampled import FixedSizeSampled
    from hockeystick.mechanisms.shuffled import Shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(SamplableMechanism):
    """A sum of records of norm at most 1, plus normal noise.

    Dominated by N(1, s^2) against N(0, s^2), s the noise multiplier, when a record is added or
    removed (both directions alike) or made a special one that adds nothing, and by N(1, s^2)
    against N(-1, s^2) when one is replaced by another: the two sums then differ by up to 2. For
    other sensitivities, s is the noise's standard deviation divided by the sensitivity.

    Args:
        noise_multiplier: Standard deviation of the noise over the norm bound; in
            [0.001, 1e12].

    Source: Balle & Wang (2018), Theorem 8.

    >>> Gaussian(noise_multiplier=4).poisson_sampled(0.5)
    PoissonSampled(mechanism=Gaussian(noise_multiplier=4.0), sampling_probability=0.5)
    """

    noise_multiplier: float

    def __post_init__(self) -> None:
        noise_multiplier = _checks.noise_multiplier(self.noise_multiplier)
        object.__setattr__(self, "noise_multiplier", noise_multiplier)

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        return pair("gaussian", self.noise_multiplier / noise_divisor(direction))

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample."""
        form = direction.form
        return pair(f"poisson_gaussian_{form}", self.noise_multiplier, sampling_probability)

    def fixed_size_sampled(
        self, *, batch_size: int, dataset_size: int, replacement: bool = False
    ) -> "FixedSizeSampled":
        """The mechanism on a batch of fixed size, drawn from the data for each run."""
        from hockeystick.mechanisms.fixed_size_sampled import FixedSizeSampled  # noqa: PLC0415

        return FixedSizeSampled(
            mechanism=self,
            batch_size=batch_size,
            dataset_size=dataset_size,
            replacement=replacement,
        )

    def shuffled(self, *, batches: int, epochs: int = 1) -> "Shuffled":
        """An epoch over the shuffled records, cut into batches of equal size."""
        from hockeystick.mechanisms.shuffled import Shuffled  # noqa: PLC0415

        return Shuffled(mechanism=self, batches=batches, epochs=epochs)


def noise_divisor(direction: Direction) -> float:
    """How far apart the means of a pair are: replaced, N(-1) against N(1)."""
    return 2.0 if direction.replaces else 1.0
