# SPDX-License-Identifier: Apache-2.0
"""Laplace noise."""

from typing import Any

import numpy as np

import hockeystick as hs
from hockeystick import outward
from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    abstract_privacy_random_variable as abstract,
)
from hockeystick.given_cdf import Enclosed


class LaplaceMechanism(abstract.KnownMechanism):
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
