# SPDX-License-Identifier: Apache-2.0
"""`hockeystick ledger`."""

from collections.abc import Callable
from typing import Any

import click

from hockeystick import Accountant
from hockeystick.accountant.report import Report
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER, WHOLE
from hockeystick.limits import DEFAULT_MEMORY_LIMIT


def _as_json(report: Report) -> str:
    lower, upper = report.bounds
    return _options.in_json(
        {
            report.measure: upper,
            "lower": lower,
            "upper": upper,
            **({} if report.delta is None else {"delta": report.delta}),
            "budget": report.budget,
            "adjacency": report.adjacency.value,
            "rows": [row._asdict() for row in report.rows],
        }
    )


_FORMATS: dict[str, Callable[[Report], str]] = {
    "text": str,
    "markdown": Report.markdown,
    "html": Report.html,
    "page": Report.page,
    "latex": Report.latex,
    "json": _as_json,
}


@click.command(epilog="Example: hockeystick ledger ledger.json --delta 1e-6 --budget 3")
@click.argument("file", type=click.Path())
@click.option("--delta", "-d", type=NUMBER, help="Target delta, in [0, 1); or give --rho.")
@click.option("--budget", help="The most that epsilon may be [nats]; shows what is left.")
@click.option("--rho", help="The most that rho of zero-concentrated DP may be; shows rhos.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    default="text",
    show_default=True,
    help="How the report is written.",
)
@click.option(
    "--memory-limit",
    type=WHOLE,
    default=DEFAULT_MEMORY_LIMIT,
    show_default=True,
    help="Bytes each computation may take.",
)
def ledger(file: str, form: str, **asked: Any) -> None:
    """The cost of each entry of a ledger, and of all entries.

    FILE is what an Accountant saved, or a run described in JSON or TOML (.toml).
    """
    if asked["delta"] is None and asked["rho"] is None:
        raise click.UsageError("Missing option '--delta' (or '--rho')")
    report = Accountant.read(file).report(**asked)
    click.echo(_FORMATS[form](report))
