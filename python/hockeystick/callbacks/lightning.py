# SPDX-License-Identifier: Apache-2.0
"""A callback for Lightning's Trainer: the extra ``hockeystick[lightning]``."""

from typing import Any

from hockeystick import EpsilonMeter
from hockeystick.callbacks._counter import Counter
from hockeystick.callbacks._loader import warn_of
from hockeystick.errors import of_extra

with of_extra("lightning"):
    from lightning.pytorch import Callback


class EpsilonCallback(Callback):  # type: ignore[misc] # Lightning's type is not known
    """Counts ``trainer.global_step``, logs "epsilon" after each step, and ends a spent run.

    Checkpoints carry what was spent, and a run resumed from one goes on from there. A loader that
    shuffles or takes records in order, beside a meter of samples, is warned of.

    Args:
        meter: What each optimizer step costs, and the budget.

    Raises:
        RuntimeError: As training goes on: the budget is spent, and the trainer does not stop, as
            with ``min_epochs``. The step that would exceed it is not taken.
    """

    def __init__(self, meter: EpsilonMeter) -> None:
        self._counter = Counter(meter)
        self.meter = meter

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:  # noqa: ANN401, ARG002, theirs
        """Train nothing if nothing fits."""
        if self._counter.lacks():
            trainer.should_stop = True

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:  # noqa: ANN401, ARG002
        """Take over the steps of a run that is resumed, and look at how batches are drawn."""
        warn_of(trainer.train_dataloader, self.meter)
        self._counter.begin(trainer.global_step)

    def on_train_epoch_start(self, *_: Any) -> None:
        """An epoch that is drawn anew costs a whole one, where epochs are charged."""
        self._counter.begin_epoch()

    def on_train_batch_start(self, *_: Any) -> None:
        """Refuse a batch that does not fit."""
        self._counter.refuse()

    def on_train_batch_end(self, trainer: Any, *_: Any) -> None:  # noqa: ANN401
        """Count what the batch has led to: no step while gradients are accumulated."""
        self._counter.follow(trainer.global_step)
        self.log("epsilon", self.meter.epsilon, batch_size=1)  # a batch may be empty
        if self._counter.lacks():
            trainer.should_stop = True

    def state_dict(self) -> dict[str, Any]:
        """The spent budget, for a checkpoint."""
        return self.meter.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.meter.load_state_dict(state_dict)
