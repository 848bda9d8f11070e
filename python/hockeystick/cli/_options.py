# SPDX-License-Identifier: Apache-2.0
"""The options of all commands: the run, the adjacency and the limits."""

import json
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import click

from hockeystick.adjacency import Adjacency, adjacency_of
from hockeystick.cli._numbers import NUMBER, WHOLE, Quotient
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.sampling import SAMPLINGS, rate_and_steps, sampling_of

SCHEME = (
    *("noise_multiplier", "sampling_probability", "steps"),
    *("batch_size", "dataset_size", "epochs", "sampling", "drop_last"),
)
"""The parameters of a run, as ``hockeystick.sampling.sampled_run`` takes them."""
_NOISE = "noise_multiplier"
NOISE_HELP = "Standard deviation of the noise over the clipping norm."
_RATE, _LENGTH = ("sampling_probability", "batch_size"), ("steps", "epochs")

Command = Callable[..., Any]


class _Adjacency(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """The name of an adjacency, ours or one that others have for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, as click has it
        """Our name."""
        try:
            return adjacency_of(value).value
        except (TypeError, ValueError):
            return super().convert(value, param, ctx)


_SAMPLINGS = [name.replace("_", "-") for name in SAMPLINGS]
_OPTIONS: dict[str, dict[str, Any]] = {
    "noise_multiplier": {"letter": "-s", "type": NUMBER, "help": NOISE_HELP},
    "sampling_probability": {
        "letter": "-p",
        "type": NUMBER,
        "help": "Probability that a record is in a batch; 1 if no --batch-size is given.",
    },
    "steps": {"letter": "-i", "type": WHOLE, "help": "Number of steps; or give --epochs."},
    "batch_size": {
        "type": WHOLE,
        "help": "Expected records in a batch, with --dataset-size, for --sampling-probability.",
    },
    "dataset_size": {
        "type": WHOLE,
        "help": "Number of records, with --batch-size or for --sampling fixed-size.",
    },
    "epochs": {
        "type": NUMBER,
        "help": "Passes over the data, in place of --steps; rounded up to whole steps.",
    },
    "sampling": {
        "type": click.Choice(_SAMPLINGS),
        "default": _SAMPLINGS[0],
        "help": "How batches are drawn.",
    },
    "drop_last": {
        "is_flag": True,
        "default": None,
        "help": "Where an epoch is cut into batches, leave out the records that do not fill one.",
    },
    "adjacency": {
        "type": _Adjacency([adjacency.value for adjacency in Adjacency]),
        "default": Adjacency.ADD_OR_REMOVE_ONE.value,
        "help": "Which datasets are neighbours.",
    },
    "tolerance": {
        "type": NUMBER,
        "default": DEFAULT_TOLERANCE,
        "help": "Widest relative gap between the bounds.",
    },
    "memory_limit": {
        "type": WHOLE,
        "default": DEFAULT_MEMORY_LIMIT,
        "help": "Bytes the computation may take.",
    },
    "as_json": {"long": "--json", "is_flag": True, "help": "Print one JSON object."},
}
"""Options that several commands have, some also under the names of `compute-dp-epsilon`."""
_OTHER_NAMES = {"steps": ("--num-compositions",)}


def asked(*names: str, **changed: dict[str, Any]) -> Callable[[Command], Command]:
    """Adds these options to a command, in this order; `changed` is what is otherwise in one."""

    def added(command: Command) -> Command:
        for name in reversed(names):
            said = {"show_default": True, **_OPTIONS[name], **changed.get(name, {})}
            long, letter = said.pop("long", option_named(name)), said.pop("letter", None)
            words = [long, *_OTHER_NAMES.get(name, ()), *([letter] if letter else [])]
            command = click.option(*words, name, **said)(command)
        return command

    return added


_LIMITS = ("tolerance", "memory_limit")
question_options = asked(*SCHEME, "adjacency", *_LIMITS, "as_json")
"""The options of a question about a given run, which a file may describe instead."""
picture_options = asked(*SCHEME, "adjacency", *_LIMITS, "as_json", tolerance={"default": None})
"""The options of a picture, each of which has a tolerance of its own."""
comparison_options = asked(*SCHEME, *_LIMITS, "as_json", noise_multiplier={"required": True})
"""The options of a comparison: all accountants know one adjacency alone."""
verification_options = asked(*SCHEME, "adjacency", "as_json")
"""The options of a verification, without the fast accountant's tolerance and memory."""
step_options = asked(*SCHEME, "as_json")
"""The options of a filter's step: the filter has its own adjacency."""
limit_options = asked("adjacency", *_LIMITS, "as_json")
"""The options of every question that do not describe the run."""


def taken(given: dict[str, Any], sought: str = "") -> dict[str, Any]:
    """The parameters of a run, taken out of what is given, but for the one that is sought."""
    run = {name: given.pop(name) for name in SCHEME}
    run = {name: value for name, value in run.items() if value is not None and name != sought}
    if not {sought, *run} & set(_RATE):
        run["sampling_probability"] = 1.0
    if not {sought, *run} & set(_LENGTH):
        raise click.UsageError("Missing option '--steps' (or '--epochs')")
    for name, other in (_RATE, _LENGTH):
        if name in run and other in run:
            raise click.UsageError(
                f"give either {option_named(name)} or {option_named(other)}, not both"
            )
    if "batch_size" in run and "dataset_size" not in run:
        raise click.UsageError("Missing option '--dataset-size'")
    return run


def option_named(name: str) -> str:
    """The option of a parameter, as it is typed."""
    return "--" + name.replace("_", "-")


def described(run: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a run as JSON says them: with the steps and their probability."""
    if not (set(run) & set(_RATE) and set(run) & set(_LENGTH)):  # one of the two is sought
        return dict(run)
    numbers = {name: value for name, value in run.items() if name != "noise_multiplier"}
    numbers["sampling"] = sampling_of(numbers["sampling"])
    rate, steps = rate_and_steps(**numbers)
    return dict(run) | {"sampling_probability": rate, "steps": steps}


def sentence(run: Mapping[str, Any], adjacency: str) -> str:
    """The run as a line of an answer says it."""
    known = described(run)
    steps, q, noise = (known[name] for name in ("steps", "sampling_probability", _NOISE))
    epochs = f" ({steps * q:.4g} epochs)" if "batch_size" in run else ""
    return (
        f"{steps} {'step' if steps == 1 else 'steps'}{epochs} "
        f"of noise {noise!r}, q = {q!r}, {run['sampling']} sampling, {adjacency}"
    )


def show(*paragraphs: str) -> None:
    """Print each paragraph, over as many lines of at most 100 characters as it needs."""
    for text in paragraphs:
        click.echo(
            textwrap.fill(
                text, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        )


def in_json(value: Mapping[str, Any]) -> str:
    """The value as JSON; infinity, for which that has no word, as 1e999, which reads as it."""
    pattern = re.compile(r'("(?:[^"\\]|\\.)*")|Infinity')
    return pattern.sub(lambda found: found[1] or "1e999", json.dumps(value))


def note_on_delta(delta: float | None, run: Mapping[str, Any]) -> str:
    """A word on a delta of one over the number of records, or more; or none."""
    size = run.get("dataset_size")
    if not delta or not (isinstance(delta, Quotient) or (size and delta >= 1 / size)):
        return ""
    number = size or round(1 / delta)
    return (
        f"at delta = 1/n a mechanism may publish one of n records whole; usual is n^-1.1 or "
        f"less, here {number**-1.1:.2g}"
    )
