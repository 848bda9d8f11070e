# SPDX-License-Identifier: Apache-2.0
"""`hockeystick calibrate`."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import click

import hockeystick
from hockeystick._checks import MAX_COUNT, MIN_NOISE
from hockeystick._decimals import outward
from hockeystick.accountant import parts
from hockeystick.calibration.goals import Goal, goal_of
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER
from hockeystick.cli._runs import GROUP, RUN, asked_of, is_given, on_all_data
from hockeystick.composition import Composable, Composition
from hockeystick.disjoint import AnyRun
from hockeystick.limits import Limits
from hockeystick.sampling import EPOCHS, sampled_run

_SPENT = "What was spent before and counts, too: a saved ledger, or a run in TOML or JSON."


def _calibration(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a calibration: what to find, and the target."""
    helps = {
        "epsilon": "Target: the most that epsilon may be at --delta [nats].",
        "delta": "In [0, 1), with --epsilon.",
        "advantage": "Target: the most that the advantage of an attack may be.",
        "tpr": "Target: the most that an attack's true positive rate may be at --fpr.",
        "fpr": "In (0, 1), with --tpr.",
        "reconstruction_risk": "Target: the most often a record may be found out, by --baseline.",
        "baseline": "In (0, 1), with --reconstruction-risk: how often a guess alone is right.",
        "bayes_risk": "Target: the least that an attack's Bayes risk may be.",
        "prior": "In (0, 1), with --bayes-risk, by default 0.5: how likely the record is there.",
        "mu": "Target: the mu of Gaussian DP.",
        "rho": "Target: the rho of zCDP.",
    }
    command = _options.question_options(command)
    for name, text in reversed(helps.items()):
        letters = ("-d",) if name == "delta" else ()
        option = _options.option_named(name)
        command = click.option(option, *letters, type=NUMBER, help=text)(command)
    command = RUN(GROUP(command))
    command = click.option("--spent", type=click.Path(), help=_SPENT)(command)
    return click.option(
        "--parameter",
        type=click.Choice([name.replace("_", "-") for name in _DEAREST]),
        default="noise-multiplier",
        show_default=True,
        help="What to find; the others are given. With --run: count, how often the run fits.",
    )(command)


_DEAREST: dict[str, float] = {
    "noise_multiplier": 1.0,
    "sampling_probability": 1.0,
    "batch_size": 1,
    "steps": 1,
    "epochs": 1,
    "count": 1,
}
"""The parameters that may be found, each with a value that costs something."""
_WHOLE = ("batch_size", "epochs", "count")
_END = {
    ("noise_multiplier", MIN_NOISE): (
        "everything",
        "everything fits, at the least noise there is",
    ),
    ("sampling_probability", 1.0): ("everything", "everything fits, all records in every batch"),
    ("steps", MAX_COUNT): ("everything", "everything fits, the most steps there are"),
    ("steps", 0): ("nothing", "not even one step fits"),
    ("epochs", 0): ("nothing", "not even one epoch fits"),
    ("count", 0): ("nothing", "the run does not fit once"),
}
"""The answer where the target limits nothing, or allows nothing."""


@click.command(
    epilog="Example: hockeystick calibrate --sampling-probability 0.01 --steps 10000 "
    "--epsilon 2 --delta 1e-5"
)
@_calibration
@click.pass_context
def calibrate(  # noqa: PLR0913, one argument per option
    context: click.Context,
    /,
    *,
    parameter: str,
    file: str | None,
    spent: str | None,
    group_size: int,
    adjacency: str,
    tolerance: float,
    memory_limit: int,
    as_json: bool,
    **given: Any,
) -> None:
    """The noise, batch or length that just meets a privacy target."""
    sought = _sought(parameter, file, is_given("parameter"))
    run: dict[str, Any] = {}
    one: Composable = Composition()
    said = ""
    if file is None:
        _only_the_others(context, sought)
        run = _options.taken(given, sought)
        _refuse_what_is_not_whole(sought, run)
        _refuse_what_costs_nothing(sought, run)
    else:
        asked, adjacency, tolerance, said, *_ = asked_of(file, given, adjacency, tolerance)
        one = on_all_data(asked, "--parameter count")
    before: AnyRun = Composition()
    if spent is not None:
        under = adjacency if file or is_given("adjacency") else ""
        before, adjacency, tolerance = _spent(spent, under, tolerance)
    options = {"tolerance": tolerance, "memory_limit": memory_limit}

    def make(value: float) -> AnyRun:
        part = one * int(value) if run == {} else sampled_run(**(run | {sought: value}))
        return before + part if group_size == 1 else (before + part).group(group_size)

    limits: dict[str, Any] = {"adjacency": adjacency, **options}
    target = {name: value for name, value in given.items() if value is not None}
    goal = goal_of(target, Limits().updated(limits))
    if spent is not None:
        _refuse_what_was_spent(spent, before, goal)
    whole: Any = {"integer": True} if sought in _WHOLE else {}
    start = perf_counter()
    found = hockeystick.calibrate(make, **given, **limits, **whole)
    seconds = perf_counter() - start
    wanted, bounds = goal.name, goal.ask(make(found), goal.tolerance)
    fits, words = _END.get((sought, found), ("", ""))
    note = _options.note_on_delta(given["delta"], run)
    if not as_json:
        lower, upper = outward(bounds.lower, bounds.upper)
        said = said or _options.sentence(run | {sought: found}, adjacency)
        said += f", groups of {group_size}" if group_size > 1 else ""
        said += f", after {spent}" if spent else ""
        _options.show(
            f"{sought} = {found!r}" + (f": {words}" if fits else ""),
            f"certified: {lower} <= {wanted} <= {upper}, in {1000 * seconds:.3g} ms",
            said,
            *([f"note: {note}"] if note else []),
        )
        return
    answer = {
        sought: found,
        wanted: bounds.lower if goal.scale == "falling" else bounds.upper,
        "lower": bounds.lower,
        "upper": bounds.upper,
        "seconds": seconds,
        "question": {
            "wanted": sought,
            **target,
            **(_options.described(run) if run else {"run": file}),
            **({"spent": spent} if spent else {}),
            **({"group_size": group_size} if group_size > 1 else {}),
            "adjacency": adjacency,
            **options,
        },
    }
    answer |= {name: text for name, text in (("fits", fits), ("note", note)) if text}
    click.echo(_options.in_json(answer))


