# SPDX-License-Identifier: Apache-2.0
"""A meter that follows another's count of steps."""

from hockeystick import EpsilonMeter


class Counter:
    """Keeps a meter up to date with a total that its trainer counts."""

    def __init__(self, meter: EpsilonMeter) -> None:
        if not isinstance(meter, EpsilonMeter):
            raise TypeError(f"meter must be an EpsilonMeter, got {meter!r}")
        self.meter = meter
        self._seen = 0

    def begin(self, total: int) -> None:
        """Training begins with `total` steps done, all of which the meter then has counted."""
        self.meter.update(max(total - self.meter.steps, 0))
        self._seen = total

    def follow(self, total: int) -> None:
        """Count the steps since the last call."""
        self.meter.update(total - self._seen)
        self._seen = total

    def lacks(self, steps: int = 1) -> bool:
        """Whether the budget has no room for that many steps more."""
        remaining = self.meter.remaining_steps
        return remaining is not None and remaining < steps

    def refuse(self, steps: int = 1) -> None:
        """Raise if a step is about to begin that may exceed the budget."""
        if self.lacks(steps):
            raise RuntimeError(
                f"the privacy budget has no room for {steps} more after {self.meter.steps} steps; "
                "the trainer would go on nevertheless"
            )
