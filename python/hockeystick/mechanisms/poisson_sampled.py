# SPDX-License-Identifier: Apache-2.0
"""A mechanism on a Poisson subsample."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn, overload

from hockeystick import _checks, _core
from hockeystick._words import spoken
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._pair import described_pair

if TYPE_CHECKING:
    from hockeystick.composition import Composition
    from hockeystick.mechanisms.random_allocation import RandomAllocation
    from hockeystick.mechanisms.selected_steps import SelectedSteps


class SamplableMechanism(Mechanism):
    """A mechanism that can run on a Poisson subsample of the data, or in a random step.

    The core's table of mechanisms knows its pairs.
    """

    __slots__ = ()

    @spoken
    def poisson_sampled(self, sampling_probability: float) -> "PoissonSampled":
        """The mechanism on a subsample that holds each record with `sampling_probability`."""
        return PoissonSampled(mechanism=self, sampling_probability=sampling_probability)

    poisson_sampled.__qualname__ = "poisson_sampled"  # Python's own messages name no inner class

    @overload
    def random_allocation(self, steps: int, *, epochs: int = 1) -> "RandomAllocation": ...

    @overload
    def random_allocation(
        self, steps: int, *, epochs: int = 1, selected: int, per_block: bool = False
    ) -> "RandomAllocation | SelectedSteps | Composition": ...

    @spoken
    def random_allocation(
        self, steps: int, *, epochs: int = 1, selected: int = 1, per_block: bool = False
    ) -> "RandomAllocation | SelectedSteps | Composition":
        """An epoch of `steps` steps of which each record joins `selected`, drawn at random.

        With ``per_block=True`` it joins one in each of `selected` blocks of consecutive steps, as
        equal in size as can be: a composition of as many allocations, exactly. So is joining all
        steps, of as many mechanisms. Else `selected` is 1 unless the noise is normal.
        """
        from hockeystick.mechanisms.selected_steps import allocated  # noqa: PLC0415

        return allocated(self, steps, epochs, selected, per_block=per_block)

    random_allocation.__qualname__ = "random_allocation"

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Raises:
            ValueError: No such pair is known.
        """
        return described_pair(self, direction)

    def sampled_pair(
        self, direction: Direction, sampling_probability: float
    ) -> _core.DominatingPair:
        """The `dominating_pair` of the mechanism on a Poisson subsample."""
        return described_pair(self.poisson_sampled(sampling_probability), direction)


@dataclass(frozen=True, slots=True, repr=False)
class PoissonSampled(Mechanism):
    """`mechanism` on a Poisson subsample; with a Gaussian, one step of DP-SGD.

    If (P, Q) dominates the mechanism when a record is removed, then with sampling probability q
    the sampled one is dominated by

        removal:      (1 - q) Q + q P         against  Q,
        addition:     Q                       against  (1 - q) Q + q P,

    and a Gaussian, in units of the noise, also by

        replacement:  (1 - q) N(0) + q N(-1)  against  (1 - q) N(0) + q N(1).

    Others have no proved pair for replacement. q = 0 costs nothing; q = 1 is `mechanism` itself.

    Args:
        mechanism: What runs on the subsample.
        sampling_probability: q, in [0, 1].

    Source: Zhu, Dong & Wang (2022), Theorem 11; Lebeda et al. (2025), Proposition 13.
    """

    made_by: ClassVar[str] = "poisson_sampled"
    mechanism: SamplableMechanism
    sampling_probability: float

    def __init__(self, mechanism: SamplableMechanism, sampling_probability: float) -> None:
        _checks.instance("mechanism", mechanism, SamplableMechanism)
        q = _checks.probability("sampling_probability", sampling_probability)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "sampling_probability", q)

    def simplified(self) -> Mechanism | None:
        """None at q = 0, the mechanism itself at q = 1."""
        simplest: Mechanism | None = self.mechanism
        if type(self.mechanism).simplified is not Mechanism.simplified:  # a few have a simpler form
            simplest = self.mechanism.simplified()
        if self.sampling_probability == 0 or simplest is None:
            return None
        return simplest if self.sampling_probability == 1 else self

    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`."""
        return self.mechanism.sampled_pair(direction, self.sampling_probability)

    def poisson_sampled(self, sampling_probability: float) -> NoReturn:
        """Refused with what to write for a sample of the sample: the product of both rates."""
        both = self.sampling_probability * _checks.probability(
            "sampling_probability", sampling_probability
        )
        raise TypeError(
            f"{self!r} is sampled already; a sample of its sample is "
            f"{self.mechanism!r}.poisson_sampled({both!r})"
        )
