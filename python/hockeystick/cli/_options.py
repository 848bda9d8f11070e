# SPDX-License-Identifier: Apache-2.0
"""What every command is asked: the run, the adjacency and the limits."""

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
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
NOISE_HELP = "Standard deviation of the noise over the clipping norm."
_LINES = textwrap.TextWrapper(
    100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
)
_RATE, _LENGTH = ("sampling_probability", "batch_size"), ("steps", "epochs")


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a question about a given run, which a file may describe instead."""
    return options(command, noise_required=False)


def picture_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options, of which each picture has a tolerance of its own."""
    return options(command, noise_required=False, tolerance=None)


def comparison_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options without the adjacency, which is the one that all accountants know."""
    return options(command, noise_required=True, adjacency=False)


def verification_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options without the tolerance and the memory of the fast accountant."""
    return options(command, noise_required=False, limits=False)


def step_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options for a step of a filter, which has an adjacency of its own."""
    return options(command, noise_required=False, adjacency=False, limits=False)


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every question that say nothing of the run."""
    for option in reversed([_adjacency_option(), *_limits(DEFAULT_TOLERANCE), AS_JSON]):
        command = option(command)
    return command


def options(
    command: Callable[..., None],
    *,
    noise_required: bool,
    tolerance: float | None = DEFAULT_TOLERANCE,
    adjacency: bool = True,
    limits: bool = True,
) -> Callable[..., None]:
    """The options that every question has, also under the names of `compute-dp-epsilon`."""
    asked: list[Callable[..., Any]] = [
        click.option(
            "--noise-multiplier",
            "-s",
            type=NUMBER,
            required=noise_required,
            help=NOISE_HELP,
        ),
        click.option(
            "--sampling-probability",
            "-p",
            type=NUMBER,
            help="Probability that a record is in a batch; 1 if no --batch-size is given.",
        ),
        click.option(
            "--steps",
            "--num-compositions",
            "-i",
            type=WHOLE,
            help="Number of steps; or give --epochs.",
        ),
        click.option(
            "--batch-size",
            type=WHOLE,
            help="Expected records in a batch, with --dataset-size, for --sampling-probability.",
        ),
        click.option(
            "--dataset-size",
            type=WHOLE,
            help="Number of records, with --batch-size or for --sampling fixed-size.",
        ),
        click.option(
            "--epochs",
            type=NUMBER,
            help="Passes over the data, in place of --steps; rounded up to whole steps.",
        ),
        _sampling(),
        click.option(
            "--drop-last",
            is_flag=True,
            default=None,
            help="Where an epoch is cut into batches, leave out what does not fill a batch.",
        ),
        *([_adjacency_option()] if adjacency else []),
        *(_limits(tolerance) if limits else []),
        AS_JSON,
    ]
    for option in reversed(asked):
        command = option(command)
    return command


def _limits(tolerance: float | None) -> list[Callable[..., Any]]:
    return [
        click.option(
            "--tolerance",
            type=NUMBER,
            default=tolerance,
            show_default=True,
            help="Widest relative gap between the bounds.",
        ),
        click.option(
            "--memory-limit",
            type=WHOLE,
            default=DEFAULT_MEMORY_LIMIT,
            show_default=True,
            help="Bytes the computation may take.",
        ),
    ]


class _Adjacency(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """The name of an adjacency, ours or one that others have for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, as click has it
        """Our name."""
        try:
            return adjacency_of(value).value
        except (TypeError, ValueError):
            return super().convert(value, param, ctx)


def _adjacency_option() -> Callable[..., Any]:
    return click.option(
        "--adjacency",
        type=_Adjacency([adjacency.value for adjacency in Adjacency]),
        default=Adjacency.ADD_OR_REMOVE_ONE.value,
        show_default=True,
        help="Which datasets are neighbours.",
    )


def _sampling() -> Callable[..., Any]:
    names = [name.replace("_", "-") for name in SAMPLINGS]
    return click.option(
        "--sampling",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How batches are drawn.",
    )


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
                f"either {option_named(name)} or {option_named(other)} must be given"
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