def _sought(parameter: str, file: str | None, is_said: bool) -> str:  # noqa: FBT001
    """The parameter to find; of a run in a file, how often it fits."""
    sought = parameter.replace("-", "_")
    if file is None and sought == "count":
        raise click.UsageError("--parameter count is how many runs fit; give the run by --run")
    if file is not None and is_said and sought != "count":
        raise click.UsageError("--run leaves only its number to be found; use --parameter count")
    return "count" if file is not None else sought


def _spent(spent: str, under: str, tolerance: float) -> tuple[AnyRun, str, float]:
    """What was spent, which counts under its own neighbours: those of the run, if it has some."""
    found = parts.read(spent)
    own = found.adjacency.value
    if under not in ("", own):
        raise ValueError(
            f"adjacency must be that of {spent}, {own!r}, for the run too, got {under!r}"
        )
    return found.run, own, tolerance if is_given("tolerance") else found.tolerance


def _refuse_what_was_spent(spent: str, before: AnyRun, goal: Goal) -> None:
    """Refuse a target that is below what was spent, which no parameter can change."""
    bounds = goal.ask(before, goal.tolerance)
    if bounds.lower > goal.target:
        cost = f"{spent} alone costs {goal.name} = {outward(*bounds)[1]}"
        raise ValueError(f"{goal.name} must be above that of --spent, got {goal.target!r}: {cost}")


def _only_the_others(context: click.Context, sought: str) -> None:
    option = sought.replace("_", "-")
    found_with = {
        "sampling_probability": ("batch_size", "epochs"),
        "batch_size": ("sampling_probability",),
        "steps": ("epochs",),
        "epochs": ("steps",),
    }
    for name in (sought, *found_with.get(sought, ())):
        if context.params[name] is not None:
            other = name.replace("_", "-")
            raise click.UsageError(
                f"--{option} is sought; leave out --{other}, or choose another by --parameter"
            )
    if sought != "noise_multiplier" and context.params["noise_multiplier"] is None:
        raise click.UsageError("Missing option '--noise-multiplier'")


def _refuse_what_is_not_whole(sought: str, given: dict[str, Any]) -> None:
    """Refuse to look among numbers that a scheme does not take: batches are whole, and epochs."""
    sampling = given["sampling"]
    option = sought.replace("_", "-")
    if sought == "steps" and sampling.replace("-", "_") in EPOCHS:
        raise click.UsageError(f"steps of --sampling {sampling} are whole epochs; choose epochs")
    if sought == "sampling_probability" and sampling != "poisson":
        raise click.UsageError(f"--parameter {option} is for --sampling poisson only")
    if sought == "batch_size" and sampling.replace("-", "_") in EPOCHS:
        raise click.UsageError(f"--parameter {option} is for batches that are drawn one by one")
    if sought == "batch_size" and "dataset_size" not in given:
        raise click.UsageError("Missing option '--dataset-size'")


def _refuse_what_costs_nothing(sought: str, given: dict[str, Any]) -> None:
    """Try the parameters that were given, so that an error names them and not the search."""
    if sampled_run(**(given | {sought: _DEAREST[sought]})).terms:
        return
    for name, value in given.items():
        if value == 0:
            raise ValueError(f"{name} must be above 0 for a run that costs anything, got {value!r}")
