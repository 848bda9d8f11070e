# SPDX-License-Identifier: Apache-2.0
"""A mechanism that each record joins in several of many steps, drawn at random."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Composition, Mechanism, Terms
from hockeystick.mechanisms._enclosed import Accuracy, EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.random_allocation import RandomAllocation


@dataclass(frozen=True, slots=True, repr=False)
class SelectedSteps(EnclosedMechanism):
    """An epoch of `steps` Gaussian steps of which each record joins exactly `selected`.

    Every record draws its own set of steps, uniformly and independently of the others; also called
    balanced iteration subsampling. In units of the noise, it is dominated, when a record is
    removed, by the mean over sets I of N(1_I / s, I) against N(0, I), and by the reverse when one
    is added; attained by linear losses. That pair is enclosed:

    - above by the composition of `selected` random allocations, in blocks of steps as equal in
      size as can be: the set is one step in each block of a random partition, and hockey-stick
      curves are jointly convex;
    - below by statistics of the outputs x: sums of e^(m x_i) for some m up to 1 / s, whose laws
      are computed, and the sum of x_i, a Gaussian mechanism of noise s sqrt(steps) / selected.

    The truth between is not known: bounds are ``limited_by == "theory"``. Not known for replaced
    records.

    Args:
        mechanism: What runs in each step; noise_multiplier / sqrt(epochs) is at least 0.001.
        steps: t, in [3, 1e12].
        selected: k, in [2, t - 1], at most 1e9. For one step see `RandomAllocation`; t steps are
            ``t * mechanism``.
        epochs: In how many epochs the records keep their places, in [1, 1e9]: exactly one epoch at
            noise / sqrt(epochs), as the mean over epochs tells all that the outputs do.

    Cost: of random allocations, and as much for the law below.

    Source: Feldman & Shenfeld (2025); Dong & Ozgur (2026).

    >>> epoch = Gaussian(noise_multiplier=2.0).random_allocation(steps=400, selected=20)
    >>> bounds = epoch.epsilon_bounds(delta=1e-6)
    >>> bounds.limited_by
    'theory'
    >>> 2.40 < bounds.lower < 2.41 and 2.42 < bounds.upper < 2.43
    True
    """

    made_by: ClassVar[str] = "random_allocation"
    mechanism: Gaussian
    _: KW_ONLY
    steps: int
    selected: int
    epochs: int = 1

    @property
    def steps_covered(self) -> int:
        """The steps of an epoch, in which records keep their places."""
        return self.steps * self.epochs

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        steps = _checks.whole("steps", self.steps, 3, _checks.MAX_STEPS)
        selected = _checks.whole("selected", self.selected, 2, min(steps - 1, _checks.MAX_COUNT))
        epochs = _checks.whole("epochs", self.epochs, 1, 10**9)
        _checks.keep(self, steps=steps, selected=selected, epochs=epochs)
        _ = self.run_above  # refuses what no block may be

    @property
    def run_above(self) -> Terms:
        """The random allocations of a partition into blocks."""
        return blocks(self.mechanism, self.steps, self.selected, self.epochs).terms

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """None: the pairs of `run_above` together dominate it."""
        del direction, accuracy
        raise ValueError(f"{self!r} is dominated by a composition, not by one pair: see run_above")


def allocated(
    mechanism: Mechanism, steps: int, epochs: int, selected: int, *, per_block: bool
) -> RandomAllocation | SelectedSteps | Composition:
    """An epoch of which each record joins `selected` steps: `random_allocation` of mechanisms."""
    _checks.instance("per_block", per_block, bool)
    total = _checks.whole("steps", steps, 1, _checks.MAX_STEPS)
    joined = _checks.whole("selected", selected, 1, min(total, _checks.MAX_COUNT))
    if joined == 1:
        return RandomAllocation(mechanism=mechanism, steps=total, epochs=epochs)
    if per_block or joined == total:
        return blocks(mechanism, total, joined, _checks.whole("epochs", epochs, 1, 10**9))
    if not isinstance(mechanism, Gaussian):
        raise ValueError(  # noqa: TRY004
            f"selected must be 1 unless mechanism is a Gaussian, got {joined}: one step in each of "
            f"{joined} blocks, per_block=True, costs at least as much"
        )
    return SelectedSteps(mechanism=mechanism, steps=total, selected=joined, epochs=epochs)


def blocks(mechanism: Mechanism, steps: int, selected: int, epochs: int) -> Composition:
    """One step in each of `selected` blocks, `steps % selected` of them larger by one step."""
    least, larger = divmod(steps, selected)

    def block(size: int) -> Composition:
        if size == 1:
            return epochs * mechanism
        return 1 * RandomAllocation(mechanism=mechanism, steps=size, epochs=epochs)

    return (selected - larger) * block(least) + larger * block(least + 1)
