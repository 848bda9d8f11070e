# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism's privacy loss."""

import math

import numpy as np
from scipy import stats

from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._losses.additive import AdditiveNoisePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    Points,
    TailPrivacyLossDistribution,
    Values,
    positive,
)
from hockeystick.mechanisms import Laplace


class LaplacePrivacyLoss(AdditiveNoisePrivacyLoss):
    """Laplace noise of scale `parameter` on a number of the given sensitivity."""

    def __init__(
        self,
        parameter: float,
        sensitivity: float = 1,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Parameter", parameter)
        self._parameter = parameter
        super().__init__(sensitivity, False, sampling_prob, adjacency_type)

    @property
    def parameter(self) -> float:
        """The scale of the noise."""
        return self._parameter

    def mechanism(self) -> Laplace:
        """The mechanism without sampling."""
        return Laplace(noise_multiplier=self._parameter / self.sensitivity)

    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""
        cdf: Values = stats.laplace.cdf(x, scale=self._parameter)
        return cdf

    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""
        cdf: Values = stats.laplace.logcdf(x, scale=self._parameter)
        return cdf

    def privacy_loss_tail(self) -> TailPrivacyLossDistribution:
        """The outcomes beyond which the loss is constant, and those constants' masses."""
        low = 0.0 if self.adjacency_type is AdjacencyType.ADD else -self.sensitivity
        high = low + self.sensitivity
        beyond = stats.laplace.sf(high, scale=self._parameter)
        if self.adjacency_type is AdjacencyType.REMOVE:
            q = self.sampling_prob
            beyond = (1 - q) * beyond + q * stats.laplace.sf(
                high + self.sensitivity, scale=self._parameter
            )
        masses = {
            self.privacy_loss(low): float(self.mu_upper_cdf(low)),
            self.privacy_loss(high): float(beyond),
        }
        return TailPrivacyLossDistribution(low, high, masses)

    @classmethod
    def from_privacy_guarantee(
        cls,
        privacy_parameters: common.DifferentialPrivacyParameters,
        sensitivity: float = 1,
        pessimistic_estimate: bool = True,  # noqa: ARG003
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> "LaplacePrivacyLoss":
        """The least noise that is epsilon-private."""
        unsampled = np.log1p(np.expm1(privacy_parameters.epsilon) / sampling_prob)
        return cls(sensitivity / unsampled, sensitivity, sampling_prob, adjacency_type)

    def _privacy_loss_without_subsampling_remove(self, x: float) -> float:
        return (abs(x) - abs(x + self.sensitivity)) / self._parameter

    def _inverse_unsampled(self, privacy_loss: float) -> float:
        threshold = privacy_loss * self._parameter
        if threshold > self.sensitivity * (1 + 2**-48):  # the largest loss, but for rounding
            return -math.inf
        if threshold <= -self.sensitivity:
            return math.inf
        return 0.5 * (-self.sensitivity - threshold)
