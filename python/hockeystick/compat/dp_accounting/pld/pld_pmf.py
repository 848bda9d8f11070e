# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.pld_pmf``: privacy losses of one direction, as probabilities on a grid."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NoReturn, Self

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick import outward
from hockeystick.adjacency import Adjacency
from hockeystick.compat import _arguments
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._given import FloatArray, Shown, given, mixed
from hockeystick.compat.dp_accounting.pld._offered import refuse
from hockeystick.compat.dp_accounting.pld._run import Run

_MOST_SPARSE = 1000
_FARTHEST = 500.0  # nats
_RISE = 1e-12  # of deltas that should fall


class PLDPmf:
    """The privacy loss of a run in one direction; immutable.

    Answers are certified bounds of the run itself: with `pessimistic_estimate` never below the
    truth, else never above. Probabilities at multiples of the interval are made when they are
    looked at. Given masses are taken as exact.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """The pmf of any run."""
        pmf = cls.__new__(cls)
        PLDPmf.__init__(pmf, run)
        return pmf

    @cached_property
    def _shown(self) -> Shown:
        return self.run.shown()

    @property
    def _discretization(self) -> float:
        return self.run.interval

    @property
    def _pessimistic_estimate(self) -> bool:
        return self.run.pessimistic

    @property
    def _lower_loss(self) -> int:
        return self._shown.first

    @property
    def _probs(self) -> FloatArray:
        return self._shown.probs

    @property
    def _infinity_mass(self) -> float:
        return self._shown.infinity_mass

    @property
    def _loss_probs(self) -> Mapping[int, float]:
        return common.list_to_dictionary(self._probs, self._lower_loss)

    @property
    def size(self) -> int:
        """The number of losses."""
        return len(self._probs)

    def to_dense_pmf(self) -> "DensePLDPmf":
        """The distribution with an array of probabilities."""
        if isinstance(self, DensePLDPmf):
            return self
        dense = DensePLDPmf.of_run(self.run)
        dense._shown = self._shown
        return dense

    def compose(self, other: "PLDPmf", tail_mass_truncation: float = 0) -> "DensePLDPmf":
        """The distribution of the sum of both losses.

        The probabilities shown lose up to `tail_mass_truncation`; answers do not.
        """
        self.validate_composable(other)
        return DensePLDPmf.of_run(self.run.plus(other.run, tail_mass_truncation))

    def self_compose(self, num_times: int, tail_mass_truncation: float = 1e-15) -> "DensePLDPmf":
        """The distribution of the sum of `num_times` losses; truncation as in ``compose``."""
        return DensePLDPmf.of_run(self.run.times(num_times, tail_mass_truncation))

    def compute_mixture(self, other: "PLDPmf", self_weight: float) -> "PLDPmf":
        """This with probability `self_weight`, else the other; which of both is known.

        The masses shown are what is mixed, moved outward by what products round: certified like
        they are, which what is composed of given masses is not.

        Raises:
            ValueError: Grids or estimates differ, or `self_weight` is not in [0, 1].
        """
        self.validate_composable(other)
        if not 0 <= self_weight <= 1:
            raise ValueError(f"self_weight should be in [0, 1], got {self_weight!r}")
        if self_weight in {0, 1}:
            return self if self_weight else other
        pessimistic = self._pessimistic_estimate
        shown = mixed(self._shown, other._shown, self_weight, pessimistic=pessimistic)
        return DensePLDPmf(self._discretization, *shown, pessimistic)

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> float | FloatArray:
        """Delta at a number, or at increasing numbers, of any sign."""
        return worst_delta([self.run], epsilon)

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon >= 0 with at most this delta; inf if there is none."""
        return float(self.run.epsilon([_arguments.number("delta", delta)])[0])

    def get_epsilons_for_deltas(self, deltas: FloatArray) -> FloatArray:
        """Answers many deltas as ``get_epsilon_for_delta`` does."""
        return self.run.epsilon(deltas)

    def get_delta_for_epsilon_for_composed_pld(self, other: "PLDPmf", epsilon: float) -> float:
        """Delta of the composition of both."""
        return float(self.compose(other).run.delta([epsilon])[0])

    def validate_composable(self, other: "PLDPmf") -> None:
        """Raises ValueError unless both are of one grid and estimate."""
        self.run.check_like(other.run)

    def __getattr__(self, name: str) -> NoReturn:
        """Refuses a name that is not offered."""
        refuse(type(self).__name__, name)

    def _give(self, shown: Shown, interval: float, pessimistic: bool) -> None:
        """Let these be the masses."""
        masses = given(shown, interval, pessimistic=pessimistic)
        direction = Adjacency.REMOVE_ONE
        self._shown = shown
        PLDPmf.__init__(
            self, Run(1 * masses.pair, direction, pessimistic, interval, given=((masses, 1),))
        )


class DensePLDPmf(PLDPmf):
    """Probabilities at (lower_loss + k) * discretization, k = 0, 1, ..."""

    def __init__(
        self,
        discretization: float,
        lower_loss: int,
        probs: npt.ArrayLike,
        infinity_mass: float,
        pessimistic_estimate: bool,
    ) -> None:
        masses = np.asarray(probs, dtype=np.float64)
        shown = Shown(int(lower_loss), masses, infinity_mass)
        self._give(shown, discretization, pessimistic_estimate)


