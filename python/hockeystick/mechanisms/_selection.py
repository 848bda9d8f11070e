# SPDX-License-Identifier: Apache-2.0
"""What mechanisms that select a candidate have in common."""

from dataclasses import dataclass

from hockeystick import _checks
from hockeystick.composition import Mechanism


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Selection(Mechanism):
    """A selection of one of the candidates that is epsilon-differentially private."""

    guaranteed_epsilon: float  # `epsilon` is what any mechanism can be asked for

    def __init__(self, *, epsilon: float) -> None:
        epsilon = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        object.__setattr__(self, "guaranteed_epsilon", epsilon)

    @property
    def arguments(self) -> dict[str, float]:
        """The keyword arguments that make an equal mechanism."""
        return {"epsilon": self.guaranteed_epsilon}

    def simplified(self) -> Mechanism | None:
        """None at epsilon = 0: the choice then ignores the scores."""
        return None if self.guaranteed_epsilon == 0 else self
