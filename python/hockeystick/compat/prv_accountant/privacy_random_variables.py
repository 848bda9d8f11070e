# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.privacy_random_variables``: what can be composed."""

import math
from typing import Any, NoReturn

import numpy as np

import hockeystick as hs
from hockeystick import given_cdf, outward
from hockeystick.compat import _arguments
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
    """The privacy loss of a mechanism: one of this package's, or a subclass that has a `cdf`.

    A subclass needs no more. `pm_inf` may say how much of the loss is infinite; `mean`, `pdf`,
    `probability` and `rdp`, which the original may ask for, are not needed.
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

    def probability(self, a: Any, b: Any) -> Any:  # noqa: ANN401, as theirs
        """P(a < L <= b) of finite losses, elementwise."""
        return self.cdf(b) - self.cdf(a)

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, ARG002, as theirs
        """The density of finite losses, where there is one."""
        self._lacks("pdf")

    def mean(self) -> float:
        """E[L] of finite losses."""
        self._lacks("mean")

    def rdp(self, alpha: float) -> float:  # noqa: ARG002
        """The Renyi divergence of order `alpha` of finite losses [nats]."""
        self._lacks("rdp")

    def _lacks(self, name: str) -> NoReturn:
        # As prv_accountant: a mechanism of the user may have no more than its cdf.
        raise NotImplementedError(f"{type(self)} has no {name}")

    def enclosed(self, allowance: Allowance) -> Enclosed:
        """What is composed in the place of the mechanism, for a lower and for an upper bound.

        Raises:
            ValueError: `cdf` or `pm_inf` is none of a privacy loss, or takes too fine a grid.
            TypeError: A subclass has no `cdf`.
        """
        kind = type(self)
        if kind.cdf is PrivacyRandomVariable.cdf:
            raise TypeError(f"prvs must be mechanisms of this module or have a cdf, got {kind!r}")
        finite = given_cdf.enclosed(self.cdf, allowance)
        pm_inf = _arguments.probability("pm_inf", self.pm_inf)
        if pm_inf == 0:
            return finite
        leak = hs.ApproximateDP(epsilon=0, delta=pm_inf)
        return finite._replace(
            more_private=finite.more_private + leak, less_private=finite.less_private + leak
        )


class KnownMechanism(PrivacyRandomVariable):
    """One that this library has a dominating pair of.

    `mean` and `rdp` are certified upper bounds; `cdf` and `pdf` are to look at, right but for
    rounding. No answer is made of them.
    """

    _enclosed: Enclosed

    def enclosed(self, allowance: Allowance) -> Enclosed:  # noqa: ARG002
        """What is composed in its place; nothing has to be allowed for."""
        return self._enclosed

    @property
    def _finite(self) -> hs.Mechanism | hs.Composition:
        """What dominates the same where the loss is finite."""
        return self._enclosed.less_private

    def mean(self) -> float:
        """Certified upper bound of E[L] of finite losses."""
        return self._finite.loss_mean(adjacency=hs.Adjacency.REMOVE_ONE)

    def rdp(self, alpha: float) -> float:
        """Certified upper bound of the Renyi divergence of order `alpha`, of finite losses."""
        return float(self._finite.renyi_divergence(alpha, adjacency=hs.Adjacency.REMOVE_ONE))


class ApproximateDPMechanism(KnownMechanism):
    """Any (epsilon, delta)-differentially private mechanism.

    Args:
        epsilon: In [0, 1e4] nats.
        delta: In [0, 1].
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        guarantee = hs.ApproximateDP(epsilon=epsilon, delta=delta)
        self._enclosed = Enclosed(guarantee, guarantee)
        self._epsilon: float = float(epsilon)
        self.delta: float = float(delta)

    @property
    def pm_inf(self) -> float:
        """P(L = inf)."""
        return self.delta

    @property
    def _finite(self) -> hs.Mechanism:
        return hs.ApproximateDP(epsilon=self._epsilon, delta=0.0)

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t) of finite losses, which are epsilon or -epsilon."""
        at, epsilon = np.asarray(t, dtype=np.float64), self._epsilon
        low = math.exp(-epsilon) / (1 + math.exp(-epsilon))
        return np.where(at >= epsilon, 1.0, np.where(at >= -epsilon, low, 0.0))


class PureDPMechanism(ApproximateDPMechanism):
    """Any eps-differentially private mechanism.

    Args:
        eps: In [0, 1e4] nats.
    """

    def __init__(self, eps: float) -> None:
        super().__init__(eps, 0.0)
        self.eps: float = self._epsilon


class GaussianMechanism(KnownMechanism):
    """N(s, sigma^2) against N(0, sigma^2).

    Args:
        noise_multiplier: sigma, > 0; sigma / s in [0.001, 1e12].
        l2_sensitivity: s, > 0.
    """

    def __init__(self, noise_multiplier: float, l2_sensitivity: float = 1.0) -> None:
        noise = _arguments.positive("noise_multiplier", noise_multiplier)
        sensitivity = _arguments.positive("l2_sensitivity", l2_sensitivity)
        less, more = (outward.quotient(noise, sensitivity, above=side) for side in (False, True))
        self._enclosed = Enclosed(
            more_private=hs.Gaussian(noise_multiplier=more),
            less_private=hs.Gaussian(noise_multiplier=less),
        )
        self.mu: float = sensitivity / noise

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t): the loss is N(mu^2 / 2, mu^2)."""
        return _normal_cdf(self._standard(t))

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """The density of the loss."""
        return _normal_pdf(self._standard(t)) / self.mu

    def _standard(self, t: Any) -> Any:  # noqa: ANN401
        return np.asarray(t, dtype=np.float64) / self.mu - self.mu / 2


