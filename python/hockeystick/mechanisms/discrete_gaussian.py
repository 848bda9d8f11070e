# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism."""

import math
from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._words import one_of
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MAX_SENSITIVITY = 10**6
MAX_TRUNCATION = 10**15
MAX_ATOMS = 4 * 10**6
RADIUS = 38  # in units of sigma: beyond lies less than the smallest mass that counts


@dataclass(frozen=True, slots=True, repr=False)
class DiscreteGaussian(SamplableMechanism):
    """A whole-numbered sum of records plus discrete Gaussian noise.

    The noise is x with probability proportional to e^(-x^2 / (2 sigma^2)), x any integer, or any
    integer in [-truncation, truncation]. Adding or removing a record, or making it a special one
    that adds nothing, moves the sum by up to `sensitivity`: the pair is the noise against the
    noise moved that far. Replacing one moves it by up to twice that. Where only one of two
    truncated noises reaches, the privacy loss is infinite.

    Args:
        sigma: The noise's parameter in the units of the data, about its standard deviation; in
            [0.001, 1e12].
        scale: The same.
        noise_multiplier: In its place, sigma over the sensitivity; kept, and certified, is the
            double nearest to the product of the two.
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

    def __init__(
        self,
        sigma: float | None = None,
        *,
        scale: float | None = None,
        noise_multiplier: float | None = None,
        sensitivity: int = 1,
        truncation: int | None = None,
    ) -> None:
        name, noise = one_of(sigma=sigma, scale=scale, noise_multiplier=noise_multiplier)
        moved = _checks.whole("sensitivity", sensitivity, 1, MAX_SENSITIVITY)
        if name == "noise_multiplier":
            name, noise = "sigma", _checks.noise_multiplier(noise) * moved
        noise = _checks.within(name, noise, _checks.MIN_NOISE, _checks.MAX_NOISE)
        if truncation is not None:
            truncation = _checks.whole("truncation", truncation, 1, MAX_TRUNCATION)
        object.__setattr__(self, "sigma", noise)
        object.__setattr__(self, "sensitivity", moved)
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
