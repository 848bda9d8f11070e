# SPDX-License-Identifier: Apache-2.0
"""Gaussian mechanisms whose noise over the sensitivity is known between two numbers."""

from dataclasses import dataclass
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick._words import spoken
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism, Pairs
from hockeystick.mechanisms.gaussian import Gaussian

_USUAL = Accuracy()


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
        _checks.keep(self, least_noise=least, most_noise=most)

    @spoken
    def poisson_sampled(self, sampling_probability: float) -> "SampledBetween":
        """The mechanism on a subsample that holds each record with `sampling_probability`."""
        return SampledBetween(mechanism=self, sampling_probability=sampling_probability)

    poisson_sampled.__qualname__ = "poisson_sampled"


@dataclass(frozen=True, slots=True, repr=False)
class SampledBetween(EnclosedMechanism):
    """A Gaussian mechanism with noise between two numbers, on a Poisson subsample.

    Args:
        mechanism: What runs on the subsample.
        sampling_probability: Of each record, in [0, 1].

    >>> import hockeystick as hs
    >>> step = GaussianBetween(least_noise=1.0, most_noise=1.001).poisson_sampled(0.01)
    >>> lower, upper = (1000 * step).epsilon_bounds(1e-6)
    >>> same = (1000 * hs.Gaussian(1.0).poisson_sampled(0.01)).epsilon(1e-6)
    >>> 0.99 * same < lower <= same <= 1.001 * upper
    True
    """

    made_by: ClassVar[str] = "poisson_sampled"
    mechanism: GaussianBetween
    sampling_probability: float

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, GaussianBetween)
        q = _checks.probability("sampling_probability", self.sampling_probability)
        _checks.keep(self, sampling_probability=q)

    def simplified(self) -> Mechanism | None:
        """None at probability 0, the mechanism itself at 1."""
        if self.sampling_probability == 0:
            return None
        return self.mechanism if self.sampling_probability == 1 else self

    def pair_above(self, direction: Direction, accuracy: Accuracy = _USUAL) -> _core.DominatingPair:
        """The pair of the least noise."""
        del accuracy
        return Gaussian(self.mechanism.least_noise).sampled_pair(
            direction, self.sampling_probability
        )

    def pairs_below(self, direction: Direction, accuracy: Accuracy = _USUAL) -> Pairs:
        """The pair of the most noise."""
        del accuracy
        most = Gaussian(self.mechanism.most_noise)
        return (most.sampled_pair(direction, self.sampling_probability),)
