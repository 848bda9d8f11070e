# SPDX-License-Identifier: Apache-2.0
"""The mechanisms: immutable values that know their dominating pairs."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism


class SamplableMechanism(Mechanism):
    """A mechanism that can run on a Poisson subsample of the data."""

    __slots__ = ()

    def poisson_sampled(self, sampling_probability: float) -> "PoissonSampled":
        """The mechanism on a subsample that holds each record with `sampling_probability`."""
        return PoissonSampled(mechanism=self, sampling_probability=sampling_probability)

    @abstractmethod
    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(SamplableMechanism):
    """A sum of records of norm at most 1, plus normal noise.

    Dominated by N(1, s^2) against N(0, s^2), s the noise multiplier, when a record is added or
    removed (both directions alike), and by N(1, s^2) against N(-1, s^2) when one is replaced by
    another: the two sums then differ by up to 2. For other sensitivities, s is the noise's standard
    deviation divided by the sensitivity.

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
        if direction is Direction.REPLACE_SPECIAL:
            raise _no_pair(self, direction)
        if direction is Direction.REPLACE:  # N(-1) against N(1): the means are 2 apart
            return _gaussian(self.noise_multiplier / 2)
        return _gaussian(self.noise_multiplier)

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample."""
        if direction is Direction.REPLACE_SPECIAL:
            raise _no_pair(self.poisson_sampled(sampling_probability), direction)
        return _poisson_gaussian(direction, self.noise_multiplier, sampling_probability)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonSampled(Mechanism):
    """`mechanism` on a Poisson subsample; with a Gaussian, one step of DP-SGD.

    If N(1) against N(0), in units of the noise, dominates the Gaussian, then with sampling
    probability q the sampled one is dominated by

        removal:      (1 - q) N(0) + q N(1)   against  N(0),
        addition:     N(0)                    against  (1 - q) N(0) + q N(1),
        replacement:  (1 - q) N(0) + q N(-1)  against  (1 - q) N(0) + q N(1).

    q = 0 costs nothing; q = 1 is `mechanism` itself.

    Args:
        mechanism: What runs on the subsample.
        sampling_probability: q, in [0, 1].

    Source: Zhu, Dong & Wang (2022), Theorem 11; Lebeda et al. (2025), Proposition 13.
    """

    mechanism: SamplableMechanism
    sampling_probability: float

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, SamplableMechanism)
        q = _checks.probability("sampling_probability", self.sampling_probability)
        object.__setattr__(self, "sampling_probability", q)

    def simplified(self) -> Mechanism | None:
        """None at q = 0, the mechanism itself at q = 1."""
        if self.sampling_probability == 0:
            return None
        return self.mechanism if self.sampling_probability == 1 else self

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        return self.mechanism.sampled_pair(direction, self.sampling_probability)


def _no_pair(mechanism: Mechanism, direction: Direction) -> ValueError:
    return ValueError(f"{mechanism!r} has no dominating pair for adjacency {direction.value!r}")


@lru_cache(maxsize=1024)
def _gaussian(noise_multiplier: float) -> _core.DominatingPair:
    return _core.gaussian(noise_multiplier=noise_multiplier)


@lru_cache(maxsize=1024)
def _poisson_gaussian(
    direction: Direction, noise_multiplier: float, sampling_probability: float
) -> _core.DominatingPair:
    make = {
        Direction.REMOVE: _core.poisson_gaussian_remove,
        Direction.ADD: _core.poisson_gaussian_add,
        Direction.REPLACE: _core.poisson_gaussian_replace,
    }[direction]
    return make(noise_multiplier=noise_multiplier, sampling_probability=sampling_probability)
