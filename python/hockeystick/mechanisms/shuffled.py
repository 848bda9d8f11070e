# SPDX-License-Identifier: Apache-2.0
"""An epoch of the Gaussian mechanism over shuffled batches of equal size."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.enclosing import Accuracy
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import large_pair, no_pair, pair
from hockeystick.mechanisms.gaussian import Gaussian, noise_divisor

# Below these noise multipliers, over the distance of the means, the largest batch tells more than
# a random allocation does, or as much for less.
_ALLOCATED = {True: 1.0, False: 1.5}  # by whether any record may replace it
_MOST_ALLOCATED = 1000.0


@dataclass(frozen=True, slots=True, repr=False)
class Shuffled(EnclosedMechanism):
    """An epoch in which the records are shuffled and cut into `batches` batches of equal size.

    No tight pair is known. Above: whoever knows the record's batch sees one Gaussian step, so an
    epoch costs at most that. Below are adversaries who choose all other records alike. When a
    record is made a special one that adds nothing, every other record adds -1 to its batch, and the
    largest of the batches is looked at; or the others add nothing, which is a random allocation.
    When any record may replace it, also the special one, the others add what the new one does: a
    random allocation at half the noise. Bounds are ``limited_by == "theory"``. Batches of fixed
    order (cyclic, deterministic) cost exactly one Gaussian step an epoch.

    ``10 * step.shuffled(batches=1000)`` shuffles anew in each epoch. With ``epochs=10`` the records
    are shuffled once and keep their places, which is exactly one epoch at noise / sqrt(10).

    Args:
        mechanism: What runs on each batch.
        batches: In an epoch, in [1, 1e12].
        epochs: In how many epochs the records keep their places, in [1, 1e9].

    Source: Chua et al. (2024), "How private are DP-SGD implementations?".

    >>> epoch = Gaussian(noise_multiplier=1.0).shuffled(batches=1000)
    >>> lower, upper = epoch.epsilon_bounds(delta=1e-6, adjacency="replace-special")
    >>> 3.71 < lower < 3.73 and 4.88 < upper < 4.89
    True
    """

    made_by: ClassVar[str] = "shuffled"
    closes: ClassVar[bool] = False
    mechanism: Gaussian
    _: KW_ONLY
    batches: int
    epochs: int = 1

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        object.__setattr__(self, "batches", _checks.whole("batches", self.batches, 1, 10**12))
        object.__setattr__(self, "epochs", _checks.whole("epochs", self.epochs, 1, 10**9))
        noise = self.mechanism.noise_multiplier / self.epochs**0.5
        if noise < _checks.MIN_NOISE:
            raise ValueError(
                f"noise_multiplier / sqrt(epochs) must be at least {_checks.MIN_NOISE:g}, "
                f"got {noise!r}"
            )
        if self.batches == 1 and self.epochs > 1:
            raise ValueError(
                f"batches must be at least 2 if epochs > 1, got 1: say {self.epochs} * mechanism"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if all records are in one batch."""
        return self.mechanism if self.batches == 1 else self

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """The Gaussian pair of the record's own steps."""
        del accuracy  # it is exact
        self._check(direction)
        return Gaussian(noise_multiplier=self._noise(-1)).dominating_pair(direction)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """The pairs of ways in which the other records may stand."""
        self._check(direction)
        noise, back = self._noise(1), "_back" if direction.backward else ""
        # Where the means of the record's batch stand, with it and without it, among the others'.
        means = ((2.0, 1.0), (2.0, 0.0)) if direction.replaces else ((2.0, 1.0),)
        known = [pair(f"shuffled_below{back}", noise, self.batches, *both) for both in means]
        spread = noise / noise_divisor(direction)
        if _ALLOCATED[direction.replaces] <= spread <= _MOST_ALLOCATED:
            of = (spread, self.batches, 1, *accuracy.absolute)
            known.append(large_pair(f"random_allocation_below{back}", *of))
        return tuple(known)

    def _noise(self, side: int) -> float:
        """The noise multiplier of all epochs, rounded up or down."""
        noise = self.mechanism.noise_multiplier
        return noise if self.epochs == 1 else noise / self.epochs**0.5 * (1 + side * 2.0**-50)

    def _check(self, direction: Direction) -> None:
        if direction in (Direction.REMOVE, Direction.ADD):
            reason = "the batches change with the number of records"
            raise no_pair(self, direction, reason)
