# SPDX-License-Identifier: Apache-2.0
"""What every view needs of the object it looks at."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick._solve import Directions, certified
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds

Ask = Callable[..., _core.Answers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Checked limits of one question."""

    tolerance: float
    memory_limit: int

    @classmethod
    def checked(cls, tolerance: object, memory_limit: object) -> "Limits":
        """The limits, in the types the core expects."""
        return cls(
            tolerance=_checks.tolerance(tolerance), memory_limit=_checks.memory_limit(memory_limit)
        )

    def bounds(
        self, wanted: str, label: str, points: FloatArray, directions: Directions, ask: Ask
    ) -> Bounds[Any]:
        """What `ask` certifies at all points."""
        limits = {"tolerance": self.tolerance, "memory_limit": self.memory_limit}
        answers = ask(directions, points.ravel(), **limits)
        return certified(wanted, label, points, answers, **limits)  # type: ignore[arg-type]


class Asked(ABC):
    """Something with dominating pairs."""

    __slots__ = ()

    @abstractmethod
    def _directions(self, adjacency: Adjacency) -> Directions:
        """The pairs and counts of each direction; equal directions are listed once."""
