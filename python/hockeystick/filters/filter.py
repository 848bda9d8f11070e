# SPDX-License-Identifier: Apache-2.0
"""The common part of all filters: a ledger that takes a step only if the budget allows it."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike
from typing import Any, ClassVar, Self

from hockeystick import _checks
from hockeystick._words import outspoken
from hockeystick.accountant.entries import Entries, checked_label
from hockeystick.accountant.run_file import completed
from hockeystick.accountant.saved_ledger import VERSION, SavedLedger
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.bounds import Bounds
from hockeystick.composition import Composable, Mechanism
from hockeystick.errors import BudgetExceeded
from hockeystick.filters.costs import both_directions
from hockeystick.filters.exact import Amount, double_below, rational
from hockeystick.filters.report import FilterReport, FilterRow
from hockeystick.mechanisms import AnyOf
from hockeystick.outward import double_above
from hockeystick.wording import mechanism_in_words

Cost = tuple[Fraction, ...]
"""The cost of a step in each part of the budget."""


@outspoken
class Guaranteed(ABC):
    """A ledger that keeps a guarantee whichever steps run."""

    @property
    @abstractmethod
    def guarantee(self) -> Composable:
        """The guarantee of the whole as a mechanism, which answers questions as any other does."""

    def epsilon(self, delta: float) -> float:
        """Certified upper bound on epsilon of the ``guarantee``, whatever ran."""
        return self.guarantee.epsilon(delta)

    def epsilon_bounds(self, delta: float) -> Bounds[float]:
        """Epsilon of the ``guarantee``, enclosed."""
        return self.guarantee.epsilon_bounds(delta)

    def delta(self, epsilon: float) -> float:
        """Certified upper bound on delta of the ``guarantee``, whatever ran."""
        return self.guarantee.delta(epsilon)


@outspoken
class Filter(SavedLedger, Guaranteed):
    """A ledger with a budget that adaptively chosen steps never exceed; see GaussianFilter.

    Mutable. Threads may share it: each change is made as a whole, one after another. Processes
    share a file by ``locked``.
    """

    _measures: ClassVar[tuple[str, ...]]
    """The measures of the budget's parts: "mu^2", "rho"."""
    _intervals: ClassVar[dict[str, str]]
    """The arguments that state the budget, and the interval of each."""

    def __init_subclass__(cls) -> None:
        """Have each filter say what its calls take."""
        outspoken(cls)
        cls._members = tuple(cls._intervals)

    def __init__(self, adjacency: AdjacencyLike, **budget: Amount) -> None:
        super().__init__(adjacency=both_directions(adjacency_of(adjacency)))
        self._exact = {
            name: rational(name, value, self._intervals[name]) for name, value in budget.items()
        }
        self._costs: dict[Mechanism, Cost] = {}
        self._known_spent: tuple[Entries, Cost] = (self._entries, self._nothing)

    @property
    def _whole(self) -> Composable:
        """The guarantee: what ran says too little where outputs chose it."""
        return self.guarantee

    @property
    @abstractmethod
    def _budget(self) -> Cost:
        """The most that may be spent of each part."""

    @abstractmethod
    def _cost_of(self, mechanism: Mechanism) -> Cost:
        """The cost of one run of a mechanism in its simplest form, from above.

        Raises:
            ValueError: Nothing bounds it; the message says why.
        """

    def may_run(self, step: Composable, count: int = 1) -> bool:
        """Whether the budget allows `count` more runs of a step; nothing is entered.

        Decided exactly, in rational numbers: the last step that fits is allowed.

        Args:
            step: A mechanism, or a composition whose parts run one after another.
            count: How often, in [0, 1e9].

        Raises:
            ValueError: Nothing bounds what `step` takes, or `count` is out of range.
            TypeError: An argument has the wrong type.
        """
        with self._lock:
            return self._over(self._needed(step, count)) is None

    def run(self, step: Composable, count: int = 1, *, label: str = "") -> Self:
        """Enter `count` runs of a step, which may then be run; or enter nothing, and raise.

        Args:
            step: As of ``may_run``.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            label: What it is for, as the report shows it: a line of printable text, of at most 1000
                characters.

        Returns:
            The filter itself.

        Raises:
            BudgetExceeded: The budget does not allow it; nothing is entered.
            ValueError: As ``may_run``, or `label` is no line of text.
            TypeError: An argument has the wrong type.
        """
        checked_label(label)
        with self._lock:
            needed = self._needed(step, count)
            over = self._over(needed)
            if over is not None:
                raise BudgetExceeded(
                    f"{_checks.show(count)} * {step!r} would take {_measure(self, over, needed)}, "
                    f"more than {_measure(self, over, self._left())} that is left of "
                    f"{_measure(self, over, self._budget)}; nothing was entered"
                )
            entries = self._entries.and_then(step, count, label)
            self._known_spent = (entries, _sum(self._spent(), needed))
            self._entries = entries
        return self

    def compose(self, mechanism: Composable, count: int = 1, *, label: str = "") -> Self:
        """The same as ``run``."""
        return self.run(mechanism, count, label=label)

    def runs_left(self, step: Composable) -> int:
        """The number of times that a step may still run.

        Raises:
            ValueError: As ``may_run``, or `step` costs nothing, so that no number is the last.
            TypeError: `step` is none.
        """
        with self._lock:
            each, left = self._needed(step, 1), self._left()
        if not any(each):
            raise ValueError(f"step must cost something to be counted, got {step!r}")
        return min(int(have // cost) for have, cost in zip(left, each, strict=True) if cost)

    @property
    def spent(self) -> float:
        """The spent part of the budget, rounded up, in the budget's unit.

        It is no guarantee: what the whole keeps is the ``guarantee``, whenever it ends. When to
        stop, and so what was spent by then, may depend on outputs.
        """
        return double_above(self._spent()[0])

    @property
    def remaining(self) -> float:
        """The rest of the budget, rounded down, in its unit."""
        return double_below(self._left()[0])

    def report(self) -> FilterReport:
        """Each entry's cost and the rest of the budget; ``print`` shows them as text."""
        rows: list[FilterRow] = []
        total = Fraction(0)
        for mechanism, count, label in self.entries:
            own = self._needed(mechanism, count)[0]
            total += own
            rows.append(
                FilterRow(
                    *(label, mechanism_in_words(mechanism), count),
                    *(own, total, self._budget[0] - total),
                )
            )
        return FilterReport(tuple(rows), self._measures[0], self._budget[0], self._adjacency)

    def _repr_html_(self) -> str:
        return self.report().html()

    def __repr__(self) -> str:
        budget = ", ".join(f"{name}={_shown(exact)}" for name, exact in self._exact.items())
        return (
            f"<{type(self).__name__} {budget} adjacency={self._adjacency.value!r} "
            f"composition={self.composition!r}>"
        )

    @property
    def _nothing(self) -> Cost:
        return tuple(Fraction(0) for _ in self._measures)

    def _spent(self) -> Cost:
        entries, spent = self._known_spent
        if entries is not self._entries:  # merged, or read
            entries = self._entries
            spent = self._needed(entries.composition, 1)
            self._known_spent = (entries, spent)
        return spent

    def _left(self) -> Cost:
        return tuple(
            all_of - part for all_of, part in zip(self._budget, self._spent(), strict=True)
        )

    def _needed(self, step: Composable, count: int) -> Cost:
        _checks.instance("step", step, Composable)
        times, total = _checks.count(count), self._nothing
        for mechanism, runs in step.terms:
            each = self._costs.get(mechanism)
            if each is None:
                options = mechanism.options if isinstance(mechanism, AnyOf) else (mechanism,)
                all_of = [self._cost_of(one) for one in options]
                each = self._costs[mechanism] = tuple(map(max, zip(*all_of, strict=True)))
            total = _sum(total, tuple(times * runs * part for part in each))
        return total

    def _over(self, needed: Cost) -> int | None:
        """The first part of the budget that would not suffice."""
        for part, (have, cost) in enumerate(zip(self._left(), needed, strict=True)):
            if cost > have:
                return part
        return None

    @property
    def _settings(self) -> dict[str, Any]:
        return {name: str(exact) for name, exact in self._exact.items()}

    @classmethod
    def _restored(cls, value: Any) -> Self:  # noqa: ANN401, parsed JSON
        usual = {
            name: each.default
            for name, each in inspect.signature(cls).parameters.items()
            if each.default is not each.empty
        }
        usual |= {"schema": cls._schema, "version": VERSION, "ledger": []}
        usual["adjacency"] = Adjacency.ADD_OR_REMOVE_ONE.value
        read = super()._restored(completed(value, usual=usual))
        if any(left < 0 for left in read._left()):  # noqa: SLF001, its own
            raise ValueError(f"$.ledger must keep the budget, {read!r}")
        return read

    @classmethod
    @contextmanager
    def locked(  # type: ignore[override]  # which takes a tolerance for the budget
        cls,
        path: str | PathLike[str],
        *,
        timeout: float | None = None,
        adjacency: AdjacencyLike | None = None,
        **budget: Amount,
    ) -> Iterator[Self]:
        """The filter of a file, to change it, while no other thread or process may.

        As ``Accountant.locked``: it is read as the block begins, made new with the budget given if
        there is none, and saved as the block ends, if anything was entered. A budget or an
        adjacency that is given must be that of the filter in the file.
        """
        given: dict[str, Any] = dict(budget)
        if adjacency is not None:
            given["adjacency"] = adjacency
        with cls._held(path, given, timeout) as held:
            yield held

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_costs": {}}


def _sum(one: Cost, other: Cost) -> Cost:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _measure(budget: Filter, part: int, cost: Cost) -> str:
    return f"{budget._measures[part]} = {_shown(cost[part])}"  # noqa: SLF001, its own


def _shown(exact: Fraction) -> str:
    """A short fraction as it is, else the nearest double."""
    text = str(exact)
    return text if len(text) <= 12 else repr(float(exact))  # noqa: PLR2004
