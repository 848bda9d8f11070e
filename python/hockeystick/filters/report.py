# SPDX-License-Identifier: Apache-2.0
"""Each step's cost in a filter's budget: as text, Markdown and HTML."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from hockeystick._table import Table
from hockeystick.adjacency import Adjacency


class FilterRow(NamedTuple):
    """An entry of a filter, and what it took of the budget."""

    label: str
    """The purpose of the entry."""
    mechanism: str
    """The mechanism, in words."""
    count: int  # type: ignore[assignment] # tuple.count
    """The number of runs."""
    cost: Fraction
    """The cost of the entry."""
    total: Fraction
    """The cost of all entries up to this one."""
    remaining: Fraction
    """The rest of the budget after this entry."""


@dataclass(frozen=True, slots=True)
class FilterReport(Table):
    """Each entry's cost in a filter's budget. ``print`` shows it as text."""

    rows: tuple[FilterRow, ...]
    """The entries in order of arrival."""
    measure: str
    """The measure that adds up: "mu^2" or "rho", and so on."""
    budget: Fraction
    """The most that may be spent of it."""
    adjacency: Adjacency
    """The relation of neighbouring datasets."""

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
    """The number in decimal, rounded up."""
    return _decimal(exact, ROUND_CEILING)


def _below(exact: Fraction) -> str:
    """The number in decimal, rounded down."""
    return _decimal(exact, ROUND_FLOOR)


def _decimal(exact: Fraction, rounding: str) -> str:
    context = Context(prec=5, rounding=rounding)
    quotient = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return str(quotient.normalize()).replace("E", "e") if quotient else "0"
