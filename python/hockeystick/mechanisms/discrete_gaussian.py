# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism."""

import math
from dataclasses import dataclass

from hockeystick import _checks, _core
from hockeystick._words import one_of
from hockeystick.composition import Mechanism
from hockeystick.mechanisms.gaussian_between import GaussianBetween
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MAX_SENSITIVITY = 10**6
MAX_TRUNCATION = 10**15
MAX_ATOMS = 4 * 10**6
MAX_SIGMA = 9e11  # of noise that is not listed
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
            [0.001, 9e11]. Where more than 4e6 integers matter, about 76 sigma plus twice the
            sensitivity, it is certified between two Gaussians that differ by less than 4e-9 of
            their noise, and is neither sampled nor allocated.
        scale: The same.
        noise_multiplier: In its place, sigma over the sensitivity; kept, and certified, is the
            double nearest to the product of the two.
        sensitivity: A whole number in [1, 1e6].
        truncation: The farthest noise, a whole number in [1, 1e15]; None if there is no such.

    Raises:
        ValueError: More than 4e6 integers matter of a noise that is truncated: 2 truncation plus
            twice the sensitivity, if that is less than without truncation.

    Cost: O(sigma) or O(truncation), whichever is less. Source: Canonne, Kamath & Steinke (2020),
    Definition 1 and Proposition 25.

    >>> import hockeystick as hs
    >>> noise = DiscreteGaussian(sigma=10.0)
    >>> (100 * noise).epsilon(delta=1e-6) < 5.7
    True
    >>> sums_of_money = DiscreteGaussian(sigma=1e6, sensitivity=50_000)
    >>> abs(sums_of_money.epsilon(1e-6) / hs.Gaussian(20.0).epsilon(1e-6) - 1) < 1e-7
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
        _checks.keep(self, sigma=noise, sensitivity=moved, truncation=truncation)
        if truncation is None and not self._is_listed:
            _checks.within(name, noise, _checks.MIN_NOISE, MAX_SIGMA)
        elif not self._is_listed:
            raise ValueError(
                f"truncation must be <= {self._room} where sigma is {self.sigma!r} "
                f"(at most {MAX_ATOMS} integers), got {truncation!r}"
            )

    @property
    def _room(self) -> int:
        """The number of integers that may be listed on each side."""
        return (MAX_ATOMS - 2 * self.sensitivity) // 2 - 1

    @property
    def _is_listed(self) -> bool:
        farthest = math.inf if self.truncation is None else self.truncation
        return min(math.ceil(RADIUS * self.sigma), farthest) <= self._room

    def simplified(self) -> Mechanism | None:
        """Noise of more than 4e6 integers is known between two Gaussians."""
        if self._is_listed:
            return self
        least, most = _core.gaussians_about(self.sigma, self.sensitivity)
        return GaussianBetween(least_noise=least, most_noise=most)
