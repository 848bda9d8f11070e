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

    @property
    def steps_covered(self) -> int:
        """Those of an epoch, in which records keep their places."""
        return self.batches * self.epochs

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
