# SPDX-License-Identifier: Apache-2.0
"""Any mechanism with a guarantee without a delta."""

from hockeystick.compat.prv_accountant.privacy_random_variables.approximate_dp import (
    ApproximateDPMechanism,
)


class PureDPMechanism(ApproximateDPMechanism):
    """Any eps-differentially private mechanism.

    Args:
        eps: In [0, 1e4] nats.
    """

    def __init__(self, eps: float) -> None:
        super().__init__(eps, 0.0)
        self.eps: float = self._epsilon
