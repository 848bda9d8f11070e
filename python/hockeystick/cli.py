# SPDX-License-Identifier: Apache-2.0
"""The command line: one question, one line of answer."""

import json
import math
import sys
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from time import perf_counter
from typing import Any, Literal

import click

import hockeystick
from hockeystick._solve import DEFAULT_MEMORY_LIMIT, DEFAULT_TOLERANCE
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition, Mechanism
from hockeystick.errors import CertificationError
from hockeystick.mechanisms import Gaussian
from hockeystick.plot._axes import SCALES, detached
from hockeystick.plot._by_name import PICTURES, TAKEN_BY, draw
from hockeystick.plot._methods import BASELINES, ESTIMATORS

_MIN_DIGITS = 5
_MAX_DIGITS = 17
_EXACT = Context(prec=2000)  # a subnormal's digits go this far down


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors take one line on stderr and exit with 2."""
    try:
        code = _commands.main(arguments, prog_name="hockeystick", standalone_mode=False)
    except click.ClickException as error:
        _fail(error.format_message())
    except (CertificationError, ImportError, TypeError, ValueError) as error:
        _fail(str(error))
    except click.Abort:
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"hockeystick: {' '.join(message.split())}", err=True)
    sys.exit(2)


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        click.echo(f"hockeystick {hockeystick.__version__}")
        context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: hockeystick epsilon --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5",
)
@click.option("--version", is_flag=True, callback=_version, is_eager=True, expose_value=False)
def _commands() -> None:
    """Certified privacy of DP-SGD: epsilon and delta between proven bounds."""


def _question(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a question about a given run."""
    return _options(command, noise_required=True)


def _picture(command: Callable[..., None]) -> Callable[..., None]:
    """The same options, of which each picture has a tolerance of its own."""
    return _options(command, noise_required=True, tolerance=None)


