# SPDX-License-Identifier: Apache-2.0
"""What every privacy loss offers."""

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from hockeystick import _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Direction

Points = float | Iterable[float]
Values = float | FloatArray


class AdjacencyType(Enum):
    """Which of two neighbouring datasets is the upper distribution's."""

    ADD = "ADD"
    REMOVE = "REMOVE"
    REPLACE = "REPLACE"

    @property
    def direction(self) -> Direction:
        """The same in this library's words."""
        return _DIRECTIONS[self]


_DIRECTIONS = {
    AdjacencyType.ADD: Direction.ADD,
    AdjacencyType.REMOVE: Direction.REMOVE,
    AdjacencyType.REPLACE: Direction.REPLACE,
}


@dataclass(frozen=True)
class TailPrivacyLossDistribution:
    """Where outcomes are cut off, and the masses by loss of what is cut off there."""

    lower_x_truncation: float
    upper_x_truncation: float
    tail_probability_mass_function: Mapping[float, float]


@dataclass(frozen=True)
class ConnectDotsBounds:
    """The losses, or for discrete mechanisms the outcomes, between which dots are connected."""

    epsilon_upper: float | None = None
    epsilon_lower: float | None = None
    lower_x: int | None = None
    upper_x: int | None = None


class MonotonePrivacyLoss(ABC):
    """A privacy loss that does not increase with the outcome x."""

    adjacency_type: AdjacencyType

    def __init__(self, is_discrete: bool) -> None:
        self.is_discrete = is_discrete

    @abstractmethod
    def mu_upper_cdf(self, x: Points) -> Values:
        """P(outcome <= x) of the upper distribution."""

    @abstractmethod
    def mu_lower_log_cdf(self, x: Points) -> Values:
        """log P(outcome <= x) of the lower distribution."""

    @abstractmethod
    def pair(self) -> _core.DominatingPair:
        """The pair of upper and lower distribution, as the core knows it."""

    @abstractmethod
    def privacy_loss_tail(self) -> TailPrivacyLossDistribution:
        """What lies outside the outcomes that count, in distributions on a grid."""

    def connect_dots_bounds(self) -> ConnectDotsBounds:
        """The losses where the tails begin."""
        tail = self.privacy_loss_tail()
        return ConnectDotsBounds(
            epsilon_upper=self.privacy_loss(tail.lower_x_truncation),
            epsilon_lower=self.privacy_loss(tail.upper_x_truncation),
        )

    @abstractmethod
    def privacy_loss(self, x: float) -> float:
        """The privacy loss of the outcome x [nats]."""

    @abstractmethod
    def inverse_privacy_loss(self, privacy_loss: float) -> float:
        """The largest x whose loss is at least `privacy_loss`; +-inf where all or none are."""

    def get_delta_for_epsilon(self, epsilon: float | Sequence[float]) -> Values:
        """Upper bound of delta, certified; a float or an array like `epsilon`, any sign."""
        epsilons = np.atleast_1d(np.asarray(epsilon, dtype=np.float64))
        deltas = self.pair().delta_above(epsilons)
        return float(deltas[0]) if isinstance(epsilon, numbers.Number) else deltas

    def _unsupported(self) -> ValueError:
        return ValueError(f"{self.adjacency_type} adjacency type is not supported.")


def positive(name: str, value: float) -> None:
    """Raises unless `value` is a positive number."""
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} is not a positive real number: {value}")


def whole(value: object) -> None:
    """Raises unless the sensitivity is an integer."""
    if not isinstance(value, int):
        raise ValueError(f"Sensitivity is not an integer : {value}")  # noqa: TRY004 - as documented
