# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.pld_pmf``: privacy loss distributions as probabilities on a grid."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.compat._quotient import rounded
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._explicit import (
    ExplicitComposition,
    Terms,
    contiguous,
    deltas,
    joined,
    step_of,
    truncate_tails,
)

_MAX_PMF_SPARSE_SIZE = 1000
_DELTA_DIFF_TOLERANCE = 1e-12
_OUTWARD = 2.0**-51  # covers the two roundings of a weighted probability and that of their sum


class PLDPmf(ABC):
    """Probabilities at multiples of `discretization`, and the mass at +inf; immutable.

    Queries are certified: with `pessimistic_estimate` never below what the probabilities say (which
    are themselves an upper estimate of the mechanism's, wherever this package made them), without
    it never above. A composition keeps its factors and answers from them; its probabilities are
    made when they are looked at.
    """

    _discretization: float
    _infinity_mass: float
    _pessimistic_estimate: bool
    _composition: ExplicitComposition

    def __init__(
        self,
        discretization: float,
        infinity_mass: float,
        pessimistic_estimate: bool,
    ) -> None:
        self._discretization = discretization
        self._infinity_mass = infinity_mass
        self._pessimistic_estimate = pessimistic_estimate

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of losses."""

    @abstractmethod
    def compose(self, other: "PLDPmf", tail_mass_truncation: float = 0) -> "PLDPmf":
        """The distribution of the sum of both losses."""

    @abstractmethod
    def self_compose(self, num_times: int, tail_mass_truncation: float = 0) -> "PLDPmf":
        """The distribution of the sum of `num_times` losses."""

    @abstractmethod
    def to_dense_pmf(self) -> "DensePLDPmf":
        """The same with an array of probabilities."""

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> float | FloatArray:
        """Delta at a number, or at increasing numbers, of any sign."""
        return deltas(self._composition, epsilon)

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon >= 0 with at most this delta; inf if there is none."""
        return float(self._composition.epsilon(np.array([delta], dtype=np.float64))[0])

    def get_epsilons_for_deltas(self, deltas: FloatArray) -> FloatArray:
        """As ``get_epsilon_for_delta``, of many."""
        return self._composition.epsilon(np.asarray(deltas, dtype=np.float64))

    def get_delta_for_epsilon_for_composed_pld(self, other: "PLDPmf", epsilon: float) -> float:
        """Delta of the composition of both."""
        mine, others = self.to_dense_pmf(), other.to_dense_pmf()
        mine.validate_composable(others)
        terms = joined(mine.terms + others.terms)
        return float(ExplicitComposition(terms, 0).delta(np.array([epsilon], dtype=np.float64))[0])

    def validate_composable(self, other: "PLDPmf") -> None:
        """Raises ValueError unless both are of one type, grid and estimate."""
        if not isinstance(self, type(other)) and not isinstance(other, type(self)):
            raise ValueError(  # noqa: TRY004 - as documented
                f"Only PMFs of the same type can be composed: "
                f"{type(self).__name__} != {type(other).__name__}."
            )
        self._validate_grid(other)

    def compute_mixture(self, other: "PLDPmf", self_weight: float) -> "PLDPmf":
        """This with probability `self_weight`, else `other`."""
        self._validate_grid(other)
        if not 0 <= self_weight <= 1:
            raise ValueError(f"self_weight should be in [0, 1], got {self_weight}")
        if self_weight in (0, 1):
            return self if self_weight == 1 else other
        mine, others = self.to_dense_pmf(), other.to_dense_pmf()
        weighted = ((mine, self_weight), (others, 1 - self_weight))
        first = min(pmf._lower_loss for pmf, _ in weighted)
        end = max(pmf._lower_loss + pmf.size for pmf, _ in weighted)
        probs = np.zeros(end - first)
        for pmf, weight in weighted:
            start = pmf._lower_loss - first
            probs[start : start + pmf.size] += weight * pmf._probs
        sign = 1 if self._pessimistic_estimate else -1
        share = Fraction(self_weight)
        infinity_mass = share * Fraction(mine._infinity_mass)
        infinity_mass += (1 - share) * Fraction(others._infinity_mass)
        return DensePLDPmf(
            self._discretization,
            first,
            probs * (1 + sign * _OUTWARD),
            rounded(infinity_mass, sign),
            self._pessimistic_estimate,
        )

    def showing(self, loss_probs: Mapping[int, float]) -> "SparsePLDPmf":
        """A pmf that shows these probabilities and answers as this one."""
        pmf = SparsePLDPmf.__new__(SparsePLDPmf)
        PLDPmf.__init__(pmf, self._discretization, self._infinity_mass, self._pessimistic_estimate)
        pmf._loss_probs = loss_probs
        pmf._composition = self._composition
        return pmf

    @property
    def terms(self) -> Terms:
        """The steps this is composed of, and how often each."""
        return self._composition.terms

    def _validate_grid(self, other: "PLDPmf") -> None:
        mine, others = self._discretization, other._discretization
        if mine != others:
            raise ValueError(f"Discretization intervals are different: {mine} != {others}.")
        if self._pessimistic_estimate != other._pessimistic_estimate:
            raise ValueError(
                f"Estimation types are different: "
                f"{self._pessimistic_estimate} != {other._pessimistic_estimate}."
            )


