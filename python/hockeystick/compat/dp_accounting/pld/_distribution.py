# SPDX-License-Identifier: Apache-2.0
"""The class ``PrivacyLossDistribution``: one pmf a direction."""

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from statistics import NormalDist
from typing import NoReturn

import numpy as np

from hockeystick.adjacency import Adjacency
from hockeystick.compat import _arguments
from hockeystick.compat.dp_accounting.pld import pld_pmf
from hockeystick.compat.dp_accounting.pld._offered import refuse
from hockeystick.compat.dp_accounting.pld._run import FloatArray, Run

_BOTH = Adjacency.ADD_OR_REMOVE_ONE
_ONE_RECORD = Adjacency.REMOVE_ONE, Adjacency.ADD_ONE


class PrivacyLossDistribution:
    """The privacy loss distributions of removing a record and of adding one.

    Immutable; queries answer for the worse of both, or for the one that both are (`_symmetric`).
    """

    def __init__(self, pmf_remove: pld_pmf.PLDPmf, pmf_add: pld_pmf.PLDPmf | None = None) -> None:
        self._pmf_remove = pmf_remove
        self._pmf_add = pmf_remove if pmf_add is None else pmf_add
        pmfs = (pmf_remove,) if pmf_add is None else (pmf_remove, pmf_add)
        self._runs = tuple([pmf.run for pmf in pmfs])

    @classmethod
    def of_runs(cls, *runs: Run) -> "PrivacyLossDistribution":
        """The distribution of one run in its direction, or both, or of one for each direction."""
        distribution = cls.__new__(cls)
        distribution._runs = runs
        return distribution

    @property
    def _symmetric(self) -> bool:
        return len(self._directions) == 1

    @cached_property
    def _pmf_remove(self) -> pld_pmf.PLDPmf:
        return pld_pmf.DensePLDPmf.of_run(self._directions[0])

    @cached_property
    def _pmf_add(self) -> pld_pmf.PLDPmf:
        return (
            self._pmf_remove if self._symmetric else pld_pmf.DensePLDPmf.of_run(self._directions[1])
        )

    @property
    def _directions(self) -> tuple[Run, ...]:
        """The runs of removing and of adding a record, or one run for both."""
        run = self._runs[0]
        if run.adjacency is not _BOTH:
            return self._runs
        adjacencies = _ONE_RECORD[:1] if run.is_symmetric else _ONE_RECORD
        return tuple(replace(run, adjacency=one) for one in adjacencies)

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
        removed = pld_pmf.SparsePLDPmf(
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
            removed, pld_pmf.SparsePLDPmf(added, interval, infinity_added, pessimistic_estimate)
        )

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> float | FloatArray:
        """Delta of the worse direction, at a number or at increasing ones of any sign."""
        return pld_pmf.worst_delta(self._runs, epsilon)

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon >= 0 with at most this delta in either direction; inf if none."""
        at = [_arguments.number("delta", delta)]
        return max([float(run.epsilon(at)[0]) for run in self._runs])

    def get_true_positive_rates(
        self,
        false_positive_rates: float | FloatArray,
        deltas: FloatArray | None = None,  # noqa: ARG002, theirs
    ) -> float | FloatArray:
        """The largest true positive rates that any attack has at these false positive rates.

        Certified like all answers, in either direction; `deltas` is not needed.
        """
        rates = np.asarray(false_positive_rates, dtype=np.float64)
        worst = np.maximum.reduce([run.power(rates.reshape(-1)) for run in self._runs])
        shaped = worst.reshape(rates.shape)
        return float(shaped) if isinstance(false_positive_rates, numbers.Number) else shaped

    def get_gdp_parameter_estimate(
        self,
        false_positive_rates: FloatArray | None = None,
        deltas: FloatArray | None = None,  # noqa: ARG002, theirs
    ) -> float:
        """The least mu with which Gaussian DP allows the true positive rates at those given.

        Certified at these rates alone: ``Composition.gdp_mu`` holds between them too. inf if a loss
        is infinite with a probability above the least of them. `deltas` is not needed.

        Args:
            false_positive_rates: Those above 1/2 are left out; by default 500 from 1e-12 on.
            deltas: Not used.
        """
        given = false_positive_rates
        rates = np.geomspace(1e-12, 0.5, num=500) if given is None else np.asarray(given)
        rates = rates[rates <= 0.5]  # noqa: PLR2004, the others follow by symmetry
        if rates.size == 0 or rates.min() <= 0:
            raise ValueError(f"false_positive_rates must be > 0, one at most 1/2, got {given!r}")
        reached = np.asarray(self.get_true_positive_rates(np.append(rates, 0.0)))
        if reached[-1] > rates.min():
            return math.inf
        pairs = zip(reached[:-1].tolist(), rates.tolist(), strict=True)
        return max([_normal_quantile(true) - _normal_quantile(false) for true, false in pairs])

    def validate_composable(self, privacy_loss_distribution: "PrivacyLossDistribution") -> None:
        """Raises ValueError unless both are on one grid and of one estimate."""
        self._runs[0].check_like(privacy_loss_distribution._runs[0])

    def compose(
        self,
        privacy_loss_distribution: "PrivacyLossDistribution",
        tail_mass_truncation: float = 1e-15,
    ) -> "PrivacyLossDistribution":
        """The composition of both."""
        return self.of_runs(
            *[
                mine.plus(other, tail_mass_truncation)
                for mine, other in self._paired(privacy_loss_distribution)
            ]
        )

    def self_compose(
        self, num_times: int, tail_mass_truncation: float = 1e-15
    ) -> "PrivacyLossDistribution":
        """The composition with itself."""
        return self.of_runs(*[run.times(num_times, tail_mass_truncation) for run in self._runs])

    def compute_mixture(
        self, other: "PrivacyLossDistribution", self_weight: float
    ) -> "PrivacyLossDistribution":
        """This with probability `self_weight`, else the other; which of both is known."""
        pmfs = [(self._pmf_remove, other._pmf_remove)]
        if not (self._symmetric and other._symmetric):
            pmfs.append((self._pmf_add, other._pmf_add))
        return type(self)(*[mine.compute_mixture(its, self_weight) for mine, its in pmfs])

    def get_delta_for_epsilon_for_composed_pld(
        self, privacy_loss_distribution: "PrivacyLossDistribution", epsilon: float
    ) -> float:
        """Delta of the composition of both, without making its probabilities."""
        return float(self.compose(privacy_loss_distribution).get_delta_for_epsilon(epsilon))

    def __getattr__(self, name: str) -> NoReturn:
        """Refuses a name that is not offered."""
        refuse(type(self).__name__, name)

    def _paired(self, other: "PrivacyLossDistribution") -> list[tuple[Run, Run]]:
        """The runs of both by direction: both directions at once, or one for both, or each."""
        self.validate_composable(other)
        if self._runs[0].adjacency is other._runs[0].adjacency is _BOTH:
            return [(self._runs[0], other._runs[0])]
        mine, others = self._directions, other._directions
        return [(mine[0], others[0]), (mine[-1], others[-1])][: max(len(mine), len(others))]


def _normal_quantile(probability: float) -> float:
    """The quantile of the standard normal distribution; infinite at 0 and 1."""
    if 0 < probability < 1:
        return NormalDist().inv_cdf(probability)
    return math.inf if probability else -math.inf
