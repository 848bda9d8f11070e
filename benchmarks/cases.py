# SPDX-License-Identifier: Apache-2.0
"""The named questions that all libraries are asked, and the truths their answers are held against.

Adjacency is add-or-remove-one, the worse of its two directions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, NamedTuple

TRUTHS = Path(__file__).with_name("truths.json")

Query = Literal["epsilon", "delta"]


# Noise multiplier, sampling probability (1 is the plain Gaussian mechanism), count.
Term = tuple[float, float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question: `query` of the composition of `terms`, asked at the other of the two."""

    name: str
    title: str
    """The composition in words."""
    terms: tuple[Term, ...]
    query: Query = "epsilon"
    at: float
    """The delta at which epsilon is asked, or the epsilon at which delta is."""
    gap: float = 1e-3
    """Widest certified interval accepted, relative to its upper end."""

    @property
    def question(self) -> str:
        """The whole question in one line."""
        given = "delta" if self.query == "epsilon" else "epsilon"
        return f"{self.query} at {given} = {self.at:g}, gap {self.gap:g}: {self.title}"


class Truth(NamedTuple):
    """The exact value lies within `error` of `value`; both are exact, so nothing rounds."""

    value: Fraction
    error: Fraction


DPSGD = ((1.0, 0.01, 10_000),)
DPSGD_TITLE = "noise multiplier 1, sampling probability 0.01, 10^4 steps"

CASES = (
    Case(name="dpsgd", title=DPSGD_TITLE, terms=DPSGD, at=1e-5),
    Case(name="dpsgd-narrow", title=DPSGD_TITLE, terms=DPSGD, at=1e-5, gap=1e-6),
    Case(name="dpsgd-nine", title=DPSGD_TITLE, terms=DPSGD, at=1e-5, gap=1e-9),
    Case(name="dpsgd-tail", title=DPSGD_TITLE, terms=DPSGD, at=1e-100),
    Case(name="dpsgd-small", title=DPSGD_TITLE, terms=DPSGD, at=1e-12),
    Case(name="dpsgd-delta", title=DPSGD_TITLE, terms=DPSGD, query="delta", at=6.0),
    Case(
        name="schedule",
        title="20 noise multipliers from 1 to 1.95, sampling probability 0.01, 10 steps each",
        terms=tuple((round(1 + 0.05 * i, 2), 0.01, 10) for i in range(20)),
        at=1e-5,
    ),
    Case(
        name="million",
        title="noise multiplier 2, sampling probability 0.001, 10^6 steps",
        terms=((2.0, 0.001, 1_000_000),),
        at=1e-5,
    ),
    Case(
        name="little-noise",
        title="noise multiplier 0.6, sampling probability 0.001, 10^4 steps",
        terms=((0.6, 0.001, 10_000),),
        at=1e-5,
    ),
    Case(
        name="few-shot",
        title="noise multiplier 0.8, sampling probability 0.125, 1000 steps",
        terms=((0.8, 0.125, 1000),),
        at=1e-6,
    ),
    Case(
        name="large-rate",
        title="noise multiplier 1, sampling probability 0.2, 500 steps",
        terms=((1.0, 0.2, 500),),
        at=1e-5,
    ),
    Case(
        name="rare",
        title="noise multiplier 4, sampling probability 0.00033, 10^4 steps",
        terms=((4.0, 0.00033, 10_000),),
        at=1.1e-18,
    ),
    Case(
        name="gaussians",
        title="noise multiplier 100, 10^4 steps without sampling",
        terms=((100.0, 1.0, 10_000),),
        at=1e-14,
    ),
)


def truths(path: Path = TRUTHS) -> dict[str, Truth]:
    """The truth of each case, from the table that make_truths.py wrote."""
    return {
        row["name"]: Truth(Fraction(row["truth"]), Fraction(row["error"]))
        for row in json.loads(path.read_text(encoding="utf-8"))
    }
