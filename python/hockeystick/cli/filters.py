# SPDX-License-Identifier: Apache-2.0
"""`hockeystick filter`."""

from typing import Any

import click

from hockeystick._decimals import outward
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER, WHOLE
from hockeystick.cli._runs import RUN, asked_of, on_all_data
from hockeystick.filters.exact import double_below
from hockeystick.filters.files import read
from hockeystick.filters.filter import Filter
from hockeystick.filters.individual import IndividualFilter
from hockeystick.outward import double_above


@click.command(
    "filter", epilog="Example: hockeystick filter budget.json --noise-multiplier 10 --enter"
)
@click.argument("budget", type=click.Path())
@click.option("--delta", "-d", type=NUMBER, help="In [0, 1): asks for epsilon of the whole.")
@click.option("--enter", is_flag=True, help="Enter the step, if the budget allows it.")
@click.option("--count", type=WHOLE, default=1, show_default=True, help="How often, with --enter.")
@click.option("--label", default="", help="What the step is for, with --enter.")
@RUN
@_options.step_options
def filters(
    *,
    budget: str,
    delta: float | None,
    enter: bool,
    count: int,
    label: str,
    file: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """The rest of a budget for steps that outputs choose.

    BUDGET is what a filter saved, or a budget in JSON or TOML (.toml). Where --run or the options
    of DP-SGD say what the next step is, of --steps 1 if not said, it also says how often that fits.
    With --enter the step is entered, or the command exits with 2 and enters nothing.
    """
    held = read(budget)
    answer: dict[str, Any] = {}
    lines = []
    is_asked = file is not None or given["noise_multiplier"] is not None
    if isinstance(held, IndividualFilter):
        if is_asked or enter:
            raise click.UsageError(
                "a budget for each record charges the norms of records: enter steps in Python, by "
                "IndividualFilter.locked; this command takes only --delta"
            )
    elif not is_asked:
        if enter:
            raise click.UsageError("Missing option '--noise-multiplier' (or '--run')")
    else:
        if file is None and given["epochs"] is None:
            given["steps"] = 1 if given["steps"] is None else given["steps"]
        asked = asked_of(file, given, held.adjacency.value)
        step = on_all_data(asked.composition, "a filter")
        if enter:
            with type(held).locked(budget) as held:
                held.run(step, count, label=label)
        answer["runs_left"] = held.runs_left(step)
        answer["question"] = asked.members
        lines.append(f"{answer['runs_left']:,} more fit of: {asked.sentence}")
    if delta is not None:
        bounds = held.guarantee.epsilon_bounds(delta)
        answer |= {"epsilon": bounds.upper, "lower": bounds.lower, "upper": bounds.upper}
        answer["delta"] = delta
        lower, upper = outward(*bounds)
        lines += [
            f"epsilon = {upper} at delta = {delta!r}, whatever runs",
            f"certified: {lower} <= epsilon <= {upper} of {held.guarantee!r}",
        ]
    if as_json:
        click.echo(_options.in_json({**_members(held), **answer}))
        return
    click.echo(_shown(held))
    if lines:
        click.echo()
        _options.show(*lines)


def _shown(held: Filter | IndividualFilter) -> str:
    if isinstance(held, IndividualFilter):  # and not what records spent, which is not published
        return f"{held!r} {held.adjacency.value}"
    return str(held.report())


def _members(held: Filter | IndividualFilter) -> dict[str, Any]:
    """The budget as members of JSON; numbers are rounded so that none promises too much."""
    if isinstance(held, IndividualFilter):
        said = {"guarantee": repr(held.guarantee), "adjacency": held.adjacency.value}
        return {**held._arguments, "steps": held.steps, **said}  # noqa: SLF001, its own
    report = held.report()
    return {
        "measure": report.measure,
        "budget": double_below(report.budget),
        "spent": double_above(report.rows[-1].total) if report.rows else 0.0,
        "left": double_below(report.rows[-1].remaining if report.rows else report.budget),
        "guarantee": repr(held.guarantee),
        "adjacency": report.adjacency.value,
        "rows": [
            {
                **{name: getattr(row, name) for name in ("label", "mechanism", "count")},
                **{name: double_above(getattr(row, name)) for name in ("cost", "total")},
                "left": double_below(row.remaining),
            }
            for row in report.rows
        ],
    }
