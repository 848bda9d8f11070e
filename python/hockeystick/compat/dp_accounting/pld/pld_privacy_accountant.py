# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.pld_privacy_accountant``: the accountant of dp_accounting's events."""

import math
import numbers
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from dp_accounting import dp_event, privacy_accountant

import hockeystick as hs
from hockeystick.compat import _arguments
from hockeystick.compat.dp_accounting import events
from hockeystick.compat.dp_accounting.pld import pld_pmf, privacy_loss_distribution
from hockeystick.compat.dp_accounting.pld._compared import adjacency_of
from hockeystick.compat.dp_accounting.pld._offered import refuse
from hockeystick.compat.dp_accounting.pld._run import FloatArray, Run

__all__ = ["PLD", "CompositionErrorDetails", "NeighborRel", "PLDAccountant"]

PLD = privacy_loss_distribution
NeighborRel = privacy_accountant.NeighboringRelation
CompositionErrorDetails = privacy_accountant.PrivacyAccountant.CompositionErrorDetails


class PLDAccountant(privacy_accountant.PrivacyAccountant):  # type: ignore[misc]
    """Accounts by privacy loss distributions, with certified upper bounds.

    Args:
        neighboring_relation: Which datasets are neighbours.
        value_discretization_interval: What the answers' accuracy is oriented by [nats]: they
            exceed the truth by no more than connecting dots at this distance would cost. No
            grid of this spacing is made.

    >>> from dp_accounting import GaussianDpEvent
    >>> accountant = PLDAccountant().compose(GaussianDpEvent(1.0), count=4)
    >>> bool(0 < accountant.get_epsilon(1e-5) - 9.99 < 0.01)
    True
    """

    def __init__(
        self,
        neighboring_relation: privacy_accountant.NeighboringRelation = (
            NeighborRel.ADD_OR_REMOVE_ONE
        ),
        value_discretization_interval: float = 1e-4,
    ) -> None:
        super().__init__(neighboring_relation)
        interval = value_discretization_interval
        if not 0 < interval < math.inf:
            raise ValueError(
                f"value_discretization_interval must be finite and > 0, got {interval!r}"
            )
        self._run = Run(hs.Composition(), adjacency_of(neighboring_relation), True, interval)

    def get_epsilon(self, target_delta: float) -> float:
        """Certified upper bound of epsilon at a delta; inf if it is out of reach."""
        at = _arguments.number("target_delta", target_delta)
        if at < 0 or self._contains_non_dp_event:
            return math.inf
        return float(self._run.epsilon([at])[0])

    def get_delta(self, target_epsilon: float | Sequence[float]) -> float | FloatArray:
        """Certified upper bound of delta at an epsilon of any sign, or at increasing ones."""
        at = _arguments.numbers_of("target_epsilon", target_epsilon)
        return 1.0 if self._contains_non_dp_event else pld_pmf.worst_delta([self._run], at)

    def get_true_positive_rates(
        self, false_positive_rates: float | FloatArray, deltas: FloatArray | None = None
    ) -> float | FloatArray:
        """As ``PrivacyLossDistribution.get_true_positive_rates``."""
        if not self._contains_non_dp_event:
            return self._distribution.get_true_positive_rates(false_positive_rates, deltas)
        if isinstance(false_positive_rates, numbers.Number):
            return 1.0
        return np.ones_like(false_positive_rates)

    def get_gdp_parameter_estimate(
        self,
        false_positive_rates: FloatArray | None = None,
        deltas: FloatArray | None = None,
    ) -> float:
        """As ``PrivacyLossDistribution.get_gdp_parameter_estimate``."""
        if self._contains_non_dp_event:
            return math.inf
        return self._distribution.get_gdp_parameter_estimate(false_positive_rates, deltas)

    def __getattr__(self, name: str) -> NoReturn:
        """Refuses a name that is not offered."""
        refuse(type(self).__name__, name)

    def _maybe_compose(
        self,
        event: dp_event.DpEvent,
        count: int,
        do_compose: bool,
    ) -> Any:  # noqa: ANN401 - CompositionErrorDetails | None
        try:
            made = events.translated(event, self.neighboring_relation)
        except events.UnsupportedError as error:
            return CompositionErrorDetails(invalid_event=error.event, error_message=error.message)
        if do_compose:
            whole = self._run.composition + count * made
            self._run = Run(whole, self._run.adjacency, True, self._run.interval)
        return None

    @property
    def _distribution(self) -> PLD.PrivacyLossDistribution:
        return PLD.PrivacyLossDistribution.of_runs(self._run)

    @property
    def _contains_non_dp_event(self) -> bool:
        terms = self._run.composition.terms
        return any(mechanism == events.EVERYTHING for mechanism, _ in terms)
