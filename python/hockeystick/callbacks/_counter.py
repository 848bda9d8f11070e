# SPDX-License-Identifier: Apache-2.0
"""A meter that follows another's count of steps."""

from hockeystick import EpsilonMeter
from hockeystick.meter import begun


class Counter:
    """Keeps a meter up to date with a total that its trainer counts.

    Of a meter that counts epochs, those that the steps have begun.
    """

    def __init__(self, meter: EpsilonMeter) -> None:
        if not isinstance(meter, EpsilonMeter):
            raise TypeError(f"meter must be an EpsilonMeter, got {meter!r}")
        self.meter = meter
        self._seen = 0
        self._drawn = 0, 0  # what was seen when batches were last drawn, and what came before

    def _begun(self, total: int) -> int:
        """The number of the meter's steps that the trainer's steps have begun since then."""
        first, before = self._drawn
        return begun(total - first, before, self.meter.steps_covered)

    def begin(self, total: int) -> None:
        """Training begins with `total` steps done, all of which the meter then has counted."""
        done = begun(total, 0, self.meter.steps_covered)
        self.meter.update(max(done - self.meter.steps, 0))
        self.meter.begin_anew(total)
        self._seen, self._drawn = total, (total, total)

    def begin_epoch(self) -> None:
        """The trainer begins an epoch, however long the last one was: batches are drawn anew."""
        self.meter.begin_anew()
        self._drawn = self._seen, 0

    def follow(self, total: int) -> None:
        """Count the steps since the last call."""
        self.meter.update(self._begun(total) - self._begun(self._seen))
        self._seen = total

    def lacks(self, steps: int = 1) -> bool:
        """Whether the budget has no room for that many steps more."""
        remaining = self.meter.remaining_steps
        more = self._begun(self._seen + steps) - self._begun(self._seen)
        return remaining is not None and remaining < more

    def refuse(self, steps: int = 1) -> None:
        """Raise if a step is about to begin that may exceed the budget."""
        if self.lacks(steps):
            raise RuntimeError(
                f"the privacy budget has no room for {steps} more after {self.meter.steps} steps; "
                "the trainer would go on nevertheless"
            )
