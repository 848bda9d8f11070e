# SPDX-License-Identifier: Apache-2.0
"""The class ``PrivacyLossDistribution``: one pmf a direction."""

import numbers
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import special

from hockeystick._checks import FloatArray
from hockeystick.compat.dp_accounting.pld import pld_pmf

_LEAST_DELTA, _DELTAS = 1e-13, 3000
_LEAST_RATE, _RATES = 1e-12, 500
_LARGEST_EPSILON = 700.0  # beyond, e^epsilon says nothing
_OUTWARD = 2.0**-49  # relative: roundings, and that of exp


class PrivacyLossDistribution:
    """The privacy loss distributions of removing a record and of adding one.

    Where both are one (`_symmetric`), only one is kept. Immutable; queries answer for the worse.
    """

    def __init__(self, pmf_remove: pld_pmf.PLDPmf, pmf_add: pld_pmf.PLDPmf | None = None) -> None:
        self._pmf_remove = pmf_remove
        self._symmetric = pmf_add is None
        self._pmf_add = pmf_remove if pmf_add is None else pmf_add

    @classmethod
    def create_from_rounded_probability(
        cls,
        rounded_probability_mass_function: Mapping[int, float],
        infinity_mass: float,
        value_discretization_interval: float,
        pessimistic_estimate: bool = True,
        rounded_probability_mass_function_add: Mapping[int, float] | None = None,
        infinity_mass_add: float | None = None,
        symmetric: bool = True,
    ) -> "PrivacyLossDistribution":
        """The distribution with these masses at multiples of the interval, taken as exact."""
        interval = value_discretization_interval
        removed = pld_pmf.create_pmf(
            rounded_probability_mass_function, interval, infinity_mass, pessimistic_estimate
        )
        added, infinity_added = rounded_probability_mass_function_add, infinity_mass_add
        if symmetric:
            if added is not None or infinity_added is not None:
                raise ValueError("masses for added records must not be given when symmetric")
            return cls(removed)
        if added is None or infinity_added is None:
            raise ValueError("masses for added records must be given when not symmetric")
        return cls(
            removed, pld_pmf.create_pmf(added, interval, infinity_added, pessimistic_estimate)
        )

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> float | FloatArray:
        """Delta of the worse direction, at a number or at increasing ones of any sign."""
        removed = self._pmf_remove.get_delta_for_epsilon(epsilon)
        if self._symmetric:
            return removed
        worse = np.maximum(removed, self._pmf_add.get_delta_for_epsilon(epsilon))
        return float(worse) if isinstance(epsilon, numbers.Number) else worse

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon >= 0 with at most this delta in either direction; inf if none."""
        return max(pmf.get_epsilon_for_delta(delta) for pmf in self._pmfs)

    def validate_composable(self, privacy_loss_distribution: "PrivacyLossDistribution") -> None:
        """Raises ValueError unless both are on one grid and of one estimate."""
        self._pmf_remove.validate_composable(privacy_loss_distribution._pmf_remove)

    def compose(
        self,
        privacy_loss_distribution: "PrivacyLossDistribution",
        tail_mass_truncation: float = 1e-15,
    ) -> "PrivacyLossDistribution":
        """The composition of both."""
        return self._joined(
            privacy_loss_distribution,
            lambda mine, other: pld_pmf.compose_pmfs(mine, other, tail_mass_truncation),
        )

    def self_compose(
        self, num_times: int, tail_mass_truncation: float = 1e-15
    ) -> "PrivacyLossDistribution":
        """The composition with itself."""
        return PrivacyLossDistribution(
            *(pmf.self_compose(num_times, tail_mass_truncation) for pmf in self._pmfs)
        )

    def get_delta_for_epsilon_for_composed_pld(
        self, privacy_loss_distribution: "PrivacyLossDistribution", epsilon: float
    ) -> float:
        """Delta of the composition of both, without making its probabilities."""
        return max(
            mine.get_delta_for_epsilon_for_composed_pld(other, epsilon)
            for mine, other in self._paired(privacy_loss_distribution)
        )

    def compute_mixture(
        self, other: "PrivacyLossDistribution", self_weight: float
    ) -> "PrivacyLossDistribution":
        """This with probability `self_weight`, else `other`, where everybody sees which."""
        if not 0 <= self_weight <= 1:
            raise ValueError(f"weight should be in [0, 1], weight={self_weight}")
        return self._joined(other, lambda mine, theirs: mine.compute_mixture(theirs, self_weight))

    def get_true_positive_rates(
        self, false_positive_rates: float | FloatArray, deltas: FloatArray | None = None
    ) -> float | FloatArray:
        """Upper bounds on the power of tests between neighbours at these false positive rates.

        Each (epsilon, delta) guarantee gives two; the least counts, over `deltas`, or else 0 and
        3000 from 1e-13 to 1. The curve is symmetric about y = 1 - x, which that of a mechanism
        need not be.
        """
        rates = np.atleast_1d(np.asarray(false_positive_rates, dtype=np.float64))
        if deltas is None:
            deltas = np.append(0.0, np.logspace(np.log10(_LEAST_DELTA), 0.0, num=_DELTAS))
        given = np.asarray(deltas, dtype=np.float64)
        epsilons = np.maximum.reduce([pmf.get_epsilons_for_deltas(given) for pmf in self._pmfs])
        best = np.ones(rates.shape)
        for epsilon, delta in zip(epsilons, given, strict=True):
            if epsilon < _LARGEST_EPSILON:
                best = np.minimum(best, np.exp(epsilon) * rates + delta)
                best = np.minimum(best, 1.0 + (rates + delta - 1.0) * np.exp(-epsilon))
        best = np.minimum(best * (1 + _OUTWARD), 1.0)
        return float(best[0]) if isinstance(false_positive_rates, numbers.Number) else best

    def get_gdp_parameter_estimate(
        self, false_positive_rates: FloatArray | None = None, deltas: FloatArray | None = None
    ) -> float:
        """The least mu whose Gaussian trade-off curve bounds the true positive rates.

        At `false_positive_rates` up to 1/2, or else at 500 from 1e-12 to 1/2, so it is neither an
        upper nor a lower bound. inf if more mass than the least rate is at loss +inf.
        """
        if false_positive_rates is None:
            rates = np.logspace(np.log10(_LEAST_RATE), np.log10(0.5), num=_RATES)
        else:
            rates = np.asarray(false_positive_rates, dtype=np.float64)
            rates = rates[rates <= 0.5]  # noqa: PLR2004 - the curve is symmetric
        if any(pmf._infinity_mass > rates.min() for pmf in self._pmfs):
            return float("inf")
        powers = self.get_true_positive_rates(rates, deltas)
        return float(np.max(special.ndtri(powers) - special.ndtri(rates)))

    @property
    def _pmfs(self) -> tuple[pld_pmf.PLDPmf, ...]:
        return (self._pmf_remove,) if self._symmetric else (self._pmf_remove, self._pmf_add)

    def _paired(
        self, other: "PrivacyLossDistribution"
    ) -> list[tuple[pld_pmf.PLDPmf, pld_pmf.PLDPmf]]:
        """Both directions of both, or one if both are symmetric."""
        pairs = [(self._pmf_remove, other._pmf_remove), (self._pmf_add, other._pmf_add)]
        return pairs[: 1 if self._symmetric and other._symmetric else 2]

    def _joined(
        self,
        other: "PrivacyLossDistribution",
        join: Callable[[pld_pmf.PLDPmf, pld_pmf.PLDPmf], pld_pmf.PLDPmf],
    ) -> "PrivacyLossDistribution":
        return PrivacyLossDistribution(*(join(*pair) for pair in self._paired(other)))
