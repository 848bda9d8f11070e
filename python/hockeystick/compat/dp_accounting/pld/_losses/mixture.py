# SPDX-License-Identifier: Apache-2.0
"""The privacy loss of a Gaussian mechanism whose sensitivity is random."""

import math
import numbers
from collections.abc import Sequence

import numpy as np
from scipy import special

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    MonotonePrivacyLoss,
    Points,
    TailPrivacyLossDistribution,
    Values,
    positive,
)
from hockeystick.mechanisms import GaussianMixture


class MixtureGaussianPrivacyLoss(MonotonePrivacyLoss):
    """sum_i p_i N(-s_i, sigma^2) against N(0, sigma^2) (REMOVE), or N(0) against that of s_i."""

    def __init__(
        self,
        standard_deviation: float,
        sensitivities: Sequence[float],
        sampling_probs: Sequence[float],
        pessimistic_estimate: bool = True,
        log_mass_truncation_bound: float = -50,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Standard deviation", standard_deviation)
        if not log_mass_truncation_bound <= 0:
            raise ValueError(
                f"Log mass truncation bound is not a non-positive real number: "
                f"{log_mass_truncation_bound}"
            )
        if len(sampling_probs) != len(sensitivities):
            raise ValueError(
                f"sensitivities and sampling_probs must have the same length. Got "
                f"{len(sensitivities)} and {len(sampling_probs)}."
            )
        super().__init__(is_discrete=False)
        weights = np.asarray(sampling_probs, dtype=np.float64)
        self.sensitivities: FloatArray = np.asarray(sensitivities, dtype=np.float64)[weights != 0]
        self.sampling_probs: FloatArray = weights[weights != 0]
        self.adjacency_type = adjacency_type
        _check_mixture(self.sensitivities, self.sampling_probs)
        self._standard_deviation = standard_deviation
        self._variance = standard_deviation**2
        self._pessimistic_estimate = pessimistic_estimate
        self._log_mass_truncation_bound = log_mass_truncation_bound
        self._sampling_prob = min(1.0, float(self.sampling_probs[self.sensitivities > 0].sum()))

    def mechanism(self) -> GaussianMixture:
        """The mechanism itself."""
        return GaussianMixture(
            standard_deviation=self._standard_deviation,
            sensitivities=tuple(self.sensitivities.tolist()),
            probabilities=tuple(self.sampling_probs.tolist()),
        )

    def pair(self) -> _core.DominatingPair:
        """The pair of upper and lower distribution."""
        self._check_adjacency()
        return self.mechanism().dominating_pair(self.adjacency_type.direction)

    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""
        cdf: Values = special.ndtr(common.as_array(x) / self._standard_deviation)
        return cdf

    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""
        cdf: Values = special.log_ndtr(common.as_array(x) / self._standard_deviation)
        return cdf

    def mu_upper_cdf(self, x: Points) -> Values:
        """P(outcome <= x) of the upper distribution."""
        self._check_adjacency()
        if self.adjacency_type is AdjacencyType.ADD:
            return self.noise_cdf(x)
        moved = np.add.outer(np.atleast_1d(common.as_array(x)), self.sensitivities)
        cdf = np.asarray(self.noise_cdf(moved)) @ self.sampling_probs
        return float(cdf[0]) if isinstance(x, numbers.Number) else cdf

    def mu_lower_log_cdf(self, x: Points) -> Values:
        """log P(outcome <= x) of the lower distribution."""
        self._check_adjacency()
        if self.adjacency_type is AdjacencyType.REMOVE:
            return self.noise_log_cdf(x)
        moved = np.subtract.outer(np.atleast_1d(common.as_array(x)), self.sensitivities)
        cdf: FloatArray = special.logsumexp(
            self.noise_log_cdf(moved), axis=1, b=self.sampling_probs
        )
        return float(cdf[0]) if isinstance(x, numbers.Number) else cdf

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> Values:
        """Upper bound of delta, certified; a float, or an array like `epsilon`, which increases."""
        if np.any(np.diff(np.atleast_1d(common.as_array(epsilon))) < 0):
            raise ValueError(f"Epsilon values must be non-decreasing: {epsilon}")
        return super().get_delta_for_epsilon(epsilon)

    def privacy_loss_tail(self, precision: float = 1e-4) -> TailPrivacyLossDistribution:
        """The outcomes beyond which e^log_mass_truncation_bound / 2 lies, to `precision`."""
        self._check_adjacency()
        tail = 0.5 * math.exp(self._log_mass_truncation_bound)
        log_tail = self._log_mass_truncation_bound - math.log(2)
        low = self._standard_deviation * float(special.ndtri_exp(log_tail))
        high = -low
        if self.adjacency_type is AdjacencyType.REMOVE:
            farthest = low - float(self.sensitivities.max())
            search = common.BinarySearchParameters(farthest, low, tolerance=precision)
            found = common.inverse_monotone_function(
                lambda x: float(self.mu_upper_cdf(x)), tail, search, increasing=True
            )
            low = farthest if found is None else found
        if self._pessimistic_estimate:
            masses = {
                math.inf: float(self.mu_upper_cdf(low)),
                self.privacy_loss(high): 1 - float(self.mu_upper_cdf(high)),
            }
        else:
            masses = {self.privacy_loss(low): float(self.mu_upper_cdf(low))}
        return TailPrivacyLossDistribution(low, high, masses)

    def privacy_loss(self, x: float) -> float:
        """The privacy loss of the outcome x [nats]."""
        self._check_adjacency()
        sign = self._sign
        moved = sign * self.sensitivities * x - 0.5 * self.sensitivities**2
        return -sign * float(special.logsumexp(moved / self._variance, b=self.sampling_probs))

    def privacy_loss_for_single_gaussian(self, x: Values, sensitivity: Values = 1.0) -> FloatArray:
        """The privacy loss of outcomes if the sensitivity were this one alone."""
        self._check_adjacency()
        half = 0.5 * self._sign
        loss: FloatArray = sensitivity * (half * sensitivity - np.atleast_1d(x)) / self._variance
        return loss

    def inverse_privacy_loss_for_single_gaussian(
        self, privacy_loss: Values, sensitivity: Values = 1.0
    ) -> Values:
        """The outcomes of these losses if the sensitivity were this one alone."""
        self._check_adjacency()
        half = 0.5 * self._sign
        return half * sensitivity - privacy_loss * self._variance / sensitivity

    def inverse_privacy_loss(self, privacy_loss: float, precision: float = 1e-6) -> float:
        """As ``inverse_privacy_losses``, of one loss."""
        return float(self.inverse_privacy_losses(np.atleast_1d(privacy_loss), precision)[0])

    def inverse_privacy_losses(
        self, privacy_losses: FloatArray, precision: float = 1e-6
    ) -> FloatArray:
        """For each of increasing losses the least multiple of `precision` with a loss no larger."""
        self._check_adjacency()
        losses = np.asarray(privacy_losses, dtype=np.float64)
        if np.any(np.diff(losses) < 0):
            raise ValueError(f"Expected non-decreasing privacy_losses, got: {privacy_losses}.")
        if np.any(-self._sign * losses < self.end):
            raise ValueError(
                f"privacy_losses ({privacy_losses}) lie beyond {-self._sign * self.end}, "
                f"where the loss ends"
            )
        return np.array([self._inverse(loss, precision) for loss in losses])

    @property
    def end(self) -> float:
        """Where the loss of removal ends; of addition, at minus that."""
        return math.log1p(-self._sampling_prob) if self._sampling_prob < 1 else -math.inf

    @property
    def _sign(self) -> int:
        return 1 if self.adjacency_type is AdjacencyType.ADD else -1

    def _inverse(self, loss: float, precision: float) -> float:
        if math.isclose(-self._sign * loss, self.end):
            return -self._sign * math.inf
        low, high = -1, 1  # in units of precision; the loss falls with x
        while self.privacy_loss(low * precision) <= loss:
            low *= 2
        while self.privacy_loss(high * precision) > loss:
            high *= 2
        while high - low > 1:
            middle = (low + high) // 2
            if self.privacy_loss(middle * precision) > loss:
                low = middle
            else:
                high = middle
        return high * precision

    def _check_adjacency(self) -> None:
        if self.adjacency_type is AdjacencyType.REPLACE:
            raise self._unsupported()


def _check_mixture(sensitivities: FloatArray, weights: FloatArray) -> None:
    if np.any(sensitivities < 0):
        raise ValueError(f"Sensitivities contains a negative number: {sensitivities}.")
    if not np.any(sensitivities > 0):
        raise ValueError("Must have at least one positive sensitivity.")
    if not math.isclose(math.fsum(weights), 1):
        raise ValueError(f"Probabilities do not add up to 1: {math.fsum(weights)}")
    if np.any(weights <= 0) or np.any(weights > 1):
        raise ValueError(f"Sampling probability is not in (0,1] : {weights}")
