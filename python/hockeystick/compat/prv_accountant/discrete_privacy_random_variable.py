# SPDX-License-Identifier: Apache-2.0
"""``prv_accountant.discrete_privacy_random_variable``: losses on a grid, given or composed."""

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import hockeystick as hs
from hockeystick import given_cdf, outward
from hockeystick.compat import _arguments
from hockeystick.compat.prv_accountant.composed import Answer, Composed
from hockeystick.compat.prv_accountant.domain import Domain
from hockeystick.compat.prv_accountant.privacy_random_variables import (
    abstract_privacy_random_variable as abstract,
)
from hockeystick.given_cdf import Enclosed

FloatArray = npt.NDArray[np.float64]


class DiscretePrivacyRandomVariable(abstract.KnownMechanism):
    """A loss with masses on a grid. Answers enclose what the masses say, as they are.

    Args:
        pmf: The masses of finite losses; they must sum to 1 where something is asked.
        domain: Their losses.
        log_pmc_inf: The logarithm of the probability that the loss is finite.
    """

    def __init__(self, pmf: npt.ArrayLike, domain: Domain, log_pmc_inf: float = 0.0) -> None:
        self.pmf: FloatArray = np.asarray(pmf, dtype=np.float64)
        self.domain: Domain = domain
        self.log_pmc_inf: float = float(log_pmc_inf)
        if not self.log_pmc_inf <= 0:
            raise ValueError(f"log_pmc_inf must be <= 0, got {log_pmc_inf!r}")
        if self.pmf.shape != (len(domain),):
            raise ValueError(f"pmf must have a mass for each of {len(domain)} losses of domain")
        self.parts: list[tuple[DiscretePrivacyRandomVariable, int]] = [(self, 1)]

    def __len__(self) -> int:
        return len(self.pmf)

    @property
    def pm_inf(self) -> float:
        """P(L = inf)."""
        return -math.expm1(self.log_pmc_inf)

    def cdf(self, t: Any) -> Any:  # noqa: ANN401, as theirs
        """P(L <= t) of finite losses."""
        places = np.searchsorted(self.domain.ts(), np.asarray(t, dtype=np.float64), side="right")
        return np.append(0.0, np.cumsum(self.pmf))[places]

    def compute_epsilon(self, delta: float, delta_error: float, epsilon_error: float) -> Answer:
        """Bounds on epsilon at `delta`, with an estimate between them: (lower, estimate, upper).

        Args:
            delta: In (0, 1).
            delta_error: >= 0; not used: what is off is in the bounds.
            epsilon_error: The widest gap between the bounds, > 0 [nats].

        Raises:
            CertificationError: `epsilon_error` is out of reach; carries the best bounds.
        """
        _arguments.probability("delta_error", delta_error)
        widest = _arguments.positive("epsilon_error", epsilon_error)
        lower, _, upper = self._composed.epsilon(_arguments.one_delta(delta), widest)
        return lower, min(max(self._composed.estimate("epsilon", delta), lower), upper), upper

    def compute_delta_estimate(self, epsilon: float) -> float:
        """Delta at `epsilon` >= 0, an estimate to about 1e-10."""
        return self._composed.estimate("delta", _arguments.one_epsilon(epsilon))

    @cached_property
    def _composed(self) -> Composed:
        return Composed.of((part._enclosed, n) for part, n in self.parts)

    @cached_property
    def _enclosed(self) -> Enclosed:  # type: ignore[override]
        if self.parts != [(self, 1)]:
            whole = self._composed
            return Enclosed(*whole[:4])
        finite = given_cdf.enclosed_masses(self.domain.ts(), self.pmf)
        ends = (-outward.expm1(self.log_pmc_inf, above=above) for above in (True, False))
        return abstract.with_infinite(finite, *(min(max(end, 0.0), 1.0) for end in ends))


class ComposedPrivacyRandomVariable(DiscretePrivacyRandomVariable):
    """The loss of a composition. Answers are of the composition itself, not of the masses shown."""

    def __init__(self, composed: Composed, interval: float) -> None:
        self._composed = composed
        self._interval = interval
        self.parts = []

    @cached_property
    def _shown(self) -> tuple[FloatArray, Domain, float]:
        pld = self._composed.less_private.pld(
            discretization_interval=self._interval, adjacency=hs.Adjacency.REMOVE_ONE
        )
        finite = math.fsum(pld.probabilities)
        pmf = np.append(pld.probabilities / finite, [0.0] * (len(pld.probabilities) % 2))
        first, last = pld.losses[0], pld.losses[0] + (len(pmf) - 1) * self._interval
        return pmf, Domain(first, last, len(pmf)), math.log1p(-min(pld.infinity_mass, 1.0))

    @property
    def pmf(self) -> FloatArray:  # type: ignore[override]  # is read only
        """The masses of finite losses, above the truth."""
        return self._shown[0]

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Their losses."""
        return self._shown[1]

    @property
    def log_pmc_inf(self) -> float:  # type: ignore[override]
        """The logarithm of the probability that the loss is finite."""
        return self._shown[2]
