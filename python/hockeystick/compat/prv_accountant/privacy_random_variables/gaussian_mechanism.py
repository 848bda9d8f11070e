# SPDX-License-Identifier: Apache-2.0
"""Gaussian noise."""

from typing import Any

import numpy as np

import hockeystick as hs
from hockeystick import outward
from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.privacy_random_variables import _normal
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    abstract_privacy_random_variable as abstract,
)
from hockeystick.given_cdf import Enclosed


class GaussianMechanism(abstract.KnownMechanism):
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
        return _normal.cdf(self._standard(t))

    def pdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """The density of the loss."""
        return _normal.pdf(self._standard(t)) / self.mu

    def _standard(self, t: Any) -> Any:  # noqa: ANN401
        return np.asarray(t, dtype=np.float64) / self.mu - self.mu / 2
