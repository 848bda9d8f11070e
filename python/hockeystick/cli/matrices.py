# SPDX-License-Identifier: Apache-2.0
"""`hockeystick matrix`."""

from collections.abc import Callable
from typing import Any
from warnings import catch_warnings, simplefilter

import click
import numpy as np

from hockeystick._decimals import outward
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER, WHOLE, Number
from hockeystick.cli._runs import Asked
from hockeystick.cli.questions import answer
from hockeystick.disjoint import AnyRun
from hockeystick.mechanisms import MatrixMechanism


class _Numbers(Number):
    """Numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401, as click has it
        """A list of doubles."""
        return [super(_Numbers, self).convert(each, param, ctx) for each in value.split(",")]


_STRATEGIES: dict[str, tuple[Any, str]] = {
    "coefficients": (_Numbers(), "Of a Toeplitz strategy: its first column, as 1,0.5,0.375."),
    "scales": (_Numbers(), "Of a buffered Toeplitz strategy, with --decays: of its outputs."),
    "decays": (_Numbers(), "Of its buffers, one for each scale."),
    "leaves": (WHOLE, "Of a binary tree: the steps of an epoch."),
    "restarts": (WHOLE, "How many trees there are, one an epoch.  [default: 1]"),
    "strategy": (click.Path(), "A file of numbers: a matrix, or a column of coefficients."),
}
_SCHEDULE: dict[str, tuple[Any, str]] = {
    "steps": (WHOLE, "Number of steps."),
    "min_separation": (WHOLE, "How far apart the steps of a record are, at least.  [default: 1]"),
    "max_participations": (
        WHOLE,
        "How many steps a record has, at most; by default all that fit.",
    ),
    "sampling_probability": (NUMBER, "Rate within the group: the run where groups take turns."),
}


def _strategy_options(command: Callable[..., None]) -> Callable[..., None]:
    for name, (kind, text) in reversed((_STRATEGIES | _SCHEDULE).items()):
        command = click.option(_options.option_named(name), type=kind, help=text)(command)
    return command


@click.command(
    epilog="Example: hockeystick matrix --coefficients 1,0.5,0.375 --steps 2000 "
    "--min-separation 500 --noise-multiplier 5 --delta 1e-6"
)
@click.option("--delta", "-d", type=NUMBER, help="In [0, 1): asks for epsilon.")
@click.option("--epsilon", type=NUMBER, help="In [0, 1e4] nats: asks for delta.")
@click.option("--noise-multiplier", "-s", type=NUMBER, required=True, help=_options.NOISE_HELP)
@_strategy_options
@_options.limit_options
def matrix(
    *,
    delta: float | None,
    epsilon: float | None,
    sampling_probability: float | None,
    adjacency: str,
    tolerance: float,
    memory_limit: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Epsilon or delta of a run with correlated noise.

    One of --coefficients, --scales, --leaves and --strategy says how. The noise, as of DP-FTRL, is
    that which is added to the outputs of the strategy.
    """
    if (delta is None) == (epsilon is None):
        raise click.UsageError("one of --delta and --epsilon must be given")
    said = {name: value for name, value in given.items() if value is not None}
    mechanism = _mechanism(dict(said))
    lower, upper = mechanism.sensitivity_bounds()
    run: AnyRun = 1 * mechanism
    if sampling_probability is not None:
        run = mechanism.amplified(sampling_probability)
        said["sampling_probability"] = sampling_probability
    low, high = outward(lower, upper)
    said |= {"sensitivity_lower": lower, "sensitivity_upper": upper}
    times = mechanism.participations
    sentence = f"sensitivity in [{low}, {high}], {times} participation{'s' if times > 1 else ''}"
    if sampling_probability is not None:
        sentence += f", groups sampled at q = {sampling_probability!r}"
    asked = Asked(run, adjacency, tolerance, f"{sentence}, {adjacency}", said, {})
    limits = {"memory_limit": memory_limit}
    if delta is not None:
        answer("epsilon", "delta", delta, asked, limits, as_json=as_json)
    else:
        answer("delta", "epsilon", epsilon or 0.0, asked, limits, as_json=as_json)


def _mechanism(given: dict[str, Any]) -> Any:  # noqa: ANN401, a matrix mechanism of some kind
    kinds = {"coefficients", "scales", "leaves", "strategy"} & given.keys()
    if len(kinds) != 1:
        raise click.UsageError(
            "give exactly one of --coefficients, --scales, --leaves and --strategy"
        )
    (kind,) = kinds
    make: Callable[..., Any] = {
        "coefficients": MatrixMechanism.toeplitz,
        "scales": MatrixMechanism.buffered,
        "leaves": MatrixMechanism.tree,
        "strategy": MatrixMechanism,
    }[kind]
    if kind == "strategy":
        values = _numbers_in(given.pop("strategy"))
        if values.ndim == 2 and 1 not in values.shape:  # noqa: PLR2004
            return _made(make, {"strategy": values, **given})
        return _made(MatrixMechanism.toeplitz, {"coefficients": values.ravel(), **given})
    return _made(make, given)


def _made(make: Callable[..., Any], given: dict[str, Any]) -> Any:  # noqa: ANN401
    takes = make.argument_names()  # type: ignore[attr-defined]
    for name in given:
        if name not in takes:
            raise click.UsageError(f"{_options.option_named(name)} is for another strategy")
    needs = {"steps", "decays"} & set(takes)
    for name in sorted(needs - given.keys()):
        raise click.UsageError(f"Missing option '{_options.option_named(name)}'")
    return make(**given)


def _numbers_in(path: str) -> Any:  # noqa: ANN401, an array
    """The numbers of a file of NumPy, or of a text with a row in each line."""
    if path.endswith(".npy"):
        return np.load(path, allow_pickle=False)
    with open(path, encoding="utf-8") as file, catch_warnings():  # noqa: PTH123
        simplefilter("ignore")  # that there is no number, which the strategy refuses
        try:
            return np.loadtxt((line.replace(",", " ") for line in file), ndmin=1)
        except ValueError:
            expected = "lines with equally many numbers"
            raise ValueError(f"strategy must hold {expected}, got {path}") from None
