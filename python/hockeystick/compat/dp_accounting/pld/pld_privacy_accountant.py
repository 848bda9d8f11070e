# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.pld_privacy_accountant``: the accountant of dp_accounting's events."""

import math
import numbers
from fractions import Fraction
from typing import Any

import numpy as np
from dp_accounting import dp_event, privacy_accountant
from scipy import special

from hockeystick import _checks
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency
from hockeystick.compat._quotient import rounded
from hockeystick.compat.dp_accounting import events
from hockeystick.compat.dp_accounting.pld import _grid, privacy_loss_distribution
from hockeystick.compat.dp_accounting.pld._adjacency import adjacency_of
from hockeystick.composition import Composition
from hockeystick.errors import CertificationError
from hockeystick.mechanisms import ApproximateDP, Gaussian

__all__ = ["PLD", "CompositionErrorDetails", "NeighborRel", "PLDAccountant"]

PLD = privacy_loss_distribution
NeighborRel = privacy_accountant.NeighboringRelation
CompositionErrorDetails = privacy_accountant.PrivacyAccountant.CompositionErrorDetails
_MANY_STEPS = 64  # from here on the grid of the interval is finer than its answers
_SHARE = 0.3  # times steps and interval^2: about what connecting dots costs, relatively
_TOLERANCES = 1e-6, 1e-4
_LEAST_ON_GRID = 1e-15


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
        self._value_discretization_interval = _checks.positive(
            "value_discretization_interval", value_discretization_interval
        )
        self._composition = Composition()
        self._grid: privacy_loss_distribution.PrivacyLossDistribution | None = None

    def get_epsilon(self, target_delta: float) -> float:
        """Certified upper bound of epsilon at a delta; inf if it is out of reach."""
        if math.isnan(target_delta):
            raise ValueError(f"target_delta must be a number, got {target_delta!r}")
        if target_delta < 0 or self._contains_non_dp_event:
            return math.inf
        if target_delta >= 1:
            return 0.0
        if target_delta == 0:
            return self._largest_loss()
        return min(self._answer("epsilon", target_delta), self._largest_loss())

    def get_delta(self, target_epsilon: float) -> float:
        """Certified upper bound of delta at an epsilon of any sign."""
        if math.isnan(target_epsilon):
            raise ValueError(f"target_epsilon must be a number, got {target_epsilon!r}")
        if self._contains_non_dp_event:
            return 1.0
        if target_epsilon >= 0:
            return self._answer("delta", min(target_epsilon, _checks.MAX_EPSILON))
        # h of (P, Q) at alpha is 1 - alpha + alpha h of (Q, P) at 1 / alpha; the relation's
        # directions are each other's reverse. Roundings: 8 u.
        alpha = math.exp(target_epsilon)
        reverse = self._answer("delta", min(-target_epsilon, _checks.MAX_EPSILON))
        return min(1.0, (alpha * reverse - math.expm1(target_epsilon)) * (1 + 2.0**-49))

    def get_true_positive_rates(
        self, false_positive_rates: float | FloatArray, deltas: FloatArray | None = None
    ) -> float | FloatArray:
        """Certified upper bounds on the power of tests between neighbours.

        At each false positive rate, a number or an array; exact but for the accuracy of this
        accountant. With `deltas`, as ``PrivacyLossDistribution`` has it.
        """
        if deltas is not None:
            return self._pld.get_true_positive_rates(false_positive_rates, deltas)
        rates = np.asarray(false_positive_rates, dtype=np.float64)
        powers = np.asarray(self._bound("true_positive_rate", rates), dtype=np.float64)
        return float(powers) if isinstance(false_positive_rates, numbers.Number) else powers

    def get_gdp_parameter_estimate(
        self, false_positive_rates: FloatArray | None = None, deltas: FloatArray | None = None
    ) -> float:
        """The least mu whose Gaussian trade-off curve bounds the true positive rates.

        At `false_positive_rates` up to 1/2, or else at 500 from 1e-12 to 1/2, so it is neither an
        upper nor a lower bound; ``hockeystick.Composition.gdp_mu`` is one. inf if more mass than
        the least rate is at loss +inf.
        """
        if deltas is not None:
            return self._pld.get_gdp_parameter_estimate(false_positive_rates, deltas)
        if false_positive_rates is None:
            rates = np.logspace(np.log10(1e-12), np.log10(0.5), num=500)
        else:
            rates = np.asarray(false_positive_rates, dtype=np.float64)
            rates = rates[rates <= 0.5]  # noqa: PLR2004 - the peer's own
        if self.get_true_positive_rates(0.0) > rates.min():  # losses are infinite as often
            return math.inf
        powers = self.get_true_positive_rates(rates)
        return float(np.max(special.ndtri(powers) - special.ndtri(rates)))

    def _maybe_compose(
        self,
        event: dp_event.DpEvent,
        count: int,
        do_compose: bool,
    ) -> Any:  # noqa: ANN401 - CompositionErrorDetails | None
        try:
            make = events.translated(event, self.neighboring_relation)
        except events.UnsupportedError as error:
            return CompositionErrorDetails(invalid_event=error.event, error_message=error.message)
        if do_compose:
            self._composition = self._composition + count * make()
            self._grid = None
        return None

    @property
    def _pld(self) -> privacy_loss_distribution.PrivacyLossDistribution:
        """The distribution on the grid of `value_discretization_interval`, made when asked for."""
        if self._grid is None:
            self._grid = _grid.distribution(
                self._composition, self._adjacency, self._value_discretization_interval
            )
        return self._grid

    @property
    def _contains_non_dp_event(self) -> bool:
        return any(mechanism == events.EVERYTHING for mechanism, _ in self._composition.terms)

    def _answer(self, wanted: str, given: float) -> float:
        """A certified upper bound, of few steps on the grid, of many as tight as that would be."""
        steps = sum(count for _, count in self._composition.terms)
        if steps >= _MANY_STEPS or self._is_gaussian:
            return float(self._bound(wanted, given))
        largest, infinite = self._end_of_losses()
        if wanted == "delta" and given >= largest:
            return infinite
        ask = f"get_{wanted}_for_{'delta' if wanted == 'epsilon' else 'epsilon'}"
        on_grid = float(getattr(self._pld, ask)(given))
        if wanted == "epsilon" and given >= infinite:
            on_grid = min(on_grid, largest)
        if wanted == "epsilon" and math.isinf(on_grid):  # the grid's truncation, perhaps
            return float(self._bound(wanted, given))
        if wanted == "delta" and 0 < on_grid < _LEAST_ON_GRID:
            return min(on_grid, float(self._bound(wanted, given)))
        return on_grid

    def _bound(self, wanted: str, given: Any) -> Any:  # noqa: ANN401
        """The upper end of the core's bounds, as tight as the grid would be."""
        steps = sum(count for _, count in self._composition.terms)
        low, high = _TOLERANCES
        tolerance = min(max(_SHARE * steps * self._value_discretization_interval**2, low), high)
        ask = getattr(self._composition, f"{wanted}_bounds")
        try:
            return ask(given, adjacency=self._adjacency, tolerance=tolerance).upper
        except CertificationError as error:
            return error.bounds.upper

    @property
    def _adjacency(self) -> Adjacency:
        return adjacency_of(self.neighboring_relation)

    @property
    def _is_gaussian(self) -> bool:
        """Whether there is a closed form."""
        return all(isinstance(mechanism, Gaussian) for mechanism, _ in self._composition.terms)

    def _largest_loss(self) -> float:
        """An epsilon with delta = 0: what no loss exceeds, rounded up."""
        ends = self._ends()
        return math.inf if any(mass for _, mass, _ in ends) else self._largest(ends)

    def _end_of_losses(self) -> tuple[float, float]:
        """The largest finite loss, and delta from there on, the mass at +inf; rounded up."""
        ends = self._ends()
        kept = [(1 - Fraction(mass)) ** count for _, mass, count in ends]
        return self._largest(ends), rounded(1 - math.prod(kept, start=Fraction(1)), 1)

    def _ends(self) -> list[tuple[float, float, int]]:
        """The largest finite loss of each mechanism, its mass at +inf, and how often it runs."""
        return [
            (mechanism.guaranteed_epsilon, mechanism.guaranteed_delta, count)
            if isinstance(mechanism, ApproximateDP)
            else (
                max(mechanism.dominating_pair(d).loss_supremum for d in self._adjacency.directions),
                0.0,
                count,
            )
            for mechanism, count in self._composition.terms
        ]

    @staticmethod
    def _largest(ends: list[tuple[float, float, int]]) -> float:
        if any(math.isinf(loss) for loss, _, _ in ends):
            return math.inf
        return rounded(sum((n * Fraction(loss) for loss, _, n in ends), Fraction(0)), 1)