class DensePLDPmf(PLDPmf):
    """Probabilities at (lower_loss + k) * discretization, k = 0, 1, ..."""

    _lower_loss: int
    _probs: FloatArray

    def __init__(
        self,
        discretization: float,
        lower_loss: int,
        probs: npt.ArrayLike,
        infinity_mass: float,
        pessimistic_estimate: bool,
    ) -> None:
        super().__init__(discretization, infinity_mass, pessimistic_estimate)
        self._lower_loss = int(lower_loss)
        self._probs = np.asarray(probs, dtype=np.float64)
        index = np.arange(self._lower_loss, self._lower_loss + self._probs.size)
        step = step_of(
            discretization, index, self._probs, infinity_mass, pessimistic=pessimistic_estimate
        )
        self._composition = ExplicitComposition(((step, 1),), 0)

    @property
    def size(self) -> int:
        """The number of losses."""
        return len(self._probs)

    def compose(self, other: PLDPmf, tail_mass_truncation: float = 0) -> "DensePLDPmf":
        """The distribution of the sum of both losses.

        The probabilities shown lose up to `tail_mass_truncation`; queries do not.
        """
        self.validate_composable(other)
        return ComposedPLDPmf(joined(self.terms + other.terms), tail_mass_truncation)

    def self_compose(self, num_times: int, tail_mass_truncation: float = 1e-15) -> "DensePLDPmf":
        """The distribution of the sum of `num_times` losses; truncation as in ``compose``."""
        _check_times(num_times)
        terms = tuple((step, count * num_times) for step, count in self.terms)
        return ComposedPLDPmf(terms, tail_mass_truncation)

    def to_dense_pmf(self) -> "DensePLDPmf":
        """Itself."""
        return self


