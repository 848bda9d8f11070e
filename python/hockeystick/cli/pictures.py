# SPDX-License-Identifier: Apache-2.0
"""`hockeystick plot`."""

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER
from hockeystick.cli._runs import RUN, asked_of, on_all_data
from hockeystick.composition import Composable
from hockeystick.plot._axes import SCALES, detached
from hockeystick.plot._by_name import PICTURES, TAKEN_BY, draw
from hockeystick.plot._methods import BASELINES, ESTIMATORS
from hockeystick.sampling import drawn

_DPI = 200  # of formats with pixels


@click.command(
    epilog="Example: hockeystick plot tradeoff --noise-multiplier 1.0 "
    "--sampling-probability 0.01 --steps 10000 --output tradeoff.png"
)
@click.argument("picture", type=click.Choice(PICTURES), metavar="PICTURE", default=PICTURES[0])
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False),
    required=True,
    help="File to write; its ending is the format (png, pdf, svg).",
)
@click.option(
    "--delta",
    type=NUMBER,
    default=1e-5,
    show_default=True,
    help="Target delta in [0, 1), of epsilon-by-count and of loss-against-probability without "
    "--epsilon.",
)
@click.option(
    "--epsilon",
    type=NUMBER,
    help="Where loss-against-probability shows delta [nats]; by default the epsilon at --delta.",
)
@click.option(
    "--baseline",
    "baselines",
    type=click.Choice(tuple(BASELINES)),
    multiple=True,
    help="A classical method to add to epsilon-by-count or (rdp, zcdp, clt) hockey-stick; give it "
    "again for another.",
)
@click.option(
    "--estimator",
    "estimators",
    type=click.Choice(tuple(ESTIMATORS)),
    multiple=True,
    help="An estimate on a grid to add to epsilon-by-count or hockey-stick; give it again for "
    "another.",
)
@click.option(
    "--discretization-interval",
    type=NUMBER,
    help="Grid of estimators and of distributions [nats]; by default one that suits the picture.",
)
@click.option(
    "--scale", type=click.Choice(SCALES), help="Of the axes; by default one that suits the picture."
)
@RUN
@_options.picture_options
@click.pass_context
def plot(
    context: click.Context,
    /,
    *,
    picture: str,
    output: str,
    file: str | None,
    as_json: bool,
    adjacency: str,
    **options: Any,
) -> None:
    """Draw a PICTURE of a run with both bounds, by default the first.

    \b
    hockey-stick              delta against epsilon
    epsilon-by-count          epsilon against the number of steps
    tradeoff                  false negative against false positive rate
    roc                       true positive against false positive rate
    loss-distribution         the privacy loss distribution
    loss-against-probability  the privacy loss, and delta as an area
    """  # noqa: D301, click looks for a backspace
    _only_what_it_takes(context, picture)
    if not Path(output).suffix:
        raise click.UsageError(f"--output must end in a format, as {output}.png does")
    start = perf_counter()
    step, count, adjacency, said = _run_of(file, options, adjacency)
    ax = draw(picture, step, count, adjacency=adjacency, ax=detached(), **options)
    figure: Any = ax.figure
    try:
        figure.savefig(output, dpi=_DPI)
    except OSError as error:
        raise click.FileError(output, error.strerror) from error
    seconds = perf_counter() - start
    if as_json:
        asked = {"wanted": picture, **said, "adjacency": adjacency, **options}
        click.echo(_options.in_json({"output": output, "seconds": seconds, "question": asked}))
    else:
        click.echo(f"{picture} in {output}, {1000 * seconds:.3g} ms")


def _run_of(
    file: str | None, options: dict[str, Any], adjacency: str
) -> tuple[Composable, int, str, dict[str, Any]]:
    """The repeated step and its count, the adjacency, and the run as members of JSON."""
    if file is None and options["noise_multiplier"] is not None:
        scheme = _options.taken(options)
        return *drawn(**scheme), adjacency, _options.described(scheme)
    asked, adjacency, _, _, said, _ = asked_of(file, options, adjacency)
    run = on_all_data(asked, "a picture")
    step, count = run.terms[0] if len(run.terms) == 1 else (run, 1)
    return step, count, adjacency, said


def _only_what_it_takes(context: click.Context, picture: str) -> None:
    """Refuse an option that would change nothing."""
    for parameter in context.command.params:
        name = parameter.name or ""
        pictures = TAKEN_BY.get(name, PICTURES)
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and picture not in pictures:
            raise click.UsageError(f"{parameter.opts[0]} is for {' and '.join(pictures)} only")
