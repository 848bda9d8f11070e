# SPDX-License-Identifier: Apache-2.0
"""Any mechanism with an (epsilon, delta) guarantee."""

import math
from typing import Any

import numpy as np

import hockeystick as hs
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    abstract_privacy_random_variable as abstract,
)
from hockeystick.given_cdf import Enclosed


class ApproximateDPMechanism(abstract.KnownMechanism):
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
    def _finite(self) -> Enclosed:
        guarantee = hs.ApproximateDP(epsilon=self._epsilon, delta=0.0)
        return Enclosed(guarantee, guarantee)

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t) of finite losses, which are epsilon or -epsilon."""
        at, epsilon = np.asarray(t, dtype=np.float64), self._epsilon
        low = math.exp(-epsilon) / (1 + math.exp(-epsilon))
        return np.where(at >= epsilon, 1.0, np.where(at >= -epsilon, low, 0.0))
