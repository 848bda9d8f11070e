# SPDX-License-Identifier: Apache-2.0
"""The common part of mechanisms that are known by a guarantee."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms.poisson_sampled import SamplableMechanism

_KEPT = ("epsilon", "delta")
Init = TypeVar("Init", bound=Callable[..., None])


def replaceable(init: Init) -> Init:
    """Let ``dataclasses.replace`` make a mechanism from its fields by this constructor.

    A guaranteed epsilon is kept in the field ``guaranteed_epsilon``, since ``epsilon`` is what any
    mechanism can be asked for. The constructor takes both names; ``epsilon`` counts if given.
    """

    @wraps(init)
    def made(self: Mechanism, *positional: object, **given: Any) -> None:
        for name in _KEPT:
            if (field := f"guaranteed_{name}") in given:
                given.setdefault(name, given.pop(field))
        init(self, *positional, **given)

    return cast("Init", made)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Selection(SamplableMechanism):
    """A selection of one of the candidates that is epsilon-differentially private."""

    guaranteed_epsilon: float

    @replaceable
    def __init__(self, epsilon: float) -> None:
        checked = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
        _checks.keep(self, guaranteed_epsilon=checked)

    def simplified(self) -> Mechanism | None:
        """None at epsilon = 0: the choice then ignores the scores."""
        return None if self.guaranteed_epsilon == 0 else self
