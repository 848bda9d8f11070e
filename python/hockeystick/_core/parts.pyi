"""
Distributions from within, for tests.
"""

from __future__ import annotations
import collections.abc
import hockeystick._core
import typing

__all__: list[str] = [
    "bayes_risk",
    "compose",
    "connect_dots",
    "delta_terms",
    "fields",
    "log_chernoff_above",
    "log_moment_above",
    "log_moment_by_cells",
    "log_odds",
    "loss_pmf",
    "loss_tail",
    "suffix_sums",
    "untilting_factor",
]

def bayes_risk(
    prior: typing.SupportsFloat | typing.SupportsIndex,
    delta: typing.SupportsFloat | typing.SupportsIndex,
    side: str,
) -> float:
    """
    prior (1 - delta), delta bounded from a side.
    """

def compose(
    terms: collections.abc.Sequence[
        tuple[
            hockeystick._core.StepPmf,
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsFloat | typing.SupportsIndex,
        ]
    ],
    *,
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    size: typing.SupportsInt | typing.SupportsIndex,
    window: tuple[
        typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
    ],
    chernoff: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(4)"
    ],
) -> hockeystick._core.LossPmf:
    """
    Composes (step, count, log moment) by a transform of this size, shown in a window (first, length).
    """

def connect_dots(
    *,
    support: tuple[
        typing.SupportsFloat | typing.SupportsIndex,
        typing.SupportsFloat | typing.SupportsIndex,
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ],
    cuts: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    cells: collections.abc.Sequence[
        typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ]
    ],
    tails: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(4)"
    ],
    errors: typing.Annotated[
        collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(5)"
    ],
    estimator: str,
) -> hockeystick._core.StepPmf:
    """
    Discretizes cells (p, above, below) with tails (lower p, lower q, upper p, upper above) and errors (mass, share, share_p, loss, edge): upper, lower or algorithm_2.
    """

def delta_terms(
    pmf: hockeystick._core.LossPmf, epsilon: typing.SupportsFloat | typing.SupportsIndex
) -> tuple[float, float, float, float, float]:
    """
    delta: value, curve, and errors by truncation, wrap-around and rounding.
    """

def fields(pmf: hockeystick._core.LossPmf) -> dict[str, typing.Any]:
    """
    What a composed distribution stores.
    """

def log_chernoff_above(
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    terms: collections.abc.Sequence[
        typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ]
    ],
    epsilon: typing.SupportsFloat | typing.SupportsIndex,
    loss_error: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    Chernoff's bound of log delta; terms are counts and both parts of log moments.
    """

def log_moment_above(
    step: hockeystick._core.StepPmf,
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    log_moment: typing.SupportsFloat | typing.SupportsIndex,
    t: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    Upper bound of log sum m e^(t loss) over the masses of tilted_masses.
    """

def log_moment_by_cells(
    pair: hockeystick._core.DominatingPair,
    fineness: typing.SupportsInt | typing.SupportsIndex,
    t: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    log E_P[e^(t L)] from a pair cut into cells.
    """

def log_odds(prior: typing.SupportsFloat | typing.SupportsIndex) -> float:
    """
    log((1 - prior) / prior) of a prior of at most 1/2.
    """

def loss_pmf(
    *,
    interval: typing.SupportsFloat | typing.SupportsIndex,
    offset: typing.SupportsFloat | typing.SupportsIndex,
    first: typing.SupportsInt | typing.SupportsIndex,
    mass: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    log_scale: tuple[
        typing.SupportsFloat | typing.SupportsIndex, typing.SupportsFloat | typing.SupportsIndex
    ],
    side: str,
) -> hockeystick._core.LossPmf:
    """
    A distribution as stored, its masses exact.
    """

def loss_tail(
    loss: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    value: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    delta_lower: typing.SupportsFloat | typing.SupportsIndex,
    epsilon: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[float, float]:
    """
    P(L > epsilon) between chords of upper values and a lower one.
    """

def suffix_sums(
    mass: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex],
    tilt: typing.SupportsFloat | typing.SupportsIndex,
    interval: typing.SupportsFloat | typing.SupportsIndex,
    by_blocks: bool,
) -> tuple[float, float, float, float, float]:
    """
    Sums over all points: curve, steps, both times distance, and the error a point.
    """

def untilting_factor(
    pmf: hockeystick._core.LossPmf, loss: typing.SupportsFloat | typing.SupportsIndex
) -> float: ...
