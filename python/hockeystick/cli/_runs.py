# SPDX-License-Identifier: Apache-2.0
"""The run of a question: a run of DP-SGD by its options, or one that a file describes."""

from typing import Any, NamedTuple

import click

from hockeystick import _checks
from hockeystick.accountant import parts
from hockeystick.cli import _options
from hockeystick.cli._numbers import WHOLE
from hockeystick.composition import Composable
from hockeystick.disjoint import AnyRun, DisjointParts
from hockeystick.limits import DEFAULT_TOLERANCE
from hockeystick.mechanisms.grouped import MOST_RECORDS
from hockeystick.sampling import DPSGD
from hockeystick.wording import in_words

RUN = click.option(
    "--run",
    "file",
    type=click.Path(),
    help="A run described in TOML (.toml) or JSON, or a saved ledger, in place of the options of "
    "DP-SGD.",
)
GROUP = click.option(
    "--group-size",
    type=WHOLE,
    default=1,
    show_default=True,
    callback=lambda _, __, size: _checks.whole("group_size", size, 1, MOST_RECORDS),
    help="How many records are added, removed or replaced at once, such as those of a user.",
)


class Asked(NamedTuple):
    """A run, and what is said of it."""

    composition: AnyRun
    adjacency: str
    tolerance: float
    sentence: str
    """The run as a line of the answer."""
    members: dict[str, Any]
    """The run as members of JSON."""
    scheme: dict[str, Any]
    """The parameters of DP-SGD, if it is one of these."""

    def grouped(self, size: int) -> "Asked":
        """The run for groups of `size` records."""
        if size == 1:
            return self
        return self._replace(
            composition=self.composition.group(size),
            sentence=f"{self.sentence}, groups of {size}",
            members={**self.members, "group_size": size},
        )


def asked_of(
    file: str | None, given: dict[str, Any], adjacency: str, tolerance: float = DEFAULT_TOLERANCE
) -> Asked:
    """The run of a file, with its adjacency and tolerance unless others are given; else of DP-SGD.

    Takes the parameters of a run of DP-SGD out of what is given.

    Raises:
        UsageError: Both are given, or too little.
    """
    if file is None:
        if given["noise_multiplier"] is None:
            raise click.UsageError("Missing option '--noise-multiplier' (or '--run')")
        scheme = _options.taken(given)
        said = _options.sentence(scheme, adjacency), _options.described(scheme)
        return Asked(DPSGD(**scheme), adjacency, tolerance, *said, scheme)
    for name in _options.SCHEME:
        if is_given(name):
            option = name.replace("_", "-")
            raise click.UsageError(f"--run describes the run; leave out --{option}")
    for name in _options.SCHEME:
        given.pop(name, None)
    run, own, width = parts.read(file)
    adjacency = adjacency if is_given("adjacency") else own.value
    tolerance = tolerance if is_given("tolerance") else width
    return Asked(run, adjacency, tolerance, f"{in_words(run)}, {adjacency}", {"run": file}, {})


def on_all_data(run: AnyRun, what: str) -> Composable:
    """The run, unless it runs on disjoint parts."""
    if isinstance(run, DisjointParts):
        raise click.UsageError(f"{what} takes a run on all data, not disjoint parts: give one part")
    return run


def is_given(name: str) -> bool:
    """Whether the option of that name was typed."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE
