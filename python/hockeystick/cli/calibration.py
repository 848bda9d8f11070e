# SPDX-License-Identifier: Apache-2.0
"""`hockeystick calibrate`."""

import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import click

import hockeystick
from hockeystick._checks import MAX_COUNT, MIN_NOISE
from hockeystick._decimals import outward
from hockeystick.bounds import Bounds
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER
from hockeystick.cli._runs import read
from hockeystick.composition import Composition
from hockeystick.sampling import sampled_run

_SPENT = "What was spent before and counts, too: a saved ledger, or a run in TOML or JSON."


def _calibration(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a calibration: what to find, and the target."""
    helps = {
        "epsilon": "Target: the most that epsilon may be at --delta [nats].",
        "delta": "In [0, 1), with --epsilon.",
        "advantage": "Target: the most that the advantage of an attack may be.",
        "tpr": "Target: the most that an attack's true positive rate may be at --fpr.",
        "fpr": "In (0, 1), with --tpr.",
    }
    command = _options.options(command, noise_required=False)
    for name, text in reversed(helps.items()):
        letters = ("-d",) if name == "delta" else ()
        command = click.option(f"--{name}", *letters, type=NUMBER, help=text)(command)
    command = click.option("--spent", type=click.Path(), help=_SPENT)(command)
    return click.option(
        "--parameter",
        type=click.Choice(["noise-multiplier", "sampling-probability", "steps"]),
        default="noise-multiplier",
        show_default=True,
        help="What to find; the other two are given.",
    )(command)


_DEAREST: dict[str, float] = {"noise_multiplier": 1.0, "sampling_probability": 1.0, "steps": 1}
_END = {
    ("noise_multiplier", MIN_NOISE): (
        "everything",
        "everything fits, at the least noise there is",
    ),
    ("sampling_probability", 1.0): ("everything", "everything fits, all records in every batch"),
    ("steps", MAX_COUNT): ("everything", "everything fits, the most steps there are"),
    ("steps", 0): ("nothing", "not even one step fits"),
}
"""What is found where the target limits nothing, or allows nothing."""


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
    spent: str | None,
    adjacency: str,
    tolerance: float,
    memory_limit: int,
    as_json: bool,
    **given: Any,
) -> None:
    """The noise, sampling or steps that just meet a privacy target."""
    sought = parameter.replace("-", "_")
    _only_the_others(context, sought)
    run = _options.taken(given, sought)
    _refuse_what_is_not_whole(sought, run)
    _refuse_what_costs_nothing(sought, run)
    before = Composition()
    if spent is not None:
        before, adjacency, tolerance = read(spent, adjacency, tolerance)
    options = {"tolerance": tolerance, "memory_limit": memory_limit}

    def make(value: float) -> Composition:
        return before + sampled_run(**(run | {sought: value}))

    limits: dict[str, Any] = {"adjacency": adjacency, **options}
    start = perf_counter()
    found = hockeystick.calibrate(make, **given, **limits)
    seconds = perf_counter() - start
    target = {name: value for name, value in given.items() if value is not None}
    wanted, bounds = _cost(make(found), target, limits)
    fits, words = _END.get((sought, found), ("", ""))
    note = _options.note_on_delta(given["delta"], run)
    if not as_json:
        lower, upper = outward(bounds.lower, bounds.upper)
        certified = f"certified: {lower} <= {wanted} <= {upper}"
        said = _options.sentence(run | {sought: found}, adjacency)
        said += f", after {spent}" if spent else ""
        end = f"; {words}" if fits else ""
        click.echo(f"{sought} = {found!r} ({certified}{end}), {said}, {1000 * seconds:.3g} ms")
        if note:
            click.echo(f"note: {note}")
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
            **({"spent": spent} if spent else {}),
            "adjacency": adjacency,
            **options,
        },
    }
    answer |= {name: text for name, text in (("fits", fits), ("note", note)) if text}
    click.echo(json.dumps(answer))


def _only_the_others(context: click.Context, sought: str) -> None:
    option = sought.replace("_", "-")
    found_with = {"sampling_probability": ("batch_size", "epochs"), "steps": ("epochs",)}
    for name in (sought, *found_with.get(sought, ())):
        if context.params[name] is not None:
            other = name.replace("_", "-")
            raise click.UsageError(f"--{option} is what is to be found; leave out --{other}")
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
