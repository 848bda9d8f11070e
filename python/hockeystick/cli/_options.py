# SPDX-License-Identifier: Apache-2.0
"""What every command is asked: the run, the adjacency and the limits."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from hockeystick.adjacency import Adjacency
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.sampling import SAMPLINGS

SCHEME = ("noise_multiplier", "sampling_probability", "steps", "sampling", "dataset_size")
"""The parameters of a run, as ``hockeystick.sampling.sampled_run`` takes them."""


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a question about a given run."""
    return options(command, noise_required=True)


def picture_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options, of which each picture has a tolerance of its own."""
    return options(command, noise_required=True, tolerance=None)


def comparison_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options without the adjacency, which is the one that all accountants know."""
    return options(command, noise_required=True, adjacency=False)


def verification_options(command: Callable[..., None]) -> Callable[..., None]:
    """The same options without the tolerance and the memory of the fast accountant."""
    return options(command, noise_required=True, limits=False)


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
            type=float,
            required=noise_required,
            help="Standard deviation of the noise over the clipping norm.",
        ),
        click.option(
            "--sampling-probability",
            "-p",
            type=float,
            default=1.0,
            show_default=True,
            help="Probability that a record is in a batch.",
        ),
        click.option(
            "--steps",
            "--num-compositions",
            "-i",
            type=int,
            default=1,
            show_default=True,
            help="Number of steps.",
        ),
        *_sampling(),
        *([_adjacency_option()] if adjacency else []),
        *(_limits(tolerance) if limits else []),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    ]
    for option in reversed(asked):
        command = option(command)
    return command


def _limits(tolerance: float | None) -> list[Callable[..., Any]]:
    return [
        click.option(
            "--tolerance",
            type=float,
            default=tolerance,
            show_default=True,
            help="Widest relative gap between the bounds.",
        ),
        click.option(
            "--memory-limit",
            type=int,
            default=DEFAULT_MEMORY_LIMIT,
            show_default=True,
            help="Bytes the computation may take.",
        ),
    ]


def _adjacency_option() -> Callable[..., Any]:
    return click.option(
        "--adjacency",
        type=click.Choice([adjacency.value for adjacency in Adjacency]),
        default=Adjacency.ADD_OR_REMOVE_ONE.value,
        show_default=True,
        help="Which datasets are neighbours.",
    )


def _sampling() -> list[Callable[..., Any]]:
    names = [name.replace("_", "-") for name in SAMPLINGS]
    return [
        click.option(
            "--sampling",
            type=click.Choice(names),
            default=names[0],
            show_default=True,
            help="How batches are drawn.",
        ),
        click.option(
            "--dataset-size", type=int, help="Number of records, for --sampling fixed-size."
        ),
    ]


def described(scheme: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a run as JSON says them: without what was not given."""
    usual = {"sampling": "poisson", "dataset_size": None}
    return {name: value for name, value in scheme.items() if value != usual.get(name, ())}
