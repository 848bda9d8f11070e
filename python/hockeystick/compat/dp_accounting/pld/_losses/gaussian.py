# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism's privacy loss."""

import math

from scipy import special

from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._losses.additive import AdditiveNoisePrivacyLoss
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    Points,
    TailPrivacyLossDistribution,
    Values,
    positive,
)
from hockeystick.mechanisms import Gaussian


class GaussianPrivacyLoss(AdditiveNoisePrivacyLoss):
    """Normal noise on a number of the given sensitivity."""

    _may_replace = True

    def __init__(
        self,
        standard_deviation: float,
        sensitivity: float = 1,
        pessimistic_estimate: bool = True,
        log_mass_truncation_bound: float = -50,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Standard deviation", standard_deviation)
        if not log_mass_truncation_bound <= 0:
            raise ValueError(
                f"Log mass truncation bound is not a non-positive real number: "
                f"{log_mass_truncation_bound}"
            )
        self._standard_deviation = standard_deviation
        self._pessimistic_estimate = pessimistic_estimate
        self._log_mass_truncation_bound = log_mass_truncation_bound
        super().__init__(sensitivity, False, sampling_prob, adjacency_type)

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the noise."""
        return self._standard_deviation

    def mechanism(self) -> Gaussian:
        """The mechanism without sampling."""
        return Gaussian(noise_multiplier=self._standard_deviation / self.sensitivity)

    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""
        cdf: Values = special.ndtr(_scaled(x, self._standard_deviation))
        return cdf

    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""
        cdf: Values = special.log_ndtr(_scaled(x, self._standard_deviation))
        return cdf

    def privacy_loss_tail(self) -> TailPrivacyLossDistribution:
        """The outcomes beyond which e^log_mass_truncation_bound / 2 of the noise lies."""
        reach = -self._standard_deviation * float(
            special.ndtri_exp(self._log_mass_truncation_bound - math.log(2))
        )
        low, high = -reach, reach
        if self.adjacency_type is AdjacencyType.ADD:
            high += self.sensitivity
        else:
            low -= self.sensitivity
        if self._pessimistic_estimate:
            masses = {
                math.inf: float(self.mu_upper_cdf(low)),
                self.privacy_loss(high): self._mu_upper_tail(high),
            }
        else:
            masses = {self.privacy_loss(low): float(self.mu_upper_cdf(low))}
        return TailPrivacyLossDistribution(low, high, masses)

    @classmethod
    def from_privacy_guarantee(
        cls,
        privacy_parameters: common.DifferentialPrivacyParameters,
        sensitivity: float = 1,
        pessimistic_estimate: bool = True,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> "GaussianPrivacyLoss":
        """The least noise that is (epsilon, delta)-private, to 1e-7."""
        epsilon, delta = privacy_parameters.epsilon, privacy_parameters.delta
        if delta == 0:
            raise ValueError("delta=0 is not allowed for the Gaussian mechanism")

        def made(standard_deviation: float) -> GaussianPrivacyLoss:
            return cls(
                standard_deviation,
                sensitivity,
                pessimistic_estimate,
                sampling_prob=sampling_prob,
                adjacency_type=adjacency_type,
            )

        moved = sensitivity * (2 if adjacency_type is AdjacencyType.REPLACE else 1)
        guess = math.sqrt(2 * math.log(1.5 / delta)) * moved / epsilon  # Dwork & Roth (2014), A.1
        found = common.inverse_monotone_function(
            lambda deviation: float(made(deviation).get_delta_for_epsilon(epsilon)),
            delta,
            common.BinarySearchParameters(0, math.inf, initial_guess=guess),
        )
        assert found is not None
        return made(found)

    def _mu_upper_tail(self, x: float) -> float:
        """P(outcome > x) of the upper distribution."""
        if self.adjacency_type is AdjacencyType.ADD:
            return float(self.noise_cdf(-x))
        q = self.sampling_prob
        return float((1 - q) * self.noise_cdf(-x) + q * self.noise_cdf(-x - self.sensitivity))

    def _privacy_loss_without_subsampling_remove(self, x: float) -> float:
        return -self.sensitivity * (0.5 * self.sensitivity + x) / self._standard_deviation**2

    def _inverse_unsampled(self, privacy_loss: float) -> float:
        return (
            -0.5 * self.sensitivity - privacy_loss * self._standard_deviation**2 / self.sensitivity
        )

    def inverse_privacy_loss(self, privacy_loss: float) -> float:
        """The x whose loss is `privacy_loss`; +-inf where none is."""
        if self.adjacency_type is AdjacencyType.REPLACE:
            return self._inverse_of_replacement(privacy_loss)
        return super().inverse_privacy_loss(privacy_loss)

    def _inverse_of_replacement(self, privacy_loss: float) -> float:
        # With y = s x / sigma^2, L = log(1 - q + q e^(-y - c)) - log(1 - q + q e^(y - c)), where
        # c = s^2 / (2 sigma^2). Solved for y: sinh(y + L/2) = -sinh(L/2) (1 - q) e^c / q.
        scale = self._standard_deviation**2 / self.sensitivity
        if privacy_loss == 0:
            return 0.0
        q = self.sampling_prob
        if q == 1:
            return -privacy_loss * scale / 2
        log_factor = 0.5 * self.sensitivity / scale + math.log1p(-q) - math.log(q)
        log_sinh = log_factor + common.log_sinh(abs(privacy_loss) / 2)
        return scale * (
            common.asinh_exp(log_sinh, -math.copysign(1, privacy_loss)) - privacy_loss / 2
        )


def _scaled(x: Points, deviation: float) -> Values:
    scaled: Values = common.as_array(x) / deviation
    return scaled
