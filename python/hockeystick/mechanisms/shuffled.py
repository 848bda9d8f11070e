# SPDX-License-Identifier: Apache-2.0
"""An epoch of the Gaussian mechanism over shuffled batches of equal size."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Mechanism
from hockeystick.mechanisms._enclosed import EnclosedMechanism
from hockeystick.mechanisms.gaussian import Gaussian


@dataclass(frozen=True, slots=True, repr=False)
class Shuffled(EnclosedMechanism):
    """An epoch in which the records are shuffled and cut into `batches` batches of equal size.

    Leave at least one random record out of every epoch: it costs nothing, and a far smaller epsilon
    can be proved. A PyTorch ``DataLoader(shuffle=True, drop_last=True)`` does so where the batch
    size does not divide the number of records; ``left_out`` is then the remainder.

    The curve above is that of a theorem, cpp/proofs/shuffled-left-out.md with ``left_out`` >= 1 and
    cpp/proofs/shuffled-every.md and shuffled-first.md where every record is used. It is nowhere
    above one Gaussian step, which is what whoever knows the record's batch sees, and what batches
    of fixed order cost. The theorems hold if

    - the shuffle is uniform and does not depend on the data, and so are the records left out;
    - at least `left_out` records are left out of every epoch, also of the last one;
    - which records are left out, and the order, are not released;
    - batches, their sizes and what the sum is divided by are fixed, and do not depend on the data.
      A mean over the records that are present is not such a sum: a record that leaves it moves it
      by up to twice as much;
    - one record is replaced: by a special one that adds nothing, or by any other. Where records are
      added or removed, the sizes change, and no gain from shuffling exists: if all records add the
      same, the last batch alone shows how many there are. Data that are padded with special records
      to a public number are data whose records are replaced;
    - every record adds a vector of norm 1 at most, in units of the clipping norm, and the noise is
      the same in all batches.

    With ``left_out=0`` every record is used. All batches have the same size, or the last one fewer
    records: then give both sizes. Queries may depend on all earlier outputs.

    Below are adversaries who choose all other records alike. When a record is made a special one
    that adds nothing, every other record adds -1 to its batch, and the largest of the batches is
    looked at, or a sum over all of them (cpp/proofs/shuffled-maximum.md); or the others add
    nothing, which is a random allocation. When any record may replace it, also the special one, the
    others add what the new one does: a random allocation at half the noise. The record itself is
    left out with the probability left_out / n. What lies between is not known: bounds are
    ``limited_by == "theory"``.

    ``10 * step.shuffled(batches=1000)`` shuffles anew in each epoch. With ``epochs=10`` the records
    are shuffled once, keep their places, and the same are left out: one epoch at noise / sqrt(10),
    by cpp/proofs/shuffled-same-order.md.

    Args:
        mechanism: What runs on each batch.
        batches: In an epoch, in [1, 1e12], the last one included.
        epochs: In how many epochs the records keep their places, in [1, 1e9].
        left_out: How many records at least are left out of every epoch, in [0, 1e12].
        batch_size: Of how many records each batch is, in [1, 1e12], if that is known. If it is not
            given, the bounds hold for every size. It tells how large a part of the records is left
            out, which matters if that is much. Where every record is used, once and in batches of
            one size, it matters more: a large batch that is the first to be seen tells little of
            where any other record is not (cpp/proofs/shuffled-first.md).
        last_batch: Of how many records the last batch is, in [1, batch_size], if not of batch_size;
            only where none are left out.

    Source: this project's theorems, proved on the pages named above; below, Chua et al. (2024),
    "How private are DP-SGD implementations?".

    >>> epoch = Gaussian(noise_multiplier=4.0).shuffled(batches=1000, left_out=1)
    >>> lower, upper = epoch.epsilon_bounds(delta=1e-6, adjacency="replace-special")
    >>> 0.030 < lower < 0.031 and 0.0342 < upper < 0.0345
    True
    >>> every = Gaussian(noise_multiplier=4.0).shuffled(batches=1000)
    >>> 0.19 < every.epsilon(delta=1e-6, adjacency="replace-special") < 0.20
    True
    >>> large = Gaussian(noise_multiplier=4.0).shuffled(batches=1000, batch_size=1000)
    >>> large.epsilon(delta=1e-6, adjacency="replace-special") < 0.043
    True
    """

    made_by: ClassVar[str] = "shuffled"
    mechanism: Gaussian
    _: KW_ONLY
    batches: int
    epochs: int = 1
    left_out: int = 0
    batch_size: int | None = None
    last_batch: int | None = None

    @property
    def steps_covered(self) -> int:
        """The steps of an epoch, in which records keep their places."""
        return self.batches * self.epochs

    def __post_init__(self) -> None:
        _checks.instance("mechanism", self.mechanism, Gaussian)
        batches = _checks.whole("batches", self.batches, 1, 10**12)
        epochs = _checks.whole("epochs", self.epochs, 1, 10**9)
        left_out = _checks.whole("left_out", self.left_out, 0, 10**12)
        _checks.keep(self, batches=batches, epochs=epochs, left_out=left_out)
        if self.batch_size is not None:
            size = _checks.whole("batch_size", self.batch_size, 1, 10**12)
            _checks.keep(self, batch_size=size)
        if self.last_batch is not None:
            _checks.keep(self, last_batch=self._last())
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

    def _last(self) -> int:
        """The size of the last batch, checked."""
        if self.left_out:
            raise ValueError(
                f"last_batch must not be given if records are left out, got {self.last_batch} with "
                f"left_out={self.left_out}"
            )
        if self.batch_size is None:
            raise ValueError(f"last_batch must be given with batch_size, got {self.last_batch}")
        return _checks.whole("last_batch", self.last_batch, 1, self.batch_size)

    def said_of(self, adjacency: Adjacency) -> str:
        """The note of `explain`."""
        del adjacency
        page = "shuffled-left-out" if self.left_out else "shuffled-every"
        order = ", in the same order by shuffled-same-order" if self.epochs > 1 else ""
        return (
            f"{self!r}: above by the theorem of cpp/proofs/{page}.md{order}, or by one Gaussian "
            "step; below by adversaries who choose all other records alike, or of ten batches at "
            "most the last one's after the others"
        )

    def simplified(self) -> Mechanism | None:
        """The mechanism itself if all records are in one batch."""
        return self.mechanism if self.batches == 1 and self.left_out == 0 else self