def _options(
    command: Callable[..., None],
    *,
    noise_required: bool,
    tolerance: float | None = DEFAULT_TOLERANCE,
) -> Callable[..., None]:
    """The options that every question has, also under the names of `compute-dp-epsilon`."""
    options = [
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
            help="Probability that a record is in a batch (Poisson sampling).",
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
        click.option(
            "--adjacency",
            type=click.Choice([adjacency.value for adjacency in Adjacency]),
            default=Adjacency.ADD_OR_REMOVE_ONE.value,
            show_default=True,
            help="Which datasets are neighbours.",
        ),
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
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@_commands.command(
    epilog="Example: hockeystick epsilon --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5"
)
@click.option("--delta", "-d", type=float, required=True, help="Target delta, in (0, 1).")
@_question
def epsilon(delta: float, **question: Any) -> None:
    """Smallest epsilon of a run of DP-SGD, for a delta."""
    _answer("epsilon", "delta", delta, **question)


@_commands.command(
    epilog="Example: hockeystick delta --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --epsilon 2"
)
@click.option("--epsilon", type=float, required=True, help="Target epsilon [nats], in [0, 1e4].")
@_question
def delta(epsilon: float, **question: Any) -> None:
    """Smallest delta of a run of DP-SGD, for an epsilon."""
    _answer("delta", "epsilon", epsilon, **question)


def _step(*, noise_multiplier: float, sampling_probability: float) -> Mechanism:
    return Gaussian(noise_multiplier=noise_multiplier).poisson_sampled(sampling_probability)


def _run(*, steps: int, **mechanism: float) -> Composition:
    return steps * _step(**mechanism)


def _calibration(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a calibration: what to find, and the target."""
    helps = {
        "epsilon": "Target: the most that epsilon may be at --delta [nats].",
        "delta": "In (0, 1), with --epsilon.",
        "advantage": "Target: the most that the advantage of an attack may be.",
        "tpr": "Target: the most that an attack's true positive rate may be at --fpr.",
        "fpr": "In (0, 1), with --tpr.",
    }
    command = _options(command, noise_required=False)
    for name, text in reversed(helps.items()):
        command = click.option(f"--{name}", type=float, help=text)(command)
    return click.option(
        "--parameter",
        type=click.Choice(["noise-multiplier", "sampling-probability", "steps"]),
        default="noise-multiplier",
        show_default=True,
        help="What to find; the other two are given.",
    )(command)


@_commands.command(
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
    """The noise, sampling or number of steps of DP-SGD that just meets a privacy target."""
    sought = parameter.replace("-", "_")
    run = {name: given.pop(name) for name in ("noise_multiplier", "sampling_probability", "steps")}
    _only_the_others(context, sought)
    del run[sought]
    options = {"tolerance": tolerance, "memory_limit": memory_limit}

    def make(value: float) -> Composition:
        return _run(**(run | {sought: value}))

    limits: dict[str, Any] = {"adjacency": Adjacency(adjacency), **options}
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
        "question": {"wanted": sought, **target, **run, "adjacency": adjacency, **options},
    }
    click.echo(json.dumps(answer))


def _only_the_others(context: click.Context, sought: str) -> None:
    option = sought.replace("_", "-")
    if context.get_parameter_source(sought) is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--{option} is what is to be found; leave it out")
    if sought != "noise_multiplier" and context.params["noise_multiplier"] is None:
        raise click.UsageError("Missing option '--noise-multiplier'")


def _cost(
    run: Composition, target: dict[str, float], limits: dict[str, Any]
) -> tuple[str, Bounds[float]]:
    """The certified cost that the target limits, and its name."""
    if "epsilon" in target:
        return "epsilon", run.epsilon_bounds(target["delta"], **limits)
    if "advantage" in target:
        return "advantage", run.advantage_bounds(**limits)
    return "tpr", run.true_positive_rate_bounds(target["fpr"], **limits)


def _answer(  # noqa: PLR0913, one argument per option
    wanted: Literal["epsilon", "delta"],
    given: str,
    value: float,
    *,
    noise_multiplier: float,
    sampling_probability: float,
    steps: int,
    adjacency: str,
    tolerance: float,
    memory_limit: int,
    as_json: bool,
) -> None:
    run = _run(
        noise_multiplier=noise_multiplier, sampling_probability=sampling_probability, steps=steps
    )
    ask = run.epsilon_bounds if wanted == "epsilon" else run.delta_bounds
    start = perf_counter()
    bounds = ask(
        value, adjacency=Adjacency(adjacency), tolerance=tolerance, memory_limit=memory_limit
    )
    seconds = perf_counter() - start
    if not as_json:
        click.echo(_sentence(wanted, bounds, f"{given} = {value!r}", seconds))
        return
    answer = {
        wanted: bounds.upper,
        "lower": bounds.lower,
        "upper": bounds.upper,
        "seconds": seconds,
        "question": {
            "wanted": wanted,
            given: value,
            "noise_multiplier": noise_multiplier,
            "sampling_probability": sampling_probability,
            "steps": steps,
            "adjacency": adjacency,
            "tolerance": tolerance,
            "memory_limit": memory_limit,
        },
    }
    click.echo(json.dumps(answer))


@_commands.command(
    epilog="Example: hockeystick plot tradeoff --noise-multiplier 1.0 "
    "--sampling-probability 0.01 --steps 10000 --output tradeoff.png"
)
@click.argument("picture", type=click.Choice(PICTURES))
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    required=True,
    help="File to write; its ending is the format (png, pdf, svg).",
)
@click.option(
    "--delta",
    type=float,
    default=1e-5,
    show_default=True,
    help="Target delta of epsilon-by-count, in (0, 1).",
)
@click.option(
    "--epsilon",
    type=float,
    help="Where loss-against-probability shows delta [nats]; by default the epsilon at --delta.",
)
@click.option(
    "--baseline",
    "baselines",
    type=click.Choice(tuple(BASELINES)),
    multiple=True,
    help="A classical method to add to epsilon-by-count; give it again for another.",
)
@click.option(
    "--estimator",
    "estimators",
    type=click.Choice(tuple(ESTIMATORS)),
    multiple=True,
    help="An estimate on a grid to add to epsilon-by-count; give it again for another.",
)
@click.option(
    "--discretization-interval",
    type=float,
    help="Grid of estimators and of distributions [nats]; by default one that suits the picture.",
)
@click.option(
    "--scale", type=click.Choice(SCALES), help="Of the axes; by default one that suits the picture."
)
@_picture
@click.pass_context
def plot(
    context: click.Context,
    /,
    *,
    picture: str,
    output: str,
    as_json: bool,
    noise_multiplier: float,
    sampling_probability: float,
    adjacency: str,
    **options: Any,
) -> None:
    """Draw a PICTURE of a run of DP-SGD, with both bounds, into a file.

    \b
    hockey-stick              delta against epsilon
    epsilon-by-count          epsilon against the number of steps
    tradeoff                  false negative against false positive rate
    loss-distribution         the privacy loss distribution
    loss-against-probability  the privacy loss, and delta as an area
    """  # noqa: D301, click looks for a backspace
    _only_what_it_takes(context, picture)
    start = perf_counter()
    mechanism = {"noise_multiplier": noise_multiplier, "sampling_probability": sampling_probability}
    step = _step(**mechanism)
    ax = draw(picture, step, adjacency=Adjacency(adjacency), ax=detached(), **options)
    figure: Any = ax.figure
    try:
        figure.savefig(output)
    except OSError as error:
        raise click.FileError(output, error.strerror) from error
    seconds = perf_counter() - start
    if as_json:
        asked = {"wanted": picture, **mechanism, "adjacency": adjacency, **options}
        click.echo(json.dumps({"output": output, "seconds": seconds, "question": asked}))
    else:
        click.echo(f"{picture} in {output}, {1000 * seconds:.3g} ms")


def _only_what_it_takes(context: click.Context, picture: str) -> None:
    """Refuse an option that would change nothing."""
    for parameter in context.command.params:
        name = parameter.name or ""
        pictures = TAKEN_BY.get(name, PICTURES)
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and picture not in pictures:
            raise click.UsageError(f"{parameter.opts[0]} is for {' and '.join(pictures)} only")


def _sentence(wanted: str, bounds: Bounds[float], given: str, seconds: float) -> str:
    lower, upper = outward(bounds.lower, bounds.upper)
    certified = f"certified: {lower} <= {wanted} <= {upper}"
    return f"{wanted} = {upper} at {given} ({certified}), {1000 * seconds:.3g} ms"


def outward(lower: float, upper: float) -> tuple[str, str]:
    """Both bounds in decimal, rounded outward, with digits enough to tell them apart."""
    if not math.isfinite(upper) or upper == 0:
        return repr(lower), repr(upper)
    gap = (upper - lower) / upper
    digits = 1 + math.ceil(-math.log10(gap)) if gap > 0 else _MAX_DIGITS
    digits = min(max(digits, _MIN_DIGITS), _MAX_DIGITS)
    last = Decimal(1).scaleb(Decimal(upper).adjusted() - digits + 1)
    low = Decimal(lower).quantize(last, rounding=ROUND_FLOOR, context=_EXACT)
    high = Decimal(upper).quantize(last, rounding=ROUND_CEILING, context=_EXACT)
    return _decimal(low), _decimal(high)


def _decimal(value: Decimal) -> str:
    return "0" if value == 0 else str(value).replace("E", "e")
