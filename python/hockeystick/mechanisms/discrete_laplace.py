# SPDX-License-Identifier: Apache-2.0
"""The discrete Laplace mechanism."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick._words import one_of
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

MAX_SENSITIVITY = 10**6


@dataclass(frozen=True, slots=True, repr=False)
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
        parameter: Inverse scale of the noise, in [1e-12, 1e3]. The next three are taken in its
            place; kept, and certified, is the nearest double.
        epsilon: What the mechanism guarantees when a record is added or removed [nats]: the
            parameter times the sensitivity.
        scale: One over the parameter, in the units of the data.
        noise_multiplier: The scale over the sensitivity: one over epsilon.
        sensitivity: A whole number in [1, 1e6].

    Cost: one atom a unit of sensitivity. Source: Ghosh, Roughgarden & Sundararajan (2012).

    >>> noise = DiscreteLaplace(parameter=0.5, sensitivity=2)
    >>> noise.epsilon(delta=1e-9) <= 0.5 * 2
    True
    """

    parameter: float
    sensitivity: int = 1

    def __init__(
        self,
        parameter: float | None = None,
        *,
        epsilon: float | None = None,
        scale: float | None = None,
        noise_multiplier: float | None = None,
        sensitivity: int = 1,
    ) -> None:
        others = {"epsilon": epsilon, "scale": scale, "noise_multiplier": noise_multiplier}
        name, noise = one_of(parameter=parameter, **others)
        moved = _checks.whole("sensitivity", sensitivity, 1, MAX_SENSITIVITY)
        if name != "parameter":
            number = _checks.positive(name, noise)
            noise = number / moved if name == "epsilon" else 1 / number
            if name == "noise_multiplier":
                noise /= moved
        noise = _checks.within("parameter", noise, *_checks.PURE_EPSILON)
        _checks.keep(self, parameter=noise, sensitivity=moved)