class SparsePLDPmf(PLDPmf):
    """Probabilities by loss, in units of discretization."""

    def __init__(
        self,
        loss_probs: Mapping[int, float],
        discretization: float,
        infinity_mass: float,
        pessimistic_estimate: bool,
    ) -> None:
        first, probs = common.dictionary_to_list(loss_probs) if loss_probs else (0, [])
        shown = Shown(first, np.array(probs, dtype=np.float64), infinity_mass)
        self._give(shown, discretization, pessimistic_estimate)

    @property
    def size(self) -> int:
        """The number of losses."""
        return len(self._loss_probs)


def create_pmf(
    loss_probs: Mapping[int, float],
    discretization: float,
    infinity_mass: float,
    pessimistic_estimate: bool,
) -> PLDPmf:
    """The pmf with these masses, which are taken as exact; sparse if they are few."""
    sparse = SparsePLDPmf(loss_probs, discretization, infinity_mass, pessimistic_estimate)
    return sparse if len(loss_probs) <= _MOST_SPARSE else sparse.to_dense_pmf()


def compose_pmfs(pmf1: PLDPmf, pmf2: PLDPmf, tail_mass_truncation: float = 0) -> PLDPmf:
    """The distribution of the sum of both losses, as ``PLDPmf.compose``; sparse if of few sums."""
    both = pmf1.compose(pmf2, tail_mass_truncation)
    few = all(isinstance(pmf, SparsePLDPmf) for pmf in (pmf1, pmf2))
    few = few and pmf1.size * pmf2.size <= _MOST_SPARSE
    return SparsePLDPmf.of_run(both.run) if few else both


def create_pmf_pessimistic_connect_dots(
    discretization: float, rounded_epsilons: npt.ArrayLike, deltas: npt.ArrayLike
) -> PLDPmf:
    """The privacy loss of a mechanism of which upper bounds of delta are known at some epsilons.

    Answers are certified for any mechanism with at most these deltas: what is composed is the
    ``HockeyStickCurve`` through them, rounded outward.

    Args:
        discretization: In units of this the epsilons are given [nats].
        rounded_epsilons: Whole numbers in increasing order, of any sign.
        deltas: In [0, 1], none larger than the one before it by more than 1e-12.

    Raises:
        ValueError: There are no epsilons, or not as many deltas, or they are not in this order, or
            of no mechanism.
    """
    at, upper = np.asarray(rounded_epsilons, dtype=int), np.asarray(deltas, dtype=np.float64)
    if at.size != upper.size or at.size == 0:
        raise ValueError(
            "Length of rounded_epsilons and deltas are either unequal or zero: "
            f"rounded_epsilons={at}, deltas={upper}."
        )
    if np.any(np.diff(at) <= 0):
        raise ValueError(
            f"rounded_epsilons are not in strictly increasing order: rounded_epsilons={at}."
        )
    if not abs(at * discretization).max() <= _FARTHEST:
        raise ValueError(
            f"rounded_epsilons must be within {_FARTHEST:g} / discretization, "
            f"got {at} of {discretization}"
        )
    if not np.all((upper >= 0) & (upper <= 1)):
        raise ValueError(f"deltas are not between 0 and 1 : deltas={upper}.")
    if np.any(np.diff(upper) > _RISE):
        raise ValueError(f"deltas are not in non-increasing order: deltas={upper}.")
    # A curve falls, so that a delta at some alpha bounds those beyond: alpha is rounded up. It
    # stays where it is behind the last point, which is written as one more.
    losses = outward.product(np.append(at, at[-1] + 1), discretization, above=True)
    alpha = outward.exp(losses, above=True)
    curve = hs.HockeyStickCurve(
        alpha=tuple(alpha.tolist()),
        lower=tuple(np.maximum(outward.difference(1, alpha, above=False), 0).tolist()),
        upper=(*upper.tolist(), float(upper[-1])),
    )
    return DensePLDPmf.of_run(Run(1 * curve, Adjacency.REMOVE_ONE, True, discretization))


def create_pmf_pessimistic_connect_dots_fixed_gap(
    discretization: float,
    rounded_epsilon_lower: int,
    rounded_epsilon_upper: int,
    deltas: npt.ArrayLike,
) -> PLDPmf:
    """As ``create_pmf_pessimistic_connect_dots``, at all multiples between two numbers."""
    low, high, size = rounded_epsilon_lower, rounded_epsilon_upper, np.size(deltas)
    if high < low:
        raise ValueError(
            f"rounded_epsilon_upper={high} is smaller than rounded_epsilon_lower={low}."
        )
    if size != high - low + 1:
        raise ValueError(
            "Length of deltas is not equal to number of epsilons: "
            f"number of epsilons = {high - low + 1}, number of deltas = {size}."
        )
    return create_pmf_pessimistic_connect_dots(discretization, np.arange(low, high + 1), deltas)


def worst_delta(runs: Sequence[Run], epsilon: npt.ArrayLike) -> float | FloatArray:
    """Delta of the worst run at a number, or at numbers in increasing order."""
    at = _arguments.numbers_of("epsilon", epsilon)
    epsilons = np.atleast_1d(at)
    if np.any(epsilons[1:] < epsilons[:-1]):
        raise ValueError("Epsilons in get_delta_for_epsilon must be sorted in ascending order")
    worst = np.maximum.reduce([run.delta(epsilons) for run in runs])
    return worst if at.ndim else float(worst[0])


def __getattr__(name: str) -> NoReturn:
    """Refuses a name that is not offered."""
    refuse(f"module {__name__!r}", name)
