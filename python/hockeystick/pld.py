# SPDX-License-Identifier: Apache-2.0
"""Privacy loss distributions on a grid, as one sees and plots them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.bounds import Value


class PldErrorBudget(NamedTuple):
    """What the queries of a distribution add (side upper) or subtract (side lower)."""

    slack: float
    """In units of delta: truncation, wrap-around and rounding of the masses."""
    loss_error: float
    """In nats: by how much the losses may be off through rounding."""


@dataclass(frozen=True, slots=True)
class PrivacyLossDistribution:
    """The law of the privacy loss log(dP/dQ)(x), x ~ P, estimated from one side.

    `side` says which: queries of an "upper" distribution are never below the truth, of a "lower"
    one never above it. The distributions of both directions of ADD_OR_REMOVE_ONE are kept, removal
    first; `losses`, `probabilities` and `infinity_mass` show the first, the queries answer for the
    worse, and ``reflected()`` swaps the roles of P and Q.

    Made by ``Composition.pld``. Source: Dwork & Rothblum (2016); Sommer, Meiser & Mohammadi (2019).
    """

    _pmfs: tuple[_core.LossPmf, ...]

    @property
    def side(self) -> str:
        """The side of the truth its queries are on: "upper" or "lower"."""
        return self._pmfs[0].side

    @property
    def discretization_interval(self) -> float:
        """Spacing of the losses [nats]."""
        return self._pmfs[0].interval

    @property
    def losses(self) -> FloatArray:
        """The losses [nats], increasing, shape (n,)."""
        pmf = self._pmfs[0]
        return np.arange(pmf.first, pmf.first + pmf.mass.size) * np.float64(pmf.interval)

    @property
    def probabilities(self) -> FloatArray:
        """The mass at each loss, shape (n,), read-only."""
        return self._pmfs[0].mass

    @property
    def infinity_mass(self) -> float:
        """The mass at loss +inf, truncated mass included where the side asks for it."""
        return self._pmfs[0].infinity_mass

    @property
    def error_budget(self) -> PldErrorBudget:
        """What the queries have to allow for, the larger of the directions."""
        return PldErrorBudget(
            slack=max(pmf.slack for pmf in self._pmfs),
            loss_error=max(pmf.loss_error for pmf in self._pmfs),
        )

    def delta(self, epsilon: Value) -> Value:
        """Delta at `epsilon`, bounded from this distribution's side.

        Args:
            epsilon: In [0, 1e4] nats, scalar or any shape.

        Returns:
            A float, or an array shaped like `epsilon`.
        """
        points = _checks.epsilon_array(epsilon)
        worst: Value = self._worst("delta", points)
        return worst

    def epsilon(self, delta: Value) -> Value:
        """Smallest epsilon at which the loss is (epsilon, delta)-DP, bounded from this side.

        Args:
            delta: In (0, 1), scalar or any shape.

        Returns:
            A float, or an array shaped like `delta`, in nats; inf where delta is out of reach.
        """
        points = _checks.delta_array(delta)
        worst: Value = self._worst("epsilon", points)
        return worst

    def reflected(self) -> "PrivacyLossDistribution":
        """The distribution for (Q, P): mass m at loss l becomes mass m e^-l at -l."""
        return PrivacyLossDistribution(tuple(pmf.reflected() for pmf in self._pmfs))

    def _worst(self, query: str, points: FloatArray) -> Any:  # noqa: ANN401
        answers = [getattr(pmf, query)(points.ravel()) for pmf in self._pmfs]
        worst = np.maximum.reduce(answers).reshape(points.shape)
        return worst if points.shape else float(worst)
