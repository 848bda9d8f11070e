# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism on a batch of fixed size, drawn from the data."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian

MOST_RECORDS = 10**12


@dataclass(frozen=True, slots=True, repr=False)
class FixedSizeSampled(EnclosedMechanism):
    """A Gaussian mechanism on `batch_size` of `dataset_size` records, drawn for each run.

    Defined when a record is replaced. Let w_j be the probability that the batch holds it j times; a
    curve h for alpha >= 1 goes on as 1 - alpha + alpha h(1 / alpha) below. If any record replaces
    it, above lies, for both directions at once, for alpha >= 1 the curve of

        sum over j of w_j N(2 j / s, 1)  against  N(0, 1),

    or, with replacement, one a little above.
    Composed, it bounds every adversary, also one who changes direction from run to run. If a
    special record that adds nothing replaces it, h for alpha >= 1 is that of sum w_j N(2 j / s)
    against sum w_j N(j / s) (all others are the record's opposite), and of the reverse direction
    that of sum w_j N(j / s) against N(0) (all others are equal to it).

    Below lie what adversaries attain who keep to the same other records. The truth between is not
    known: bounds are ``limited_by == "theory"``. If records are added or removed, the probability
    to be drawn changes with the size of the data, and nothing is known.

    Args:
        mechanism: What runs on the batch.
        batch_size: B, in [1, dataset_size]; with replacement up to 100 times that, at most 1e12.
        dataset_size: n, in [2, 1e12].
        replacement: Whether a record may be drawn more than once.

    Source: Balle, Barthe & Gaboardi (2018), Theorems 9 and 10; for special records see
    cpp/mechanisms/curves/fixed_size.cpp.

    >>> step = Gaussian(noise_multiplier=2.0).fixed_size_sampled(batch_size=500, dataset_size=10**4)
    >>> bounds = (1000 * step).epsilon_bounds(delta=1e-5, adjacency="replace-one")
    >>> bounds.limited_by
    'theory'
    >>> 10.9 < bounds.lower < 11 and 13.4 < bounds.upper < 13.6
    True
    """

    made_by: ClassVar[str] = "fixed_size_sampled"
    mechanism: Gaussian
    _: KW_ONLY
    batch_size: int
    dataset_size: int
    replacement: bool = False

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        _checks.instance("replacement", self.replacement, bool)
        size = _checks.whole("dataset_size", self.dataset_size, 2, MOST_RECORDS)
        most = min(MOST_RECORDS, 100 * size) if self.replacement else size
        batch = _checks.whole("batch_size", self.batch_size, 1, most)
        _checks.keep(self, dataset_size=size, batch_size=batch)

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if every record is drawn once."""
        whole = self.batch_size == self.dataset_size and not self.replacement
        return self.mechanism if whole else self
