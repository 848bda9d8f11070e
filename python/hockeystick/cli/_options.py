# SPDX-License-Identifier: Apache-2.0
"""What every command is asked: the run, the adjacency and the limits."""

from collections.abc import Callable
from typing import Any

import click

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.composition import Composition, Mechanism
from hockeystick.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.mechanisms import Gaussian
from hockeystick.sampling import SAMPLINGS


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a question about a given run."""
    names = [name.replace("_", "-") for name in SAMPLINGS]
    sampling = click.option(
        "--sampling",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How batches are drawn.",
    )
    size = click.option(
        "--dataset-size", type=int, help="Number of records, for --sampling fixed-size."
    )
    return sampling(size(options(command, noise_required=True)))


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


def step(*, noise_multiplier: float, sampling_probability: float) -> Mechanism:
    return Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)


def run(*, steps: int, **mechanism: float) -> Composition:
    return _checks.whole("steps", steps, 0, _checks.MAX_COUNT) * step(**mechanism)