class ComposedPLDPmf(DensePLDPmf):
    """A composition: answers from its factors, probabilities only on demand."""

    def __init__(self, terms: Terms, tail_mass: float) -> None:
        step = terms[0][0]
        self._discretization = step.interval
        self._pessimistic_estimate = step.side == "upper"
        self._composition = ExplicitComposition(terms, tail_mass)

    def __getattr__(self, name: str) -> object:
        """The probabilities, made when first looked at."""
        if name not in ("_lower_loss", "_probs", "_infinity_mass"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        step = self._composition.displayed
        first, probs = contiguous(step)
        kept, self._probs, beyond = truncate_tails(
            probs, self._composition.tail_mass, self._pessimistic_estimate
        )
        self._lower_loss = first + kept
        self._infinity_mass = min(1.0, step.infinity_mass + beyond)
        return self.__dict__[name]


class SparsePLDPmf(PLDPmf):
    """Probabilities by loss, in units of discretization."""

    def __init__(
        self,
        loss_probs: Mapping[int, float],
        discretization: float,
        infinity_mass: float,
        pessimistic_estimate: bool,
    ) -> None:
        super().__init__(discretization, infinity_mass, pessimistic_estimate)
        self._loss_probs = loss_probs
        index = sorted(loss_probs)
        step = step_of(
            discretization,
            index,
            [loss_probs[k] for k in index],
            infinity_mass,
            pessimistic=pessimistic_estimate,
        )
        self._composition = ExplicitComposition(((step, 1),), 0)

    @classmethod
    def of_step(cls, step: _core.StepPmf, tail_mass: float = 0) -> "SparsePLDPmf":
        """The pmf that shows `step` less its tails, and answers from all of it."""
        pessimistic = step.side == "upper"
        kept, probs, beyond = truncate_tails(step.masses, tail_mass, pessimistic)
        index = step.indices[kept : kept + probs.size]
        pmf = cls.__new__(cls)
        infinity_mass = min(1.0, step.infinity_mass + beyond)
        PLDPmf.__init__(pmf, step.interval, infinity_mass, pessimistic)
        pmf._loss_probs = dict(zip(index.tolist(), probs.tolist(), strict=True))
        pmf._composition = ExplicitComposition(((step, 1),), tail_mass)
        return pmf

    @property
    def size(self) -> int:
        """The number of losses."""
        return len(self._loss_probs)

    def compose(self, other: PLDPmf, tail_mass_truncation: float = 0) -> "SparsePLDPmf":
        """The distribution of the sum of both losses, in O(size * other.size)."""
        self.validate_composable(other)
        step = _core.step_product(self.terms[0][0], other.terms[0][0])
        return SparsePLDPmf.of_step(step, tail_mass_truncation)

    def self_compose(self, num_times: int, tail_mass_truncation: float = 1e-15) -> PLDPmf:
        """The distribution of the sum of `num_times` losses; dense if it has too many losses."""
        _check_times(num_times)
        if num_times == 1:
            return self
        if num_times * math.log(max(self.size, 1)) > math.log(_MAX_PMF_SPARSE_SIZE) + 1e-9:
            return self.to_dense_pmf().self_compose(num_times, tail_mass_truncation)
        step = power = self.terms[0][0]
        for _ in range(num_times - 1):
            power = _core.step_product(power, step)
        return SparsePLDPmf.of_step(power, tail_mass_truncation)

    def to_dense_pmf(self) -> DensePLDPmf:
        """The same with an array of probabilities."""
        dense = DensePLDPmf.__new__(DensePLDPmf)
        PLDPmf.__init__(
            dense, self._discretization, self._infinity_mass, self._pessimistic_estimate
        )
        dense._lower_loss, probs = common.dictionary_to_list(self._loss_probs)
        dense._probs = np.array(probs)
        dense._composition = self._composition
        return dense


def create_pmf(
    loss_probs: Mapping[int, float],
    discretization: float,
    infinity_mass: float,
    pessimistic_estimate: bool,
) -> PLDPmf:
    """Sparse up to 1000 losses, dense beyond."""
    if len(loss_probs) <= _MAX_PMF_SPARSE_SIZE:
        return SparsePLDPmf(loss_probs, discretization, infinity_mass, pessimistic_estimate)
    first, probs = common.dictionary_to_list(loss_probs)
    return DensePLDPmf(discretization, first, probs, infinity_mass, pessimistic_estimate)


def create_pmf_of_step(step: _core.StepPmf) -> PLDPmf:
    """The pmf that shows a step, sparse or dense as ``create_pmf`` would have it."""
    if step.indices.size <= _MAX_PMF_SPARSE_SIZE:
        return SparsePLDPmf.of_step(step)
    return ComposedPLDPmf(((step, 1),), 0)


def create_pmf_pessimistic_connect_dots(
    discretization: float, rounded_epsilons: npt.ArrayLike, deltas: npt.ArrayLike
) -> PLDPmf:
    """The pmf whose hockey-stick curve connects the given points, taken as exact.

    Args:
        discretization: Spacing of the grid [nats].
        rounded_epsilons: Increasing integers, in units of `discretization`.
        deltas: Delta at each of them, in [0, 1], not increasing beyond 1e-12.

    Raises:
        ValueError: An argument is not as described.

    Masses are differences of deltas, so what rounding left in those reaches them enlarged by
    1 / discretization. The constructors of ``privacy_loss_distribution`` do not use this function.

    Source: Doroshenko et al. (2022), Algorithm 1.
    """
    index = np.asarray(rounded_epsilons, dtype=np.int64)
    curve = np.asarray(deltas, dtype=np.float64)
    if index.size != curve.size or index.size == 0:
        raise ValueError(
            f"Length of rounded_epsilons and deltas are either unequal or zero: "
            f"{index.size} and {curve.size}."
        )
    if np.any(np.diff(index) <= 0):
        raise ValueError(f"rounded_epsilons are not in strictly increasing order: {index}.")
    if not np.all((curve >= 0) & (curve <= 1)):
        raise ValueError(f"deltas are not between 0 and 1 : deltas={curve}.")
    if np.any(np.diff(curve) > _DELTA_DIFF_TOLERANCE):
        raise ValueError(f"deltas are not in non-increasing order: deltas={curve}.")
    curve = np.maximum.accumulate(curve[::-1])[::-1]  # what increases was rounded down
    gaps, falls = np.diff(index) * discretization, -np.diff(curve)
    probs = np.append(1 - curve[0], falls / -np.expm1(-gaps)) - np.append(falls / np.expm1(gaps), 0)
    masses = dict(zip(index.tolist(), np.maximum(probs, 0).tolist(), strict=True))
    return create_pmf(masses, discretization, curve[-1].item(), pessimistic_estimate=True)


def create_pmf_pessimistic_connect_dots_fixed_gap(
    discretization: float,
    rounded_epsilon_lower: int,
    rounded_epsilon_upper: int,
    deltas: npt.ArrayLike,
) -> PLDPmf:
    """As ``create_pmf_pessimistic_connect_dots``, at all multiples from lower to upper."""
    if rounded_epsilon_upper < rounded_epsilon_lower:
        raise ValueError(
            f"rounded_epsilon_upper={rounded_epsilon_upper} is smaller than "
            f"rounded_epsilon_lower={rounded_epsilon_lower}."
        )
    index = np.arange(rounded_epsilon_lower, rounded_epsilon_upper + 1)
    if np.size(deltas) != index.size:
        raise ValueError(
            f"Length of deltas is not equal to number of epsilons: {np.size(deltas)} != "
            f"{index.size}."
        )
    return create_pmf_pessimistic_connect_dots(discretization, index, deltas)


def compose_pmfs(pmf1: PLDPmf, pmf2: PLDPmf, tail_mass_truncation: float = 0) -> PLDPmf:
    """The distribution of the sum of both losses; sparse if it has at most 1000."""
    if (
        isinstance(pmf1, SparsePLDPmf)
        and isinstance(pmf2, SparsePLDPmf)
        and pmf1.size * pmf2.size <= _MAX_PMF_SPARSE_SIZE
    ):
        return pmf1.compose(pmf2, tail_mass_truncation)
    return pmf1.to_dense_pmf().compose(pmf2.to_dense_pmf(), tail_mass_truncation)


def _check_times(num_times: int) -> None:
    if num_times <= 0:
        raise ValueError(f"num_times should be >= 1, num_times={num_times}")
