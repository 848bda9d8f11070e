# SPDX-License-Identifier: Apache-2.0
"""`hockeystick verify`, and the option --verify of other questions."""

import math
from typing import Any, NamedTuple

import click

import hockeystick
from hockeystick.bounds import Bounds
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER, WHOLE
from hockeystick.cli._runs import RUN, asked_of
from hockeystick.disjoint import AnyRun
from hockeystick.verify import Verified


@click.command(
    epilog="Example: hockeystick verify --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5"
)
@click.option("--delta", "-d", type=NUMBER, help="In (0, 1): asks for epsilon.")
@click.option("--epsilon", type=NUMBER, help="In [0, 1e4] nats: asks for delta.")
@click.option("--fpr", type=NUMBER, help="In [0, 1]: asks for the largest true positive rate.")
@click.option("--prior", type=NUMBER, help="In (0, 1): asks for the Bayes risk.")
@click.option("--order", type=NUMBER, help="In [1, 1e4]: asks for the Renyi divergence.")
@click.option("--digits", type=WHOLE, default=30, show_default=True, help="Decimal digits wanted.")
@RUN
@_options.verification_options
def verify(
    *,
    file: str | None,
    fpr: float | None,
    digits: int,
    adjacency: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """One question, asked of the second accountant and compared.

    It works in ball arithmetic with proved errors and shares no code with the fast accountant
    (extra verify). It exits with 2 where the fast interval misses the value.
    """
    run, adjacency, _, sentence, said, _ = asked_of(file, asked, adjacency)
    questions = {**asked, "false_positive_rate": fpr}
    given = {name: value for name, value in questions.items() if value is not None}
    if len(given) != 1:
        raise click.UsageError("give exactly one of --delta, --epsilon, --fpr, --prior and --order")
    result = hockeystick.verify(run, adjacency=adjacency, digits=digits, **given)
    second = Second(result)
    if as_json:
        question = {**given, **said, "adjacency": adjacency, "digits": digits}
        click.echo(_options.in_json({**second.members, "question": question}))
    else:
        _options.show(second.sentence, sentence)
    second.refuse_a_miss()


class Second(NamedTuple):
    """A verification in the forms that the command shows."""

    result: Verified

    @property
    def sentence(self) -> str:
        """The verification as one line."""
        result = self.result
        if not result.known:
            return f"{result.quantity} is not known rigorously: {result.reason}"
        value = f"{result.quantity} = {result.middle} +/- {result.radius} (ball arithmetic"
        return f"{value}, {result.method}){_verdict(result)}, {result.seconds:.3g} s"

    @property
    def members(self) -> dict[str, Any]:
        """The verification as members of JSON; an exact value has null digits."""
        result = self.result
        known = None if math.isinf(result.digits) else result.digits
        fast = None if result.fast is None else [result.fast.lower, result.fast.upper]
        return {
            "quantity": result.quantity,
            "known": result.known,
            "middle": result.middle,
            "radius": result.radius,
            "lower": result.lower,
            "upper": result.upper,
            "digits": known,
            "method": result.method,
            "reason": result.reason,
            "fast": fast,
            "enclosed": result.enclosed,
            "seconds": result.seconds,
        }

    def refuse_a_miss(self) -> None:
        """Raise ArithmeticError where the fast interval misses the value."""
        if self.result.enclosed is False:
            raise ArithmeticError(f"the interval {tuple(self.result.fast or ())} misses the value")


def _verdict(result: Verified) -> str:
    if result.fast is None:
        return ""
    interval = f"the fast interval [{result.fast.lower!r}, {result.fast.upper!r}]"
    said = {True: "encloses it", False: "MISSES IT", None: "neither holds nor misses the ball"}
    return f"; {interval} {said[result.enclosed]}"


def verification(
    run: AnyRun, question: dict[str, float], adjacency: str, bounds: Bounds[float]
) -> Second:
    """The verification of bounds that are known."""
    return Second(
        hockeystick.verify(run, adjacency=adjacency, fast=bounds, **question)  # type: ignore[arg-type]
    )
