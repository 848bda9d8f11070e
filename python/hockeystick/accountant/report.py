# SPDX-License-Identifier: Apache-2.0
"""A ledger as a table of what each entry cost: in text, Markdown and HTML."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from hockeystick import _checks, _html
from hockeystick._decimals import outward, rounded
from hockeystick.accountant.admission import Admission, Amount, amount
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition
from hockeystick.errors import best_bounds
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.wording import mechanism_in_words

_TEXTS = (0, 1)  # the columns that hold no numbers


class Row(NamedTuple):
    """An entry of a ledger, and what it cost."""

    label: str
    """What it was for."""
    mechanism: str
    """What ran, in words."""
    count: int  # type: ignore[assignment] # tuple.count
    """How often."""
    epsilon: float
    """Certified upper bound on the epsilon of this entry alone."""
    total: float
    """Certified upper bound on the epsilon of all entries up to this one."""
    remaining: float | None
    """What the total leaves of the budget; negative if it certainly or possibly exceeds it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What each entry of a ledger cost, and all of them. ``print`` shows it as text."""

    rows: tuple[Row, ...]
    """The entries in order of arrival."""
    bounds: Bounds[float]
    """Epsilon of all of them, enclosed."""
    delta: float
    """At which all epsilons are."""
    budget: float | None
    """What epsilon may be at most."""
    adjacency: Adjacency
    """Which datasets are neighbours."""

    def __str__(self) -> str:
        head, *rows = cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

        def line(row: tuple[str, ...]) -> str:
            placed = [
                each.ljust(width) if index in _TEXTS else each.rjust(width)
                for index, (each, width) in enumerate(zip(row, widths, strict=True))
            ]
            return "  ".join(placed).rstrip()

        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self._title, "", line(head), rule, *map(line, rows), "", self._summary])

    def markdown(self) -> str:
        """As a table in Markdown."""
        head, *rows = (
            [each.replace("\\", "\\\\").replace("|", "\\|") for each in row]
            for row in self._cells()
        )
        rule = [("---" if index in _TEXTS else "---:") for index in range(len(head))]
        lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
        return "\n".join([f"**{self._title}**", "", *lines, "", self._summary])

    def html(self) -> str:
        """As a table in HTML, without scripts."""
        return self._table(None)

    def _repr_html_(self) -> str:
        return self._table(_html.MOST_ROWS)

    def _table(self, most: int | None) -> str:
        head, *rows = self._cells()
        return _html.table(
            head, rows, caption=self._title, note=self._summary, left=_TEXTS, most=most
        )

    @property
    def _title(self) -> str:
        return f"Privacy ledger at delta = {self.delta!r}, {self.adjacency.value}"

    @property
    def _summary(self) -> str:
        lower, upper = outward(*self.bounds)
        text = f"epsilon = {upper} (certified: {lower} <= epsilon <= {upper})"
        if self.budget is None:
            return text
        left = _left(self.rows[-1].remaining if self.rows else self.budget)
        return f"{text}; budget {self.budget!r}, {left} left"

    def _cells(self) -> list[tuple[str, ...]]:
        """The head and the rows; numbers rounded so that none promises too much."""
        head = ("label", "mechanism", "count", "epsilon", "total", "left")
        columns = len(head) - (self.budget is None)
        rows = [
            (
                *(row.label, row.mechanism, f"{row.count:,}"),
                *(rounded(bound, "upper") for bound in (row.epsilon, row.total)),
                _left(row.remaining),
            )
            for row in self.rows
        ]
        return [row[:columns] for row in (head, *rows)]


def _left(remaining: float | None) -> str:
    if remaining is None:
        return ""
    return "nothing" if remaining < 0 else rounded(remaining, "lower")


class Reported(Admission):
    """A ledger that can be shown."""

    def report(
        self,
        *,
        delta: float,
        budget: Amount | None = None,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Report:
        """What each entry cost alone, and all of them up to it.

        Epsilons of entries do not add up to the total, which is that of their composition. Where
        the accountant's tolerance is out of reach, the best bounds are shown.

        Args:
            delta: At which epsilon is shown, in (0, 1).
            budget: The most that epsilon may be [nats], as of ``would_exceed``; what is left of it
                is then shown. None: not shown.
            memory_limit: Bytes that each computation may take, > 0.

        Returns:
            The report: ``print`` shows it as text, a notebook as a table; ``markdown()`` and
            ``html()`` are text for files, ``rows`` the numbers.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type.

        Cost: two questions for each entry.

        >>> import hockeystick as hs
        >>> noise = hs.Laplace(noise_multiplier=10)
        >>> acct = hs.Accountant().compose(noise, 5, label="counts by county")
        >>> report = acct.report(delta=1e-6, budget=1)
        >>> [(row.label, row.count, round(row.total, 4)) for row in report.rows]
        [('counts by county', 5, 0.5)]
        """
        at = _checks.open_unit("delta", delta)
        limit = _checks.memory_limit(memory_limit)
        most = None if budget is None else _checks.non_negative("budget", amount("budget", budget))
        options = {"adjacency": self._adjacency, "tolerance": self._tolerance}
        account: Any = type(self)(**options)  # type: ignore[arg-type]
        rows = []
        bounds = Bounds(0.0, 0.0)
        for mechanism, count, label in self.entries:
            run = count * mechanism
            alone: Any = options | {"memory_limit": limit}
            own = best_bounds(run.epsilon_bounds, at, **alone).upper
            account.compose(run)
            bounds = best_bounds(account.epsilon_bounds, at, memory_limit=limit)
            if most is not None and bounds.lower <= most < bounds.upper:
                bounds = _not_above(account, most, bounds, at, limit)
            left = None if most is None else most - bounds.upper
            rows.append(Row(label, mechanism_in_words(mechanism), count, own, bounds.upper, left))
        return Report(tuple(rows), bounds, at, most, self._adjacency)

    def _repr_html_(self) -> str:
        rows = (
            (label, mechanism_in_words(one), f"{count:,}") for one, count, label in self.entries
        )
        caption = f"Accountant, {self._adjacency.value}"
        note = "report(delta=...) shows what they cost"
        return _html.table(
            ("label", "mechanism", "count"), rows, caption=caption, note=note, left=_TEXTS
        )


def _not_above(
    account: Admission, budget: float, bounds: Bounds[float], delta: float, memory_limit: int
) -> Bounds[float]:
    """The bounds, ended at the budget if that is certified to hold: it was admitted so."""
    budgets = {"epsilon": budget, "delta": delta, "memory_limit": memory_limit}
    if account.would_exceed(Composition(), **budgets):  # type: ignore[arg-type]
        return bounds
    return Bounds(bounds.lower, budget)
