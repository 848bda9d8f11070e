# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism on a batch of fixed size, drawn from the data."""

from dataclasses import dataclass
from math import expm1, log1p
from typing import ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.composition import Mechanism
from hockeystick.enclosing import Accuracy
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms._pair import large_pair, no_pair, pair
from hockeystick.mechanisms.gaussian import Gaussian

MOST_RECORDS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSizeSampled(EnclosedMechanism):
    """A Gaussian mechanism on `batch_size` of `dataset_size` records, drawn for each run.

    Defined when a record is replaced. Let gamma be the probability that a record is drawn and h_j
    the curve of N(2 j / s, 1) against N(0, 1). Above lies, for both directions at once,

        h(alpha) = sum over j of P(drawn j times) h_j(1 + (alpha - 1) / gamma),   alpha >= 1,

    and 1 - alpha + alpha h(1 / alpha) below 1. Composed, it bounds every adversary, also one who
    changes direction from run to run. Below lie, without replacement, the pair
    ((1 - gamma) N(0) + gamma N(2 / s), N(0)) and its reverse, which adversaries attain; with
    replacement the same, as further draws only tell more. The truth between is not known: bounds
    are ``limited_by == "theory"``. If records are added or removed, the probability to be drawn
    changes with the size of the data, and nothing is known.

    Args:
        mechanism: What runs on the batch.
        batch_size: B, in [1, dataset_size]; with replacement up to 100 times that, at most 1e12.
        dataset_size: n, in [2, 1e12].
        replacement: Whether a record may be drawn more than once.

    Source: Balle, Barthe & Gaboardi (2018), Theorems 9 and 10.

    >>> step = Gaussian(noise_multiplier=2.0).fixed_size_sampled(batch_size=500, dataset_size=10**4)
    >>> bounds = (1000 * step).epsilon_bounds(delta=1e-5, adjacency="replace-one")
    >>> bounds.limited_by
    'theory'
    >>> 10.9 < bounds.lower < 11 and 13.4 < bounds.upper < 13.6
    True
    """

    closes: ClassVar[bool] = False
    mechanism: Gaussian
    batch_size: int
    dataset_size: int
    replacement: bool = False

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        _checks.instance("replacement", self.replacement, bool)
        size = _checks.whole("dataset_size", self.dataset_size, 2, MOST_RECORDS)
        most = min(MOST_RECORDS, 100 * size) if self.replacement else size
        batch = _checks.whole("batch_size", self.batch_size, 1, most)
        object.__setattr__(self, "dataset_size", size)
        object.__setattr__(self, "batch_size", batch)

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if every record is drawn once."""
        whole = self.batch_size == self.dataset_size and not self.replacement
        return self.mechanism if whole else self

    def pair_above(self, direction: Direction, accuracy: Accuracy) -> _core.DominatingPair:
        """A pair whose curve lies above both directions."""
        self._check(direction)
        of = (self.batch_size, self.dataset_size, float(self.replacement))
        noise = self.mechanism.noise_multiplier
        return large_pair("fixed_size_above", noise, *of, accuracy.cells, accuracy.tail)

    def pairs_below(
        self, direction: Direction, accuracy: Accuracy
    ) -> tuple[_core.DominatingPair, ...]:
        """The pairs of adversaries who always remove, and always add, the record's weight."""
        del accuracy  # these are exact
        self._check(direction)
        noise = self.mechanism.noise_multiplier / 2
        # With replacement records drawn more than once only shift the mean further.
        rate = self.batch_size / self.dataset_size
        if self.replacement:
            rate = -expm1(self.batch_size * log1p(-1 / self.dataset_size))
        rate *= 1 - 2**-48  # curves grow with it
        return tuple(pair(f"poisson_gaussian_{form}", noise, rate) for form in ("remove", "add"))

    def _check(self, direction: Direction) -> None:
        if not direction.replaces:
            reason = (
                "the probability to be drawn changes with the number of records; "
                'ask with adjacency="replace-one"'
            )
            raise no_pair(self, direction, reason)
