# SPDX-License-Identifier: Apache-2.0
"""A running account of what has been spent."""

from hockeystick.accountant.admission import Admission
from hockeystick.accountant.saved_ledger import SavedLedger
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.limits import DEFAULT_MEMORY_LIMIT

__all__ = ["Accountant"]


class Accountant(Admission, SavedLedger):
    """A ledger of the mechanisms that ran, for training loops and services.

    Mutable. Threads may share it: each change is made as a whole, one after another.

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
    ((Gaussian(noise_multiplier=2.0), 4),)
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
        return self.composition.epsilon_bounds(
            delta,
            adjacency=self._adjacency,
            tolerance=self._tolerance,
            memory_limit=memory_limit,
        )

    def delta(self, epsilon: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> Value:
        """Certified upper bound on delta; see ``Composition.delta``."""
        return self.delta_bounds(epsilon, memory_limit=memory_limit).upper

    def delta_bounds(
        self, epsilon: Value | Array, *, memory_limit: int = DEFAULT_MEMORY_LIMIT
    ) -> Bounds[Value]:
        """Delta so far, enclosed; see ``Composition.delta_bounds``."""
        return self.composition.delta_bounds(
            epsilon,
            adjacency=self._adjacency,
            tolerance=self._tolerance,
            memory_limit=memory_limit,
        )
