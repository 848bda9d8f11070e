# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._words import one_of, relative_noise, without_sensitivity
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

_EPSILONS = 1 / _checks.MAX_NOISE, 1 / _checks.MIN_NOISE


@dataclass(frozen=True, slots=True, repr=False)
class Laplace(SamplableMechanism):
    """A number that a record changes by at most 1, plus Laplace noise.

    Dominated by Lap(1, b) against Lap(0, b), b the noise multiplier, when a record is added or
    removed (both directions alike) or made a special one that adds nothing, and by Lap(1, b)
    against Lap(-1, b) when one is replaced by another. The loss is bounded by 1 / b and takes both
    ends with positive probability.

    On a Poisson subsample there is no proved pair for replacing a record by any other.

    Args:
        noise_multiplier: b, the scale of the noise over the sensitivity; in [0.001, 1e12]. Not its
            standard deviation, which is sqrt(2) times the scale.
        scale: In its place, the scale in the units of the data; kept, and certified, is the double
            nearest to scale / sensitivity.
        epsilon: In its place, what the mechanism guarantees when a record is added or removed
            [nats]; kept, and certified, is the double nearest to 1 / epsilon.
        sensitivity: How far a record moves the number in the units of the data, 1 if it is not
            given; with `scale`.

    Source: Dwork, McSherry, Nissim & Smith (2006); Zhu, Dong & Wang (2022), Theorem 11.

    >>> Laplace(noise_multiplier=2).delta(epsilon=0.51)
    0.0
    """

    noise_multiplier: float

    def __init__(
        self,
        noise_multiplier: float | None = None,
        *,
        scale: float | None = None,
        epsilon: float | None = None,
        sensitivity: float | None = None,
    ) -> None:
        name, _ = one_of(noise_multiplier=noise_multiplier, scale=scale, epsilon=epsilon)
        if sensitivity is not None and name != "scale":
            raise without_sensitivity(name, "scale")
        if name == "epsilon":
            noise = 1 / _checks.within(name, epsilon, *_EPSILONS)
        else:
            noise = relative_noise(noise_multiplier, sensitivity, scale=scale)
        object.__setattr__(self, "noise_multiplier", noise)
