# SPDX-License-Identifier: Apache-2.0
"""A callback for the Trainer of Hugging Face: the extra ``hockeystick[transformers]``."""

from typing import Any

from hockeystick import EpsilonMeter
from hockeystick.callbacks._counter import Counter
from hockeystick.callbacks._loader import warn_of
from hockeystick.errors import of_extra

with of_extra("transformers"):
    from transformers import TrainerCallback


class EpsilonCallback(TrainerCallback):  # type: ignore[misc] # its type is not known
    """Counts ``state.global_step``, logs "epsilon", and ends a spent run.

    A run resumed from a checkpoint has its steps counted as those of the meter, unless it counted
    as many already: of several trainings, load the last ``meter.state_dict()``. Epsilon is in
    ``state.log_history``, and for the callbacks that come after this one in what they log. A loader
    that shuffles or takes records in order, beside a meter of samples, is warned of.

    Args:
        meter: What each optimizer step costs, and the budget.

    Raises:
        RuntimeError: As training begins: the budget is spent. No step is taken.
    """

    def __init__(self, meter: EpsilonMeter) -> None:
        self._counter = Counter(meter)
        self.meter = meter

    def on_train_begin(
        self,
        args: Any,  # noqa: ANN401, ARG002, theirs
        state: Any,  # noqa: ANN401
        control: Any,  # noqa: ANN401, ARG002
        train_dataloader: Any = None,  # noqa: ANN401
        **_: Any,
    ) -> None:
        """Take over the steps of a run that is resumed, and look at how batches are drawn."""
        warn_of(train_dataloader, self.meter)
        self._counter.begin(state.global_step)

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """An epoch that is drawn anew costs a whole one, where epochs are charged."""
        self._counter.begin_epoch()

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Refuse a step that does not fit."""
        self._counter.refuse()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002
        """Count the step."""
        self._counter.follow(state.global_step)
        if self._counter.lacks():
            control.should_training_stop = True

    def on_log(
        self,
        args: Any,  # noqa: ANN401, ARG002
        state: Any,  # noqa: ANN401
        control: Any,  # noqa: ANN401, ARG002
        logs: Any = None,  # noqa: ANN401
        **_: Any,
    ) -> None:
        """Add epsilon to what is logged."""
        for each in ([] if logs is None else [logs], state.log_history[-1:]):
            for values in each:
                values["epsilon"] = self.meter.epsilon
