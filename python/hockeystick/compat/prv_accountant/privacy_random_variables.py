# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.privacy_random_variables``: what can be composed."""

from collections.abc import Callable
from typing import NamedTuple

from hockeystick import _checks
from hockeystick.compat._quotient import around
from hockeystick.composition import Mechanism
from hockeystick.mechanisms import ApproximateDP, Gaussian, Laplace

__all__ = [
    "ApproximateDPMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PureDPMechanism",
]


class Enclosed(NamedTuple):
    """Two mechanisms with what is meant between them; one and the same where it is representable.

    They differ where a quotient of two arguments is not a binary64 number.
    """

    more_private: Mechanism
    less_private: Mechanism


class PrivacyRandomVariable:
    """The privacy loss of a mechanism; made by the classes of this module."""

    _enclosed: Enclosed

    @property
    def enclosed(self) -> Enclosed:
        """What is composed in the place of the mechanism, for a lower and for an upper bound."""
        try:
            return self._enclosed
        except AttributeError:
            kind = type(self).__name__
            raise TypeError(
                f"prvs must be mechanisms that hockeystick knows, got a {kind}; one known by its "
                "cdf alone has its place in hockeystick.compat.dp_accounting.pld, create_from_cdf"
            ) from None


class PoissonSubsampledGaussianMechanism(PrivacyRandomVariable):
    """(1 - q) N(0, sigma^2) + q N(1, sigma^2) against N(0, sigma^2): one step of DP-SGD.

    Args:
        sampling_probability: q, in [0, 1].
        noise_multiplier: sigma, in [0.001, 1e12].
    """

    def __init__(self, sampling_probability: float, noise_multiplier: float) -> None:
        step = Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)
        self._enclosed = Enclosed(step, step)


class GaussianMechanism(PrivacyRandomVariable):
    """N(s, sigma^2) against N(0, sigma^2).

    Args:
        noise_multiplier: sigma, > 0; sigma / s in [0.001, 1e12].
        l2_sensitivity: s, > 0.
    """

    def __init__(self, noise_multiplier: float, l2_sensitivity: float = 1.0) -> None:
        noise = _checks.positive("noise_multiplier", noise_multiplier)
        sensitivity = _checks.positive("l2_sensitivity", l2_sensitivity)
        make = lambda noise: Gaussian(noise_multiplier=noise)  # noqa: E731
        self._enclosed = _of_quotient(make, noise, sensitivity)


class LaplaceMechanism(PrivacyRandomVariable):
    """Lap(mu, 1) against Lap(0, 1).

    Args:
        mu: Sensitivity over the scale of the noise; in [1e-12, 1000].
    """

    def __init__(self, mu: float) -> None:
        make = lambda noise: Laplace(noise_multiplier=noise)  # noqa: E731
        self._enclosed = _of_quotient(make, 1.0, _checks.positive("mu", mu))


class ApproximateDPMechanism(PrivacyRandomVariable):
    """Any (epsilon, delta)-differentially private mechanism.

    Args:
        epsilon: In [0, 1e4] nats.
        delta: In [0, 1].
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        guarantee = ApproximateDP(epsilon=epsilon, delta=delta)
        self._enclosed = Enclosed(guarantee, guarantee)


class PureDPMechanism(ApproximateDPMechanism):
    """Any eps-differentially private mechanism.

    Args:
        eps: In [0, 1e4] nats.
    """

    def __init__(self, eps: float) -> None:
        super().__init__(eps, 0.0)


def _of_quotient(make: Callable[[float], Mechanism], over: float, under: float) -> Enclosed:
    """`make` of the noise over / under: the more of it, the more private."""
    less, more = around(over, under)
    return Enclosed(more_private=make(more), less_private=make(less))
