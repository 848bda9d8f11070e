# SPDX-License-Identifier: Apache-2.0
"""What each step of a filter took of its budget: as text, Markdown and HTML."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from hockeystick._table import Table
from hockeystick.adjacency import Adjacency


class FilterRow(NamedTuple):
    """An entry of a filter, and what it took of the budget."""

    label: str
    """What it was for."""
    mechanism: str
    """What ran, in words."""
    count: int  # type: ignore[assignment] # tuple.count
    """How often."""
    cost: Fraction
    """What this entry took."""
    total: Fraction
    """What all entries up to this one took."""
    remaining: Fraction
    """What was left of the budget then."""


@dataclass(frozen=True, slots=True)
class FilterReport(Table):
    """What each entry of a filter took of the budget. ``print`` shows it as text."""

    rows: tuple[FilterRow, ...]
    """The entries in order of arrival."""
    measure: str
    """What adds up: "mu^2" or "rho", and so on."""
    budget: Fraction
    """The most that may be spent of it."""
    adjacency: Adjacency
    """Which datasets are neighbours."""

    @property
    def _title(self) -> str:
        return f"Privacy filter in {self.measure}, {self.adjacency.value}"

    @property
    def _summary(self) -> str:
        left = self.rows[-1].remaining if self.rows else self.budget
        return f"budget {self.measure} = {_below(self.budget)}, {_below(left)} left"

    def _cells(self) -> list[tuple[str, ...]]:
        """The head and the rows; numbers rounded so that none promises too much."""
        rows = [
            (
                *(row.label, row.mechanism, f"{row.count:,}"),
                *(_above(row.cost), _above(row.total), _below(row.remaining)),
            )
            for row in self.rows
        ]
        return [("label", "mechanism", "count", self.measure, "total", "left"), *rows]


def _above(exact: Fraction) -> str:
    """In decimal, rounded up."""
    return _decimal(exact, ROUND_CEILING)


def _below(exact: Fraction) -> str:
    """In decimal, rounded down."""
    return _decimal(exact, ROUND_FLOOR)


def _decimal(exact: Fraction, rounding: str) -> str:
    context = Context(prec=5, rounding=rounding)
    quotient = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return str(quotient.normalize()).replace("E", "e") if quotient else "0"
