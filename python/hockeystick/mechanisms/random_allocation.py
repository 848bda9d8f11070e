# SPDX-License-Identifier: Apache-2.0
"""A mechanism that each record joins in one of several steps, drawn at random."""

from dataclasses import dataclass
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.enclosing import Accuracy
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import large_pair, no_pair
from hockeystick.mechanisms.gaussian import Gaussian

MOST_STEPS = 10**12
SMALLEST_NOISE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomAllocation(EnclosedMechanism):
    """An epoch of `steps` Gaussian steps of which each record joins one, drawn uniformly.

    Also called balls-in-bins: every record draws its own step, independently of the others, so
    batches differ in size. Dominated, when a record is removed, by the mean over i of
    N(e_i / s, I) against N(0, I) in `steps` dimensions, s the noise multiplier, and by the reverse
    when one is added; attained by linear losses. Pairs above and below its hockey-stick curve are
    computed, from an enclosure of the curve. Not known for replaced records.

    ``10 * step.random_allocation(steps=1000)`` draws anew in each epoch. With ``epochs=10`` a
    record keeps its place in all epochs, which is exactly one epoch at noise / sqrt(10).

    Args:
        mechanism: What runs in each step; noise_multiplier / sqrt(epochs) in [0.2, 1000].
        steps: In [1, 1e12].
        epochs: In how many epochs the records keep their places, in [1, 1e9].

    Cost: once for each accuracy, milliseconds to a second at little noise and few steps; then as
    for a discrete pair of a few hundred outcomes.

    Source: Chua et al. (2025), "Balls-and-Bins Sampling for DP-SGD"; Feldman & Shenfeld (2025).

    >>> epoch = Gaussian(noise_multiplier=1.0).random_allocation(steps=1000)
    >>> 0.17172 < epoch.epsilon(delta=1e-6) < 0.17174
    True
    """

    closes: ClassVar[bool] = True
    mechanism: Gaussian
    steps: int
    epochs: int = 1

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        object.__setattr__(self, "steps", _checks.whole("steps", self.steps, 1, MOST_STEPS))
        object.__setattr__(self, "epochs", _checks.whole("epochs", self.epochs, 1, 10**9))
        noise = self.mechanism.noise_multiplier / self.epochs**0.5
        if self.steps > 1 and not SMALLEST_NOISE <= noise <= 1000:  # noqa: PLR2004
            raise ValueError(
                "noise_multiplier / sqrt(epochs) must be in [0.2, 1000] for random allocation, "
                f"got {noise!r}"
            )
        if self.steps == 1 and self.epochs > 1:
            raise ValueError(
                f"steps must be at least 2 if epochs > 1, got 1: {self.epochs} * mechanism says it"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if there is a single step."""
        return self.mechanism if self.steps == 1 else self

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair whose curve lies above that of the epoch."""
        return self._pair("above", direction, accuracy)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """A pair whose curve lies below that of the epoch."""
        return (self._pair("below", direction, accuracy),)

    def _pair(self, side: str, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        if direction.replaces:
            raise no_pair(self, direction, "no pair is proved to dominate it")
        back = "_back" if direction.form == "add" else ""
        noise = self.mechanism.noise_multiplier
        of = (noise, self.steps, self.epochs, accuracy.cells, accuracy.tail)
        return large_pair(f"random_allocation_{side}{back}", *of)
