# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that add noise to a number, possibly on a Poisson subsample."""

import math
from abc import abstractmethod

import numpy as np

from hockeystick import _core
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._losses.loss import (
    AdjacencyType,
    MonotonePrivacyLoss,
    Points,
    Values,
    positive,
)
from hockeystick.mechanisms import PoissonSampled
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism


class AdditiveNoisePrivacyLoss(MonotonePrivacyLoss):
    """Noise mu against noise moved by the sensitivity, mixed where records are sampled.

    REMOVE compares q mu(x + s) + (1 - q) mu(x) with mu(x), ADD mu(x) with
    q mu(x - s) + (1 - q) mu(x), REPLACE the first of these four with the last.
    """

    _may_replace = False  # whether the inverse of the loss under REPLACE is known

    def __init__(
        self,
        sensitivity: float,
        is_discrete: bool,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> None:
        positive("Sensitivity", sensitivity)
        if not 0 < sampling_prob <= 1:
            raise ValueError(f"Sampling probability is not in (0,1] : {sampling_prob}")
        super().__init__(is_discrete)
        self.sensitivity = sensitivity
        self.sampling_prob = sampling_prob
        self.adjacency_type = adjacency_type
        if adjacency_type is AdjacencyType.REPLACE and not self._may_replace:
            raise NotImplementedError(  # dp_accounting's type for this error
                f"REPLACE adjacency type is not supported for {type(self).__name__}."
            )

    @classmethod
    @abstractmethod
    def from_privacy_guarantee(
        cls,
        privacy_parameters: common.DifferentialPrivacyParameters,
        sensitivity: float = 1,
        pessimistic_estimate: bool = True,
        sampling_prob: float = 1.0,
        adjacency_type: AdjacencyType = AdjacencyType.REMOVE,
    ) -> "AdditiveNoisePrivacyLoss":
        """The loss of the least noise with this guarantee."""

    @abstractmethod
    def noise_cdf(self, x: Points) -> Values:
        """P(noise <= x)."""

    @abstractmethod
    def noise_log_cdf(self, x: Points) -> Values:
        """log P(noise <= x)."""

    @abstractmethod
    def mechanism(self) -> SamplableMechanism:
        """The mechanism without sampling."""

    def pair(self) -> _core.DominatingPair:
        """The pair of upper and lower distribution."""
        mechanism = PoissonSampled(
            mechanism=self.mechanism(), sampling_probability=self.sampling_prob
        )
        simplest = mechanism.simplified()
        assert simplest is not None
        return simplest.dominating_pair(self.adjacency_type.direction)

    def mu_upper_cdf(self, x: Points) -> Values:
        """P(outcome <= x) of the upper distribution."""
        if self.adjacency_type is AdjacencyType.ADD:
            return self.noise_cdf(x)
        q = self.sampling_prob
        moved = self.noise_cdf(np.add(x, self.sensitivity))  # type: ignore[arg-type]
        return moved if q == 1 else (1 - q) * self.noise_cdf(x) + q * moved

    def mu_lower_log_cdf(self, x: Points) -> Values:
        """log P(outcome <= x) of the lower distribution."""
        if self.adjacency_type is AdjacencyType.REMOVE:
            return self.noise_log_cdf(x)
        q = self.sampling_prob
        moved = self.noise_log_cdf(np.subtract(x, self.sensitivity))  # type: ignore[arg-type]
        if q == 1:
            return moved
        mixed: Values = np.logaddexp(math.log1p(-q) + self.noise_log_cdf(x), math.log(q) + moved)
        return mixed

    def privacy_loss(self, x: float) -> float:
        """The privacy loss of the outcome x [nats]."""
        if self.adjacency_type is AdjacencyType.ADD:
            return -self._loss_of_removal(-x)
        if self.adjacency_type is AdjacencyType.REMOVE:
            return self._loss_of_removal(x)
        return self._loss_of_removal(x) - self._loss_of_removal(-x)

    def inverse_privacy_loss(self, privacy_loss: float) -> float:
        """The largest x whose loss is at least `privacy_loss`; +-inf where all or none are."""
        if self.adjacency_type is AdjacencyType.REMOVE:
            return self._inverse_unsampled(self._unsampled(privacy_loss, 1))
        return self.sensitivity + self._inverse_unsampled(self._unsampled(privacy_loss, -1))

    @abstractmethod
    def _privacy_loss_without_subsampling_remove(self, x: float) -> float: ...

    @abstractmethod
    def _inverse_unsampled(self, privacy_loss: float) -> float:
        """The inverse of the loss of removal without sampling."""

    def _loss_of_removal(self, x: float) -> float:
        loss = self._privacy_loss_without_subsampling_remove(x)
        q = self.sampling_prob
        return loss if q == 1 else common.log_a_times_exp_b_plus_c(q, loss, 1 - q)

    def _unsampled(self, privacy_loss: float, sign: int) -> float:
        """The loss before sampling; sign -1 for the reversed pair."""
        q = self.sampling_prob
        if q == 1:
            return privacy_loss
        end = math.log1p(-q)  # where the loss of removal ends, at the unsampled loss -inf
        loss = sign * privacy_loss
        if math.isclose(loss, end):
            return -sign * math.inf
        if loss < end:
            side = "smaller than log(1 - q)" if sign > 0 else "larger than -log(1 - q)"
            raise ValueError(f"privacy_loss ({privacy_loss}) is {side} = {sign * end}")
        return sign * common.log_a_times_exp_b_plus_c(1 / q, loss, 1 - 1 / q)
