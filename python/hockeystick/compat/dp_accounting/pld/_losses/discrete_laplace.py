# SPDX-License-Identifier: Apache-2.0
"""The discrete Laplace mechanism's privacy loss."""

import math

import numpy as np
from scipy import stats

from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._losses.additive import AdditiveNoisePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    ConnectDotsBounds,
    Points,
    TailPrivacyLossDistribution,
    Values,
    positive,
    whole,
)
from hockeystick.mechanisms import DiscreteLaplace


class DiscreteLaplacePrivacyLoss(AdditiveNoisePrivacyLoss):
    """Noise with probabilities proportional to e^(-parameter |x|) on a whole number."""

    sensitivity: int

    def __init__(
        self,
        parameter: float,
        sensitivity: int = 1,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Parameter", parameter)
        whole(sensitivity)
        self._parameter = parameter
        super().__init__(sensitivity, True, sampling_prob, adjacency_type)

    @property
    def parameter(self) -> float:
        """The inverse scale of the noise."""
        return self._parameter

    def mechanism(self) -> DiscreteLaplace:
        """The mechanism without sampling."""
        return DiscreteLaplace(parameter=self._parameter, sensitivity=self.sensitivity)

    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""
        cdf: Values = stats.dlaplace.cdf(x, self._parameter)
        return cdf

    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""
        cdf: Values = stats.dlaplace.logcdf(x, self._parameter)
        return cdf

    def privacy_loss_tail(self) -> TailPrivacyLossDistribution:
        """The outcomes within which the loss varies, and the masses of its two ends."""
        low = 1 if self.adjacency_type is AdjacencyType.ADD else 1 - self.sensitivity
        high = low + self.sensitivity - 2
        masses = {
            self.privacy_loss(low - 1): float(self.mu_upper_cdf(low - 1)),
            self.privacy_loss(high + 1): float(1 - self.mu_upper_cdf(high)),
        }
        return TailPrivacyLossDistribution(low, high, masses)

    def connect_dots_bounds(self) -> ConnectDotsBounds:
        """The outcomes beyond which the loss is constant."""
        low = 0 if self.adjacency_type is AdjacencyType.ADD else -self.sensitivity
        return ConnectDotsBounds(lower_x=low, upper_x=low + self.sensitivity)

    @classmethod
    def from_privacy_guarantee(  # type: ignore[override] # theirs
        cls,
        privacy_parameters: common.DifferentialPrivacyParameters,
        sensitivity: int = 1,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> "DiscreteLaplacePrivacyLoss":
        """The least noise that is epsilon-private."""
        whole(sensitivity)
        positive("Sensitivity", sensitivity)
        if not sampling_prob > 0 or math.isclose(sampling_prob, 0):
            raise ValueError(f"Sampling probability ({sampling_prob}) is equal or too close to 0.")
        unsampled = float(np.log1p(np.expm1(privacy_parameters.epsilon) / sampling_prob))
        return cls(unsampled / sensitivity, sensitivity, sampling_prob, adjacency_type)

    def _privacy_loss_without_subsampling_remove(self, x: float) -> float:
        if not isinstance(x, int):
            raise ValueError(f"Privacy loss at x is undefined for x = {x}")  # noqa: TRY004
        return (abs(x) - abs(x + self.sensitivity)) * self._parameter

    def _inverse_unsampled(self, privacy_loss: float) -> float:
        threshold = privacy_loss / self._parameter
        if threshold > self.sensitivity:
            return -math.inf
        if threshold <= -self.sensitivity:
            return math.inf
        return math.floor(0.5 * (-self.sensitivity - threshold))
