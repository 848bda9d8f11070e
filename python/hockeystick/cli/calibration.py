# SPDX-License-Identifier: Apache-2.0
"""`hockeystick calibrate`."""

import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import click

import hockeystick
from hockeystick.bounds import Bounds
from hockeystick.cli import _options
from hockeystick.cli._decimals import outward
from hockeystick.composition import Composition
from hockeystick.sampling import sampled_run


def _calibration(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a calibration: what to find, and the target."""
    helps = {
        "epsilon": "Target: the most that epsilon may be at --delta [nats].",
        "delta": "In (0, 1), with --epsilon.",
        "advantage": "Target: the most that the advantage of an attack may be.",
        "tpr": "Target: the most that an attack's true positive rate may be at --fpr.",
        "fpr": "In (0, 1), with --tpr.",
    }
    command = _options.options(command, noise_required=False)
    for name, text in reversed(helps.items()):
        command = click.option(f"--{name}", type=float, help=text)(command)
    return click.option(
        "--parameter",
        type=click.Choice(["noise-multiplier", "sampling-probability", "steps"]),
        default="noise-multiplier",
        show_default=True,
        help="What to find; the other two are given.",
    )(command)


_DEAREST: dict[str, float] = {"noise_multiplier": 1.0, "sampling_probability": 1.0, "steps": 1}


@click.command(
    epilog="Example: hockeystick calibrate --sampling-probability 0.01 --steps 10000 "
    "--epsilon 2 --delta 1e-5"
)
@_calibration
@click.pass_context
def calibrate(
    context: click.Context,
    /,
    *,
    parameter: str,
    adjacency: str,
    tolerance: float,
    memory_limit: int,
    as_json: bool,
    **given: Any,
) -> None:
    """The noise, sampling or steps that just meet a privacy target."""
    sought = parameter.replace("-", "_")
    run = {name: given.pop(name) for name in _options.SCHEME}
    _only_the_others(context, sought)
    del run[sought]
    _refuse_what_is_not_whole(sought, run)
    _refuse_what_costs_nothing(sought, run)
    options = {"tolerance": tolerance, "memory_limit": memory_limit}

    def make(value: float) -> Composition:
        return sampled_run(**(run | {sought: value}))

    limits: dict[str, Any] = {"adjacency": adjacency, **options}
    start = perf_counter()
    found = hockeystick.calibrate(make, **given, **limits)
    seconds = perf_counter() - start
    target = {name: value for name, value in given.items() if value is not None}
    wanted, bounds = _cost(make(found), target, limits)
    if not as_json:
        lower, upper = outward(bounds.lower, bounds.upper)
        certified = f"certified: {lower} <= {wanted} <= {upper}"
        click.echo(f"{sought} = {found!r} ({certified}), {1000 * seconds:.3g} ms")
        return
    answer = {
        sought: found,
        wanted: bounds.upper,
        "lower": bounds.lower,
        "upper": bounds.upper,
        "seconds": seconds,
        "question": {
            "wanted": sought,
            **target,
            **_options.described(run),
            "adjacency": adjacency,
            **options,
        },
    }
    click.echo(json.dumps(answer))


def _only_the_others(context: click.Context, sought: str) -> None:
    option = sought.replace("_", "-")
    if context.get_parameter_source(sought) is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--{option} is what is to be found; leave it out")
    if sought != "noise_multiplier" and context.params["noise_multiplier"] is None:
        raise click.UsageError("Missing option '--noise-multiplier'")


def _refuse_what_is_not_whole(sought: str, given: dict[str, Any]) -> None:
    """Batches of the other schemes are whole numbers of records, and epochs of batches."""
    if sought != "noise_multiplier" and given["sampling"] != "poisson":
        option = sought.replace("_", "-")
        raise click.UsageError(f"--parameter {option} is for --sampling poisson only")


def _refuse_what_costs_nothing(sought: str, given: dict[str, Any]) -> None:
    """Try the parameters that were given, so that an error names them and not the search."""
    if sampled_run(**(given | {sought: _DEAREST[sought]})).terms:
        return
    for name, value in given.items():
        if value == 0:
            raise ValueError(f"{name} must be above 0 for a run that costs anything, got {value!r}")


def _cost(
    run: Composition, target: dict[str, float], limits: dict[str, Any]
) -> tuple[str, Bounds[float]]:
    """The certified cost that the target limits, and its name."""
    if "epsilon" in target:
        return "epsilon", run.epsilon_bounds(target["delta"], **limits)
    if "advantage" in target:
        return "advantage", run.advantage_bounds(**limits)
    return "tpr", run.true_positive_rate_bounds(target["fpr"], **limits)
