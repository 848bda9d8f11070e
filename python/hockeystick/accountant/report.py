# SPDX-License-Identifier: Apache-2.0
"""A ledger as a table of what each entry cost: in text, Markdown and HTML."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from hockeystick import _checks, _html
from hockeystick._decimals import outward, rounded
from hockeystick._table import TEXTS, Table
from hockeystick._words import spoken
from hockeystick.accountant.admission import Admission, Amount, Budget, amount
from hockeystick.accountant.questions import own_adjacency
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Composition
from hockeystick.errors import best_bounds
from hockeystick.limits import DEFAULT_MEMORY_LIMIT
from hockeystick.wording import mechanism_in_words


class Row(NamedTuple):
    """An entry of a ledger, and what it cost in epsilon."""

    label: str
    """The purpose of the entry."""
    mechanism: str
    """The mechanism, in words."""
    count: int  # type: ignore[assignment] # tuple.count
    """The number of runs."""
    epsilon: float
    """Certified upper bound on the epsilon of this entry alone."""
    total: float
    """Certified upper bound on the epsilon of all entries up to this one."""
    remaining: float | None
    """The rest of the budget; negative if the total certainly or possibly exceeds the budget."""


class RhoRow(NamedTuple):
    """An entry of a ledger, and what it cost in rho of zero-concentrated DP."""

    label: str
    """The purpose of the entry."""
    mechanism: str
    """The mechanism, in words."""
    count: int  # type: ignore[assignment] # tuple.count
    """The number of runs."""
    rho: float
    """Certified upper bound on the rho of this entry alone."""
    total: float
    """Certified upper bound on the rho of all entries up to this one."""
    remaining: float | None
    """The rest of the budget; negative if the total certainly or possibly exceeds the budget."""


@dataclass(frozen=True, slots=True)
class Report(Table):
    """The cost of each entry of a ledger, and of all entries. ``print`` shows it as text."""

    rows: tuple[Row, ...] | tuple[RhoRow, ...]
    """The entries in order of arrival."""
    bounds: Bounds[float]
    """Epsilon of all of them, or rho, enclosed."""
    delta: float | None
    """The delta of all epsilons; None where the cost is rho."""
    budget: float | None
    """The largest epsilon, or rho, that is allowed."""
    adjacency: Adjacency
    """The relation of neighbouring datasets."""

    @property
    def measure(self) -> str:
        """The measure of the cost: "epsilon" or "rho"."""
        return "rho" if self.delta is None else "epsilon"

    @property
    def _title(self) -> str:
        at = "in zero-concentrated DP" if self.delta is None else f"at delta = {self.delta!r}"
        return f"Privacy ledger {at}, {self.adjacency.value}"

    @property
    def _summary(self) -> str:
        lower, upper = outward(*self.bounds)
        name = self.measure
        text = f"{name} = {upper} (certified: {lower} <= {name} <= {upper})"
        if self.budget is None:
            return text
        left = _left(self.rows[-1].remaining if self.rows else self.budget)
        return f"{text}; budget {self.budget!r}, {left} left"

    def _cells(self) -> list[tuple[str, ...]]:
        """The head and the rows; numbers rounded so that none promises too much."""
        head = ("label", "mechanism", "count", self.measure, "total", "left")
        columns = len(head) - (self.budget is None)
        rows = [
            (
                *(row.label, row.mechanism, f"{row.count:,}"),
                *(rounded(bound, "upper") for bound in row[3:5]),
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

    @spoken
    def report(
        self,
        delta: float | None = None,
        *,
        budget: Amount | None = None,
        rho: Amount | None = None,
        memory_limit: int = DEFAULT_MEMORY_LIMIT,
    ) -> Report:
        """The cost of each entry alone, and of all entries up to it.

        Epsilons of entries do not add up to the total, which is that of their composition; rhos do.
        Where the accountant's tolerance is out of reach, the best bounds are shown.

        Args:
            delta: At which epsilon is shown, in [0, 1).
            budget: The most that epsilon may be [nats], as of ``would_exceed``; what is left of it
                is then shown. None: not shown.
            rho: In place of both, the most that rho of zero-concentrated DP may be [nats]; rhos are
                then shown, and what is left.
            memory_limit: Bytes that each computation may take, > 0.

        Returns:
            The report: ``print`` shows it as text, a notebook as a table; ``markdown()`` and
            ``html()`` are text for files, ``rows`` the numbers.

        Raises:
            ValueError: An argument is out of range.
            TypeError: An argument has the wrong type, or neither `delta` nor `rho` is given, or
                both.

        Cost: two questions for each entry.

        >>> import hockeystick as hs
        >>> noise = hs.Laplace(noise_multiplier=10)
        >>> acct = hs.Accountant().compose(noise, 5, label="counts by county")
        >>> report = acct.report(delta=1e-6, budget=1)
        >>> [(row.label, row.count, round(row.total, 4)) for row in report.rows]
        [('counts by county', 5, 0.5)]
        >>> census = hs.Accountant(adjacency="replace-one").compose(hs.Gaussian(10.0), 20)
        >>> [(round(row.rho, 9), round(row.remaining, 9)) for row in census.report(rho=2.56).rows]
        [(0.4, 2.16)]
        """
        limit = _checks.memory_limit(memory_limit)
        cost = _Cost.of(delta, budget, rho)
        options = {"adjacency": self._adjacency, "tolerance": self._tolerance}
        account: Any = type(self)(**options)  # type: ignore[arg-type]
        rows: list[Any] = []
        bounds = Bounds(0.0, 0.0)
        for mechanism, count, label in self.entries:
            run = count * mechanism
            alone: Any = options | {"memory_limit": limit}
            own = cost.of_run(run, **alone).upper
            account.compose(run)
            bounds = cost.of_run(account, memory_limit=limit)
            if cost.most is not None and bounds.lower <= cost.most < bounds.upper:
                bounds = _not_above(account, cost.most, bounds, cost.budget, limit)
            left = None if cost.most is None else cost.most - bounds.upper
            words = mechanism_in_words(mechanism)
            rows.append(cost.row(label, words, count, own, bounds.upper, left))
        return Report(tuple(rows), bounds, cost.delta, cost.most, self._adjacency)

    def sentence(
        self, delta: float | None = None, *, epsilon: float | None = None, **options: Any
    ) -> str:
        """The cost of all entries, in sentences; see ``Composition.sentence``."""
        own = {"adjacency": own_adjacency(self, options.get("adjacency"))}
        limits = {"tolerance": self._tolerance, **options, **own}
        return self.composition.sentence(delta, epsilon=epsilon, **limits)

    def _repr_html_(self) -> str:
        rows = (
            (label, mechanism_in_words(one), f"{count:,}") for one, count, label in self.entries
        )
        caption = f"Accountant, {self._adjacency.value}"
        note = "report(delta=...) shows what they cost"
        return _html.table(
            ("label", "mechanism", "count"), rows, caption=caption, note=note, left=TEXTS
        )


class _Cost(NamedTuple):
    """The measure of the costs in a report."""

    delta: float | None
    most: float | None

    @classmethod
    def of(cls, delta: float | None, budget: Amount | None, rho: Amount | None) -> Self:
        if rho is not None:
            if delta is not None or budget is not None:
                raise TypeError("report takes delta and a budget of epsilon, or rho; got both")
            return cls(None, _checks.non_negative("rho", amount("rho", rho)))
        if delta is None:
            raise TypeError("report takes delta, or rho; got none")
        at = _checks.delta(delta)
        if budget is None:
            return cls(at, None)
        return cls(at, _checks.non_negative("budget", amount("budget", budget)))

    def of_run(self, run: Any, **options: object) -> Bounds[float]:  # noqa: ANN401
        if self.delta is None:
            return best_bounds(run.zcdp_bounds, **options)
        return best_bounds(run.epsilon_bounds, self.delta, **options)

    @property
    def budget(self) -> Budget:
        """The budget in the form that ``would_exceed`` takes."""
        if self.delta is None:
            return {"rho": self.most}
        return {"epsilon": self.most, "delta": self.delta}

    @property
    def row(self) -> type[Row | RhoRow]:
        return RhoRow if self.delta is None else Row


def _not_above(
    account: Admission, most: float, bounds: Bounds[float], budget: Budget, memory_limit: int
) -> Bounds[float]:
    """The bounds, ended at the budget if that is certified to hold: it was admitted so."""
    asked: Budget = {**budget, "memory_limit": memory_limit}
    if account.would_exceed(Composition(), **asked):
        return bounds
    return Bounds(bounds.lower, most)
