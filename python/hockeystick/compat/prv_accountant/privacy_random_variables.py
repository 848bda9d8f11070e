# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.privacy_random_variables``: what can be composed."""

from collections.abc import Callable
from typing import Any

import hockeystick as hs
from hockeystick import given_cdf
from hockeystick.compat import _arguments
from hockeystick.compat._quotient import around
from hockeystick.given_cdf import Allowance, Enclosed

__all__ = [
    "ApproximateDPMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "PoissonSubsampledGaussianMechanism",
    "PrivacyRandomVariable",
    "PureDPMechanism",
]


class PrivacyRandomVariable:
    """The privacy loss of a mechanism: one of this module's, or a subclass that has a `cdf`.

    A subclass needs no more. `pm_inf` may say how much of the loss is infinite; `mean`, `pdf`,
    `probability` and `rdp`, which the original may ask for, are not.
    """

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, ARG002, as theirs
        """P(L <= t) of the loss L [nats] where it is finite, elementwise on arrays.

        It must be that of a privacy loss, E[exp(-L)] <= 1, and its numbers are taken as true but
        for what `delta_error` allows for.
        """
        raise TypeError(f"prvs must have a cdf, got {type(self)!r}")

    @property
    def pm_inf(self) -> float:
        """P(L = inf)."""
        return 0.0

    def enclosed(self, allowance: Allowance) -> Enclosed:
        """What is composed in the place of the mechanism, for a lower and for an upper bound.

        Raises:
            ValueError: `cdf` or `pm_inf` is none of a privacy loss, or takes too fine a grid.
            TypeError: A subclass has no `cdf`.
        """
        kind = type(self)
        if kind.cdf is PrivacyRandomVariable.cdf:
            raise TypeError(f"prvs must be mechanisms of this module or have a cdf, got {kind!r}")
        infinite = _arguments.probability("pm_inf", self.pm_inf)
        if infinite == 0:
            return given_cdf.enclosed(self.cdf, allowance)
        # The loss is a finite one plus another, which is 0 or inf.
        rest = hs.ApproximateDP(epsilon=0, delta=infinite)
        finite = given_cdf.enclosed(self.cdf, allowance)
        return finite._replace(
            more_private=finite.more_private + rest, less_private=finite.less_private + rest
        )


class KnownMechanism(PrivacyRandomVariable):
    """One that this library has a dominating pair of."""

    _enclosed: Enclosed

    def enclosed(self, allowance: Allowance) -> Enclosed:  # noqa: ARG002
        """What is composed in its place; nothing has to be allowed for."""
        return self._enclosed


class PoissonSubsampledGaussianMechanism(KnownMechanism):
    """(1 - q) N(0, sigma^2) + q N(1, sigma^2) against N(0, sigma^2): one step of DP-SGD.

    Args:
        sampling_probability: q, in [0, 1].
        noise_multiplier: sigma, in [0.001, 1e12].
    """

    def __init__(self, sampling_probability: float, noise_multiplier: float) -> None:
        step = hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)
        self._enclosed = Enclosed(step, step)


class GaussianMechanism(KnownMechanism):
    """N(s, sigma^2) against N(0, sigma^2).

    Args:
        noise_multiplier: sigma, > 0; sigma / s in [0.001, 1e12].
        l2_sensitivity: s, > 0.
    """

    def __init__(self, noise_multiplier: float, l2_sensitivity: float = 1.0) -> None:
        noise = _arguments.positive("noise_multiplier", noise_multiplier)
        sensitivity = _arguments.positive("l2_sensitivity", l2_sensitivity)
        make = lambda noise: hs.Gaussian(noise_multiplier=noise)  # noqa: E731
        self._enclosed = _of_quotient(make, noise, sensitivity)


class LaplaceMechanism(KnownMechanism):
    """Lap(mu, 1) against Lap(0, 1).

    Args:
        mu: Sensitivity over the scale of the noise; in [1e-12, 1000].
    """

    def __init__(self, mu: float) -> None:
        make = lambda noise: hs.Laplace(noise_multiplier=noise)  # noqa: E731
        self._enclosed = _of_quotient(make, 1.0, _arguments.positive("mu", mu))


class ApproximateDPMechanism(KnownMechanism):
    """Any (epsilon, delta)-differentially private mechanism.

    Args:
        epsilon: In [0, 1e4] nats.
        delta: In [0, 1].
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        guarantee = hs.ApproximateDP(epsilon=epsilon, delta=delta)
        self._enclosed = Enclosed(guarantee, guarantee)


class PureDPMechanism(ApproximateDPMechanism):
    """Any eps-differentially private mechanism.

    Args:
        eps: In [0, 1e4] nats.
    """

    def __init__(self, eps: float) -> None:
        super().__init__(eps, 0.0)


def _of_quotient(make: Callable[[float], hs.Mechanism], over: float, under: float) -> Enclosed:
    """`make` of the noise over / under: the more of it, the more private."""
    less, more = around(over, under)
    return Enclosed(more_private=make(more), less_private=make(less))
