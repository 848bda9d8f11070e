# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism's privacy loss."""

import math

import numpy as np

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
from hockeystick.mechanisms import DiscreteGaussian

REACH = 11.6  # in units of sigma: beyond lies less than 1e-30


class DiscreteGaussianPrivacyLoss(AdditiveNoisePrivacyLoss):
    """Discrete Gaussian noise within the truncation bound, on a whole number."""

    sensitivity: int

    def __init__(
        self,
        sigma: float,
        sensitivity: int = 1,
        truncation_bound: int | None = None,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Sigma", sigma)
        whole(sensitivity)
        self._sigma = sigma
        bound = math.ceil(REACH * sigma) if truncation_bound is None else truncation_bound
        if 2 * bound < sensitivity:
            raise ValueError(
                f"Truncation bound ({truncation_bound}) is smaller than 0.5 * sensitivity "
                f"(0.5 * {sensitivity})"
            )
        self._truncation_bound = bound
        logs = np.append(-np.inf, -0.5 * (np.arange(-bound, bound + 1) / sigma) ** 2)
        sums = np.logaddexp.accumulate(logs)
        self._log_pmf_array, self._log_cdf_array = logs - sums[-1], sums - sums[-1]
        self._pmf_array, self._cdf_array = np.exp(self._log_pmf_array), np.exp(self._log_cdf_array)
        self._offset = -bound - 1
        super().__init__(sensitivity, True, sampling_prob, adjacency_type)

    def mechanism(self) -> DiscreteGaussian:
        """The mechanism without sampling."""
        return DiscreteGaussian(
            sigma=self._sigma, sensitivity=self.sensitivity, truncation=self._truncation_bound
        )

    def standard_deviation(self) -> float:
        """The standard deviation of the noise."""
        outcomes = np.arange(self._pmf_array.size) + self._offset
        return math.sqrt(float(np.sum(outcomes**2 * self._pmf_array)))

    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""
        cdf: Values = self._cdf_array[self._position(x)]
        return cdf

    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""
        cdf: Values = self._log_cdf_array[self._position(x)]
        return cdf

    def privacy_loss_tail(self) -> TailPrivacyLossDistribution:
        """The outcomes of finite loss, and the mass of +inf."""
        low, high = -self._truncation_bound, self._truncation_bound
        if self.sampling_prob == 1 and self.adjacency_type is AdjacencyType.ADD:
            low += self.sensitivity
        elif self.sampling_prob == 1:
            high -= self.sensitivity
        infinite = {math.inf: float(self.mu_upper_cdf(low - 1))}
        return TailPrivacyLossDistribution(low, high, infinite)

    def connect_dots_bounds(self) -> ConnectDotsBounds:
        """The outcomes of finite loss."""
        tail = self.privacy_loss_tail()
        return ConnectDotsBounds(
            lower_x=int(tail.lower_x_truncation), upper_x=int(tail.upper_x_truncation)
        )

    @classmethod
    def from_privacy_guarantee(  # type: ignore[override] # theirs
        cls,
        privacy_parameters: common.DifferentialPrivacyParameters,
        sensitivity: int = 1,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> "DiscreteGaussianPrivacyLoss":
        """The least noise whose removal direction is (epsilon, delta)-private, to 1e-7."""
        whole(sensitivity)
        epsilon, delta = privacy_parameters.epsilon, privacy_parameters.delta
        if delta == 0:
            raise ValueError("delta=0 is not allowed for discrete Gaussian mechanism")

        def delta_of(sigma: float) -> float:
            loss = cls(sigma, sensitivity, sampling_prob=sampling_prob)
            return float(loss.get_delta_for_epsilon(epsilon))

        guess = math.sqrt(2 * math.log(1.5 / delta)) * sensitivity / epsilon
        found = common.inverse_monotone_function(
            delta_of, delta, common.BinarySearchParameters(0, math.inf, initial_guess=guess)
        )
        assert found is not None
        return cls(found, sensitivity, None, sampling_prob, adjacency_type)

    def _position(self, x: Points) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        clipped = np.clip(common.as_array(x), self._offset, self._truncation_bound)
        return np.floor(clipped).astype(np.intp) - self._offset

    def _privacy_loss_without_subsampling_remove(self, x: float) -> float:
        bound = self._truncation_bound
        if not isinstance(x, int) or not -bound - self.sensitivity <= x <= bound:
            raise ValueError(f"Privacy loss at x is undefined for x = {x}")
        if x > bound - self.sensitivity:
            return -math.inf
        if x < -bound:
            return math.inf
        return self.sensitivity * (-0.5 * self.sensitivity - x) / self._sigma**2

    def _inverse_unsampled(self, privacy_loss: float) -> float:
        highest = self._truncation_bound - self.sensitivity
        if privacy_loss == -math.inf:
            return highest
        x = -0.5 * self.sensitivity - privacy_loss * self._sigma**2 / self.sensitivity
        return math.floor(min(max(x, self._offset), highest))
