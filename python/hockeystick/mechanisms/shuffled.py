# SPDX-License-Identifier: Apache-2.0
"""An epoch of the Gaussian mechanism over shuffled batches of equal size."""

from dataclasses import dataclass
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.enclosing import Accuracy
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import large_pair, no_pair, pair
from hockeystick.mechanisms.gaussian import Gaussian, noise_divisor

_SPREAD = 8  # cells of a maximum, per unit of noise, for one of the accuracy in a deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled(EnclosedMechanism):
    """An epoch in which the records are shuffled and cut into `batches` batches of equal size.

    No tight pair is known. Above: whoever knows the record's batch sees one Gaussian step, so an
    epoch costs at most that. Below, when a record is made a special one that adds nothing: two
    adversaries. Every other record adds -1 to its batch, and the largest of the batches is looked
    at; or the others add nothing, which is a random allocation. When a record is replaced: a random
    allocation at half the noise. Bounds are ``limited_by == "theory"``. Batches of fixed order
    (cyclic, deterministic) cost exactly one Gaussian step an epoch.

    Args:
        mechanism: What runs on each batch; noise multipliers in [0.4, 1000].
        batches: In an epoch, in [1, 1e12].

    Source: Chua et al. (2024), "How private are DP-SGD implementations?".

    >>> epoch = Gaussian(noise_multiplier=1.0).shuffled(batches=1000)
    >>> lower, upper = epoch.epsilon_bounds(delta=1e-6, adjacency="replace-special")
    >>> 3.72 < lower < 3.73 and 4.88 < upper < 4.89
    True
    """

    closes: ClassVar[bool] = False
    mechanism: Gaussian
    batches: int

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        object.__setattr__(self, "batches", _checks.whole("batches", self.batches, 1, 10**12))
        noise = self.mechanism.noise_multiplier
        if self.batches > 1 and not 0.4 <= noise <= 1000:  # noqa: PLR2004
            raise ValueError(
                f"noise_multiplier of a shuffled epoch must be in [0.4, 1000], got {noise!r}"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if all records are in one batch."""
        return self.mechanism if self.batches == 1 else self

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """The Gaussian pair of the record's own step."""
        del accuracy  # it is exact
        self._check(direction)
        return self.mechanism.dominating_pair(direction)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """The pairs of two ways in which the other records may stand."""
        self._check(direction)
        noise = self.mechanism.noise_multiplier
        back = "_back" if direction.backward else ""
        of = (noise / noise_divisor(direction), self.batches, 1, *accuracy)
        allocation = large_pair(f"random_allocation_below{back}", *of)
        if direction.replaces:
            return (allocation,)
        return (allocation, pair(f"shuffled_below{back}", noise, self.batches, _SPREAD * 4))

    def _check(self, direction: Direction) -> None:
        if direction in (Direction.REMOVE, Direction.ADD):
            reason = (
                "the batches change with the number of records; "
                'ask with adjacency="replace-special" or "replace-one"'
            )
            raise no_pair(self, direction, reason)
