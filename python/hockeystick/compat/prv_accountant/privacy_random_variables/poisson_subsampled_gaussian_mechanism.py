# SPDX-License-Identifier: Apache-2.0
"""One step of DP-SGD."""

import math
from typing import Any

import numpy as np

import hockeystick as hs
from hockeystick.compat.prv_accountant.privacy_random_variables import _normal
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    abstract_privacy_random_variable as abstract,
)
from hockeystick.given_cdf import Enclosed


class PoissonSubsampledGaussianMechanism(abstract.KnownMechanism):
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
        return (1 - self.p) * _normal.cdf(low) + self.p * _normal.cdf(high)

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """The density of the loss, for q > 0."""
        if self.p == 0:
            self._lacks("pdf")
        low, high = self._around(t)
        mixture = (1 - self.p) * _normal.pdf(low) + self.p * _normal.pdf(high)
        left = math.log1p(-self.p) if self.p < 1 else -math.inf
        with np.errstate(all="ignore"):  # where no loss is
            density = mixture * self.sigma / -np.expm1(left - np.asarray(t, dtype=np.float64))
        return np.where(np.isfinite(low), density, 0.0)

    def _around(self, t: Any) -> Any:  # noqa: ANN401
        """The outputs at which the loss is t, less either mean, in units of sigma."""
        with np.errstate(over="ignore"):
            odds = log(np.expm1(np.asarray(t, dtype=np.float64)) / self.p + 1)
        point = np.where(np.isnan(odds), -np.inf, odds) * self.sigma
        return point + 0.5 / self.sigma, point - 0.5 / self.sigma


def log(x: Any) -> Any:  # noqa: ANN401, as theirs
    """The natural logarithm: -inf of 0 and nan of less, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x)
