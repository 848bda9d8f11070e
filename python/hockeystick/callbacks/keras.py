# SPDX-License-Identifier: Apache-2.0
"""A callback for Keras 3, with any backend: the extra ``hockeystick[keras]``."""

from typing import Any

from hockeystick import EpsilonMeter
from hockeystick.callbacks._counter import Counter
from hockeystick.errors import of_extra

with of_extra("keras"):
    from keras.callbacks import Callback


class EpsilonCallback(Callback):  # type: ignore[misc] # Keras' type is not known
    """Counts the batches of ``fit``, reports "epsilon" after each epoch, and ends a spent run.

    Where the optimizer accumulates gradients, as many batches as it says are one step. Keras saves
    no state of callbacks: to resume, keep ``meter.state_dict()`` and load it. Nor does it show them
    how batches are drawn: it shuffles arrays or takes them in order, and never samples; a meter of
    samples needs batches that are drawn so, as a loader of PyTorch's with a ``batch_sampler``.

    Args:
        meter: What each optimizer step costs, and the budget.

    Raises:
        RuntimeError: As training begins: the budget is spent. No step is taken.
    """

    def __init__(self, meter: EpsilonMeter) -> None:
        super().__init__()
        self._counter = Counter(meter)
        self.meter = meter
        self._batches = 0  # begun in this fit
        self._next = 0  # the next batch of this epoch

    @property
    def _accumulated(self) -> int:
        """The number of batches in a step."""
        return getattr(self.model.optimizer, "gradient_accumulation_steps", None) or 1

    def _begun(self, batches: int = 0) -> int:
        """The number of steps that the next batches have begun, those on the way included."""
        return -(-(self._batches + batches) // self._accumulated)

    def _at_once(self) -> int:
        """The number of steps that begin before the next call."""
        return self._begun(self.model.steps_per_execution or 1) - self._begun()

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002, theirs
        """Count from here."""
        self._batches = 0
        self._counter.begin(0)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Count batches from 0, as Keras does; an epoch that is charged is drawn anew."""
        self._next = 0
        self._counter.begin_epoch()

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Refuse what does not fit."""
        self._counter.refuse(self._at_once())

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Count the batches up to this one: several, with ``steps_per_execution``."""
        self._batches += batch + 1 - self._next
        self._next = batch + 1
        self._counter.follow(self._begun())
        if self._counter.lacks(self._at_once()):
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Report epsilon among the metrics."""
        if logs is not None:
            logs["epsilon"] = self.meter.epsilon
