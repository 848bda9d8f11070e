# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism."""

import math
from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.mechanisms._pair import large_pair, sampled_atoms
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MAX_SENSITIVITY = 10**6
MAX_TRUNCATION = 10**15
MAX_ATOMS = 4 * 10**6
RADIUS = 38  # in units of sigma: beyond lies less than the smallest mass that counts


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(SamplableMechanism):
    """A whole-numbered sum of records plus discrete Gaussian noise.

    The noise is x with probability proportional to e^(-x^2 / (2 sigma^2)), x any integer, or any
    integer in [-truncation, truncation]. Adding or removing a record, or making it a special one
    that adds nothing, moves the sum by up to `sensitivity`: the pair is the noise against the
    noise moved that far. Replacing one moves it by up to twice that. Where only one of two
    truncated noises reaches, the privacy loss is infinite.

    Args:
        sigma: The noise's parameter, about its standard deviation; in [0.001, 1e12].
        sensitivity: A whole number in [1, 1e6].
        truncation: The farthest noise, a whole number in [1, 1e15]; None if there is no such.

    Raises:
        ValueError: More than 4e6 integers matter, of about 76 sigma, or 2 truncation, plus twice
            the sensitivity.

    Cost: O(sigma) or O(truncation), whichever is less. Source: Canonne, Kamath & Steinke (2020),
    Definition 1 and Proposition 25.

    >>> noise = DiscreteGaussian(sigma=10.0)
    >>> (100 * noise).epsilon(delta=1e-6) < 5.7
    True
    """

    sigma: float
    sensitivity: int = 1
    truncation: int | None = None

    def __post_init__(self) -> None:
        sigma = _checks.within("sigma", self.sigma, _checks.MIN_NOISE, _checks.MAX_NOISE)
        object.__setattr__(self, "sigma", sigma)
        sensitivity = _checks.whole("sensitivity", self.sensitivity, 1, MAX_SENSITIVITY)
        object.__setattr__(self, "sensitivity", sensitivity)
        if self.truncation is not None:
            truncation = _checks.whole("truncation", self.truncation, 1, MAX_TRUNCATION)
            object.__setattr__(self, "truncation", truncation)
        self._check_size()

    def _check_size(self) -> None:
        """Refuse what would take more than MAX_ATOMS, twice the sensitivity included."""
        room = (MAX_ATOMS - 2 * self.sensitivity) // 2 - 1
        if math.ceil(RADIUS * self.sigma) <= room:
            return
        if self.truncation is None:
            raise ValueError(
                f"sigma must be <= {room / RADIUS:.6g} where truncation is None "
                f"(at most {MAX_ATOMS} integers), got {self.sigma!r}"
            )
        if self.truncation > room:
            raise ValueError(
                f"truncation must be <= {room} where sigma is {self.sigma!r} "
                f"(at most {MAX_ATOMS} integers), got {self.truncation!r}"
            )

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        shift = self.sensitivity * (2 if direction.replaces else 1)
        return large_pair("discrete_gaussian", self.sigma, shift, self._bound)

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """As `dominating_pair`, of the mechanism on a Poisson subsample.

        Raises:
            ValueError: `direction` replaces a record.
        """
        parameters = (self.sigma, self.sensitivity, self._bound, sampling_probability)
        sampled = self.poisson_sampled(sampling_probability)
        return sampled_atoms(sampled, direction, "discrete_gaussian", *parameters)

    @property
    def _bound(self) -> float:
        return math.inf if self.truncation is None else self.truncation
