# SPDX-License-Identifier: Apache-2.0
"""`hockeystick epsilon` and `hockeystick delta`."""

from time import perf_counter
from typing import Any, Literal

import click

from hockeystick._decimals import outward
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER
from hockeystick.cli._runs import GROUP, RUN, Asked, asked_of
from hockeystick.cli.verification import verification
from hockeystick.limits import DEFAULT_SMALLEST

Wanted = Literal["epsilon", "delta"]

_WAYS: dict[str, tuple[str, str]] = {
    "explains": ("--explain", "Print the forecast of each method, and the one that answered."),
    "verifies": (
        "--verify",
        "Compute it once more in ball arithmetic, and compare (extra verify).",
    ),
    "in_sentences": (
        "--sentence",
        "Print the answer in sentences, to put into a paper or a report.",
    ),
}
"""The options that choose how an answer is shown."""


def _question(command: _options.Command) -> _options.Command:
    """The options of a question of epsilon or delta, but for what is given and for `smallest`."""
    command = _options.question_options(command)
    for name, (option, text) in reversed(_WAYS.items()):
        command = click.option(option, name, is_flag=True, help=text)(command)
    return RUN(GROUP(command))


@click.command(
    epilog="Example: hockeystick epsilon --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5"
)
@click.option("--delta", "-d", type=NUMBER, required=True, help="Target delta, in [0, 1).")
@_question
def epsilon(delta: float, **question: Any) -> None:
    """Smallest epsilon of a run, for a delta."""
    _answer("epsilon", "delta", delta, question)


@click.command(
    epilog="Example: hockeystick delta --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --epsilon 2"
)
@click.option("--epsilon", type=NUMBER, required=True, help="Target epsilon [nats], in [0, 1e4].")
@click.option(
    "--smallest",
    type=NUMBER,
    default=DEFAULT_SMALLEST,
    show_default=True,
    help="Delta below which bounds may be wider where tighter ones take long; 0: none.",
)
@_question
def delta(epsilon: float, smallest: float, **question: Any) -> None:
    """Smallest delta of a run, for an epsilon."""
    _answer("delta", "epsilon", epsilon, question, smallest=smallest)


def _answer(
    wanted: Wanted, given: str, value: float, question: dict[str, Any], **lowest: float
) -> None:
    """Takes out of the options what says how to ask and to show; the others say what runs."""
    how = {name: question.pop(name) for name in (*_WAYS, "as_json")}
    limits = {"memory_limit": question.pop("memory_limit"), **lowest}
    known = (question.pop(name) for name in ("adjacency", "tolerance"))
    file, size = question.pop("file"), question.pop("group_size")
    found = asked_of(file, question, *known).grouped(size)
    answer(wanted, given, value, found, limits, **how)


def answer(  # noqa: PLR0913, one argument per option
    wanted: Wanted,
    given: str,
    value: float,
    found: Asked,
    more: dict[str, Any],
    *,
    as_json: bool,
    explains: bool = False,
    verifies: bool = False,
    in_sentences: bool = False,
) -> None:
    """Print what is wanted of a run, where what is given has that value."""
    asked, adjacency, tolerance, sentence, said, run = found
    ask: Any = asked.epsilon_bounds if wanted == "epsilon" else asked.delta_bounds
    limits: dict[str, Any] = {"tolerance": tolerance, **more}
    at: dict[str, Any] = {given: value, "adjacency": adjacency}
    start = perf_counter()
    bounds = ask(value, adjacency=adjacency, **limits)
    seconds = perf_counter() - start
    why = asked.explain(**at, **limits) if explains else None
    words = ""
    if in_sentences:
        words = asked.sentence(**at, tolerance=tolerance, memory_limit=more["memory_limit"])
    note = _options.note_on_delta(value if given == "delta" else None, run)
    second = verification(asked, {given: value}, adjacency, bounds) if verifies else None
    if not as_json:
        lower, upper = outward(*bounds)
        theory = "; nobody knows closer bounds" if bounds.limited_by == "theory" else ""
        lines = [
            f"{wanted} = {upper} at {given} = {value!r}",
            f"certified: {lower} <= {wanted} <= {upper}, in {1000 * seconds:.3g} ms{theory}",
            sentence,
            *([f"note: {note}"] if note else []),
        ]
        _options.show(*([words] if words else lines))
        if why:
            click.echo(f"\n{why}")
        if second:
            _options.show(second.sentence)
            second.refuse_a_miss()
        return
    members: dict[str, Any] = {
        wanted: bounds.upper,
        "lower": bounds.lower,
        "upper": bounds.upper,
        "limited_by": bounds.limited_by,
        "seconds": seconds,
        "question": {
            "wanted": wanted,
            given: value,
            **said,
            "adjacency": adjacency,
            **limits,
        },
    }
    if note:
        members["note"] = note
    if words:
        members["sentence"] = words
    if why:
        members["methods"] = [[row._asdict() for row in rows] for rows in why.directions]
    if second:
        members["verified"] = second.members
    click.echo(_options.in_json(members))
    if second:
        second.refuse_a_miss()
