# SPDX-License-Identifier: Apache-2.0
"""Gaussian mechanisms whose noise over the sensitivity is known between two numbers."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.mechanisms._enclosed import EnclosedMechanism


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GaussianBetween(EnclosedMechanism):
    """A Gaussian mechanism whose noise multiplier is known to lie between two numbers.

    As where its sensitivity is enclosed, and not known. Upper bounds are those of the least noise,
    lower ones those of the most.

    Args:
        least_noise: In [0.001, 1e12].
        most_noise: In [least_noise, 1e12].

    >>> import hockeystick as hs
    >>> lower, upper = GaussianBetween(least_noise=1.0, most_noise=1.001).epsilon_bounds(1e-6)
    >>> upper >= hs.Gaussian(1.0).epsilon(1e-6) > lower > 0.998 * upper
    True
    """

    least_noise: float
    most_noise: float

    def __post_init__(self) -> None:
        least = _checks.noise_multiplier(self.least_noise, "least_noise")
        most = _checks.within("most_noise", self.most_noise, least, _checks.MAX_NOISE)
        object.__setattr__(self, "least_noise", least)
        object.__setattr__(self, "most_noise", most)
