# SPDX-License-Identifier: Apache-2.0
"""An epoch of the Gaussian mechanism over shuffled batches of equal size."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hockeystick import _checks
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian


@dataclass(frozen=True, slots=True, repr=False)
class Shuffled(EnclosedMechanism):
    """An epoch in which the records are shuffled and cut into `batches` batches of equal size.

    Leave at least one random record out of every epoch: it costs nothing, and a far smaller epsilon
    can be proved. A PyTorch ``DataLoader(shuffle=True, drop_last=True)`` does so where the batch
    size does not divide the number of records; ``left_out`` is then the remainder.

    With ``left_out`` >= 1 the curve above is that of the theorem of
    cpp/proofs/shuffled-left-out.md, and nowhere above one Gaussian step. It holds if

    - the shuffle is uniform and does not depend on the data, and so are the records left out;
    - at least `left_out` records are left out of every epoch, also of the last one;
    - which records are left out is not released;
    - batches, their sizes and what the sum is divided by are fixed, and do not depend on the data;
    - one record is replaced: by a special one that adds nothing, or by any other. Where records are
      added or removed, the sizes change, and nothing is known.

    With ``left_out=0``, every record used, whoever knows the record's batch sees one Gaussian step,
    which is all that is proved. Batches of fixed order cost exactly that in an epoch.

    Below are adversaries who choose all other records alike. When a record is made a special one
    that adds nothing, every other record adds -1 to its batch, and the largest of the batches is
    looked at; or the others add nothing, which is a random allocation. When any record may replace
    it, also the special one, the others add what the new one does: a random allocation at half the
    noise. The record itself is left out with the probability left_out / n. What lies between is not
    known: bounds are ``limited_by == "theory"``.

    ``10 * step.shuffled(batches=1000)`` shuffles anew in each epoch. With ``epochs=10`` the records
    are shuffled once, keep their places, and the same are left out: one epoch at noise / sqrt(10).

    Args:
        mechanism: What runs on each batch.
        batches: In an epoch, in [1, 1e12].
        epochs: In how many epochs the records keep their places, in [1, 1e9].
        left_out: How many records at least are left out of every epoch, in [0, 1e12].
        batch_size: Of how many records each batch is, in [1, 1e12], if that is known. It tells how
            large a part of the records is left out, which matters if that is much; if it is not
            given, the bounds hold for every batch size.

    Source: this project's theorem, proved in cpp/proofs/shuffled-left-out.md; below, Chua et al.
    (2024), "How private are DP-SGD implementations?".

    >>> epoch = Gaussian(noise_multiplier=4.0).shuffled(batches=1000, left_out=1)
    >>> lower, upper = epoch.epsilon_bounds(delta=1e-6, adjacency="replace-special")
    >>> 0.026 < lower < 0.027 and 0.036 < upper < 0.037
    True
    >>> every = Gaussian(noise_multiplier=4.0).shuffled(batches=1000)
    >>> 1.06 < every.epsilon(delta=1e-6, adjacency="replace-special") < 1.07
    True
    """

    made_by: ClassVar[str] = "shuffled"
    mechanism: Gaussian
    _: KW_ONLY
    batches: int
    epochs: int = 1
    left_out: int = 0
    batch_size: int | None = None

    @property
    def steps_covered(self) -> int:
        """Those of an epoch, in which records keep their places."""
        return self.batches * self.epochs

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        object.__setattr__(self, "batches", _checks.whole("batches", self.batches, 1, 10**12))
        object.__setattr__(self, "epochs", _checks.whole("epochs", self.epochs, 1, 10**9))
        object.__setattr__(self, "left_out", _checks.whole("left_out", self.left_out, 0, 10**12))
        if self.batch_size is not None:
            size = _checks.whole("batch_size", self.batch_size, 1, 10**12)
            object.__setattr__(self, "batch_size", size)
        noise = self.mechanism.noise_multiplier / self.epochs**0.5
        if noise < _checks.MIN_NOISE:
            raise ValueError(
                f"noise_multiplier / sqrt(epochs) must be at least {_checks.MIN_NOISE:g}, "
                f"got {noise!r}"
            )
        if self.batches == 1 and self.epochs > 1 and self.left_out == 0:
            raise ValueError(
                f"batches must be at least 2 if epochs > 1, got 1: say {self.epochs} * mechanism"
            )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if all records are in one batch."""
        return self.mechanism if self.batches == 1 and self.left_out == 0 else self