class LaplaceMechanism(KnownMechanism):
    """Lap(mu, 1) against Lap(0, 1). Its loss has atoms at both ends, hence no `pdf`.

    Args:
        mu: Sensitivity over the scale of the noise; in (1e-12, 1000).
    """

    def __init__(self, mu: float) -> None:
        self.mu: float = _arguments.positive("mu", mu)
        less, more = (outward.quotient(1.0, self.mu, above=side) for side in (False, True))
        self._enclosed = Enclosed(
            more_private=hs.Laplace(noise_multiplier=more),
            less_private=hs.Laplace(noise_multiplier=less),
        )

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t)."""
        at = np.asarray(t, dtype=np.float64)
        inside = np.exp((np.minimum(at, self.mu) - self.mu) / 2) / 2
        return np.where(at >= self.mu, 1.0, np.where(at >= -self.mu, inside, 0.0))


class PoissonSubsampledGaussianMechanism(KnownMechanism):
    """(1 - q) N(0, sigma^2) + q N(1, sigma^2) against N(0, sigma^2): one step of DP-SGD.

    Args:
        sampling_probability: q, in [0, 1].
        noise_multiplier: sigma, in [0.001, 1e12].
    """

    def __init__(self, sampling_probability: float, noise_multiplier: float) -> None:
        step = hs.Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)
        self._enclosed = Enclosed(step, step)
        self.p: float = float(sampling_probability)
        self.sigma: float = float(noise_multiplier)

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t): no loss is below log(1 - q)."""
        if self.p == 0:
            return np.where(np.asarray(t) >= 0, 1.0, 0.0)
        low, high = self._around(t)
        return (1 - self.p) * _normal_cdf(low) + self.p * _normal_cdf(high)

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """The density of the loss, for q > 0."""
        if self.p == 0:
            self._lacks("pdf")
        low, high = self._around(t)
        mixture = (1 - self.p) * _normal_pdf(low) + self.p * _normal_pdf(high)
        left = math.log1p(-self.p) if self.p < 1 else -math.inf
        with np.errstate(all="ignore"):  # where no loss is
            density = mixture * self.sigma / -np.expm1(left - np.asarray(t, dtype=np.float64))
        return np.where(np.isfinite(low), density, 0.0)

    def _around(self, t: Any) -> Any:  # noqa: ANN401
        """Where the loss is t, less either mean, in units of sigma; -inf where no loss is."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            odds = np.log(np.expm1(np.asarray(t, dtype=np.float64)) / self.p + 1)
        point = np.where(np.isnan(odds), -np.inf, odds) * self.sigma
        return point + 0.5 / self.sigma, point - 0.5 / self.sigma


_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _normal_cdf(x: Any) -> Any:  # noqa: ANN401
    """P(X <= x) of a normal X, with its relative accuracy in the lower tail."""
    return _erfc(np.asarray(x) * -math.sqrt(0.5)) / 2


def _normal_pdf(x: Any) -> Any:  # noqa: ANN401
    return np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi)
