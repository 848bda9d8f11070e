# SPDX-License-Identifier: Apache-2.0
"""``dp_accounting.pld.pld_pmf``: privacy losses of one direction, as probabilities on a grid."""

import numbers
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from hockeystick.adjacency import Adjacency
from hockeystick.compat.dp_accounting.pld import common
from hockeystick.compat.dp_accounting.pld._given import FloatArray, Shown, given
from hockeystick.compat.dp_accounting.pld._offered import refuse
from hockeystick.compat.dp_accounting.pld._run import Run


class PLDPmf:
    """The privacy loss of a run in one direction; immutable.

    Answers are certified bounds of the run itself: with `pessimistic_estimate` never below the
    truth, else never above. Probabilities at multiples of the interval are made when they are
    looked at. Given masses are taken as exact.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

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
        """The same with an array of probabilities."""
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

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> float | FloatArray:
        """Delta at a number, or at increasing numbers, of any sign."""
        return worst_delta([self.run], epsilon)

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon >= 0 with at most this delta; inf if there is none."""
        return float(self.run.epsilon([delta])[0])

    def get_epsilons_for_deltas(self, deltas: FloatArray) -> FloatArray:
        """As ``get_epsilon_for_delta``, of many."""
        return self.run.epsilon(deltas)

    def get_delta_for_epsilon_for_composed_pld(self, other: "PLDPmf", epsilon: float) -> float:
        """Delta of the composition of both."""
        return float(self.compose(other).run.delta([epsilon])[0])

    def validate_composable(self, other: "PLDPmf") -> None:
        """Raises ValueError unless both are of one grid and estimate."""
        self.run.check_like(other.run)

    def __getattr__(self, name: str) -> NoReturn:
        """What is not offered."""
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

    @classmethod
    def of_run(cls, run: Run) -> "DensePLDPmf":
        """The pmf of any run."""
        pmf = cls.__new__(cls)
        PLDPmf.__init__(pmf, run)
        return pmf


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


def worst_delta(runs: Sequence[Run], epsilon: float | Sequence[float]) -> float | FloatArray:
    """Delta of the worst run at a number, or at numbers in increasing order."""
    epsilons = np.atleast_1d(np.asarray(epsilon, dtype=np.float64))
    if np.any(epsilons[1:] < epsilons[:-1]):
        raise ValueError("Epsilons in get_delta_for_epsilon must be sorted in ascending order")
    worst = np.maximum.reduce([run.delta(epsilons) for run in runs])
    return float(worst[0]) if isinstance(epsilon, numbers.Number) else worst


def __getattr__(name: str) -> NoReturn:
    """What is not offered."""
    refuse(f"module {__name__!r}", name)
