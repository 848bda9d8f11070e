# SPDX-License-Identifier: Apache-2.0
"""A running account of what has been spent."""

from typing import Any

from hockeystick.accountant.report import Reported
from hockeystick.accountant.run_file import Described
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, Limits

__all__ = ["Accountant"]


class Accountant(Reported, Described):
    """A ledger of the mechanisms that ran, for training loops and services.

    Mutable. Threads may share it: each change is made as a whole, one after another.

    From 32 distinct mechanisms on, what answered the last questions of epsilon or delta is kept, up
    to 2 MiB each: of Gaussians, sampled or not, a new step then costs what it alone takes. Such
    bounds are as certified and as tight as those of its ``composition``, if not the same bits.

    Args:
        adjacency: Which datasets are neighbours, an ``Adjacency`` or its name, for every query.
        tolerance: Widest relative gap accepted, in (1e-12, 1), for every query.

    Raises:
        ValueError: `tolerance` is out of range.
        TypeError: An argument has the wrong type.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> acct = hs.Accountant()
    >>> acct.compose(step, count=3).compose(step).ledger
    ((Gaussian(2.0), 4),)
    >>> hs.Accountant.from_json(acct.to_json()).ledger == acct.ledger
    True
    """

    def epsilon(self, delta: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on epsilon; see ``Composition.epsilon``."""
        return self.epsilon_bounds(delta, memory_limit=memory_limit).upper

    def epsilon_bounds(
        self, delta: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Epsilon so far, enclosed; see ``Composition.epsilon_bounds``."""
        return self._bounds("epsilon", delta, memory_limit)

    def delta(self, epsilon: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on delta; see ``Composition.delta``."""
        return self.delta_bounds(epsilon, memory_limit=memory_limit).upper

    def delta_bounds(
        self, epsilon: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Delta so far, enclosed; see ``Composition.delta_bounds``."""
        return self._bounds("delta", epsilon, memory_limit)

    def _bounds(self, name: str, at: Value | Array, memory_limit: int) -> Bounds[Value]:
        """From what was kept of questions before, if that helps."""
        entries = self._entries
        limits = Limits(self._adjacency, self._tolerance).updated({"memory_limit": memory_limit})
        asked = {"delta" if name == "epsilon" else "epsilon": at, **limits._asdict()}
        found: Any = self._kept.runs.bounds(name, at, entries, limits)
        if found is None:
            found = getattr(entries.composition, f"{name}_bounds")(**asked)
        bounds: Bounds[Value] = found
        bounds._asked = (entries.composition, asked)  # noqa: SLF001
        return bounds
