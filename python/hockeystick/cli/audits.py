# SPDX-License-Identifier: Apache-2.0
"""`hockeystick audit`."""

from typing import Any

import click

from hockeystick import audit as audits
from hockeystick._decimals import rounded
from hockeystick.cli import _options
from hockeystick.cli._numbers import NUMBER, WHOLE
from hockeystick.cli._runs import RUN, Asked, asked_of, on_all_data
from hockeystick.composition import Composable

INDEPENDENT = {
    "true_positives": "Runs with the record of which the attack says so.",
    "false_negatives": "Runs with the record of which the attack says that it is not there.",
    "false_positives": "Runs without the record of which the attack says that it is there.",
    "true_negatives": "Runs without the record of which the attack says so.",
}
ONE_RUN = {
    "canaries": "Of one run: how many canaries were put in by a fair coin each, or left out.",
    "guesses": "Of one run: how many canaries the attack guessed.",
    "correct": "Of one run: how many guesses were right.",
}


def _counts(command: Any) -> Any:  # noqa: ANN401, a function that click decorates
    for name, text in reversed((INDEPENDENT | ONE_RUN).items()):
        command = click.option(_options.option_named(name), type=WHOLE, help=text)(command)
    return command


@click.command(
    epilog="Example: hockeystick audit --true-positives 900 --false-negatives 100 "
    "--false-positives 50 --true-negatives 950 --delta 1e-5"
)
@_counts
@click.option("--delta", "-d", type=NUMBER, required=True, help="Of the epsilon found, in [0, 1).")
@click.option(
    "--confidence", type=NUMBER, default=0.95, show_default=True, help="Of the answer, in (0, 1)."
)
@RUN
@_options.verification_options
def audit(
    *,
    delta: float,
    confidence: float,
    file: str | None,
    adjacency: str,
    as_json: bool,
    **given: Any,
) -> None:
    """A lower bound of epsilon from attacks.

    The four counts are of independent runs, one guess from each. The canaries of one training run
    are not independent: give --canaries, --guesses and --correct. The run that was claimed is given
    by --run or the options of DP-SGD, if at all; the command exits with 2 where it is refuted.
    """
    names = _names(given)
    counts = {name: given.pop(name) for name in (*INDEPENDENT, *ONE_RUN)}
    counts = {name: counts[name] for name in names}
    is_one = "canaries" in counts
    lower = audits.one_run_epsilon_lower if is_one else audits.epsilon_lower
    epsilon = lower(**counts, delta=delta, confidence=confidence)
    claim = None
    if file is not None or given["noise_multiplier"] is not None:
        claim = asked_of(file, given, adjacency)
    refuted = _refuted(claim, counts, confidence) if claim else None
    if as_json:
        members = {"epsilon_lower": epsilon, "refuted": refuted}
        question = {**counts, "delta": delta, "confidence": confidence}
        if claim:
            question |= {**claim.members, "adjacency": claim.adjacency}
        click.echo(_options.in_json({**members, "question": question}))
    else:
        sure = f"with confidence {confidence!r}"
        shown = rounded(epsilon, "lower")
        _options.show(f"epsilon >= {shown} at delta = {delta!r}, {sure}")
        if claim:
            verdict = "refuted" if refuted else "not refuted"
            _options.show(f"{verdict}, {sure}: {claim.sentence}")
    if refuted:
        raise ArithmeticError("the counts refute the run that was claimed")


def _names(given: dict[str, Any]) -> tuple[str, ...]:
    """The counts of the kind that was given."""
    typed = {name for name in (*INDEPENDENT, *ONE_RUN) if given[name] is not None}
    kind = ONE_RUN if typed & set(ONE_RUN) else INDEPENDENT
    other = typed - set(kind)
    if other:
        raise click.UsageError(
            f"either counts of independent runs or those of one run must be given, got "
            f"{', '.join(map(_options.option_named, sorted(typed)))}"
        )
    for name in kind:
        if name not in typed:
            raise click.UsageError(f"Missing option '{_options.option_named(name)}'")
    return tuple(kind)


def _refuted(claim: Asked, counts: dict[str, int], confidence: float) -> bool:
    run: Composable = on_all_data(claim.composition, "an audit")
    refutes = audits.one_run_refutes if "canaries" in counts else audits.refutes
    return refutes(run, **counts, confidence=confidence, adjacency=claim.adjacency)
