# SPDX-License-Identifier: Apache-2.0
"""A one-parameter family of compositions, and where its parameter may lie."""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import signature
from itertools import chain
from typing import Any

from hockeystick import _checks
from hockeystick.accountant.ledger import Ledger
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.composition import Composable
from hockeystick.disjoint import AnyRun, DisjointParts

Parameter = float | int
Make = Callable[[Any], object]

_SMALLEST, _LARGEST = sys.float_info.min, sys.float_info.max
_LARGEST_INTEGER = 2**53
_STARTS = (1.0, *(2 ** (sign * k / 2) for k in range(1, 41) for sign in (1, -1)))


def _check_takes_one(make: Callable[..., object]) -> None:
    with suppress(ValueError):  # what has no signature is called to see
        takes = signature(make)
        try:
            takes.bind(1.0)
        except TypeError:
            names = ", ".join(takes.parameters) or "nothing"
            raise TypeError(
                f"make must take one number, got one that takes {names}: fix all others, as "
                "lambda sigma: make(sigma, 0.01) does"
            ) from None


class Runs:
    """The results of `make` after the spent budget: compositions, all under one adjacency."""

    def __init__(self, make: object, spent: object, adjacency: AdjacencyLike | None) -> None:
        if not callable(make):
            raise TypeError(
                "make must be a function of one number, such as lambda sigma: 3 * Gaussian(sigma), "
                f"got {_checks.show(make)}"
            )
        _check_takes_one(make)
        self._make: Make = make
        self._before: AnyRun | None = None
        self._latest: Ledger | None = None
        self._adjacency = None if adjacency is None else adjacency_of(adjacency)
        if isinstance(spent, DisjointParts):
            self._before = spent
        elif spent is not None:
            self._before, self._adjacency = run_and_adjacency("spent", spent, adjacency)

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency that was given, or that of an accountant, or the usual one."""
        return self._adjacency or Adjacency.ADD_OR_REMOVE_ONE

    def __call__(self, value: Parameter) -> object:
        """The run of a parameter, after the spent budget; other values are returned as they are."""
        made = self._make(value)
        if isinstance(made, Ledger):
            made = self._held_by(made)
        if not isinstance(made, AnyRun):
            return made
        self._adjacency = self.adjacency  # the first one settles it
        return made if self._before is None else self._before + made

    def _held_by(self, account: Ledger) -> Composable:
        if account is self._latest:
            raise TypeError(
                "make must return a new accountant for each parameter, got the same one again, "
                "which it has charged: give earlier releases as spent="
            )
        self._latest = account
        self._adjacency = self._adjacency or account.adjacency
        if account.adjacency is not self._adjacency:
            raise TypeError(
                f"make must return accountants of one adjacency, {self._adjacency.value}, got "
                f"one of {account.adjacency.value}"
            )
        return run_and_adjacency("make", account, None)[0]


class Family:
    """`make` as a function on an interval of positive numbers, or of whole numbers.

    Where `make` raises ValueError, the parameter is outside the family's domain. An end of the
    domain is found when it is run into; from then on `make` is not asked beyond it.
    """

    def __init__(self, make: Make, bounds: object, integer: object) -> None:
        if integer is not None:
            _checks.instance("integer", integer, bool)
        self._make = make
        self._given = None if bounds is None else _pair(bounds)
        self._known: dict[Parameter, AnyRun] = {}  # the start and the latest
        self.integer: bool = bool(integer)
        self._confine()
        self.start: Parameter = self._first_accepted(detect=integer is None)

    def at(self, value: Parameter) -> tuple[Parameter, AnyRun]:
        """The composition at `value` or, outside the domain, at its nearest end; and where."""
        value = min(max(value, self.low), self.high)
        made = self._try(value)
        return (value, made) if isinstance(made, AnyRun) else self._end_before(value)

    def accepts(self, value: Parameter) -> bool:
        """Whether `value` is in the domain."""
        return self.low <= value <= self.high and isinstance(self._try(value), AnyRun)

    def position(self, value: Parameter) -> float:
        """The search's position of `value`: its logarithm, shifted to be finite at a count of 0."""
        return math.log(value + 0.5) if self.integer else math.log(value)

    def value(self, position: float) -> Parameter:
        """The parameter at a position, within the domain as far as it is known."""
        low, high = self._span
        if position <= low:  # exp(log(end)) may miss the end by a bit, for ever
            return self.low
        if position >= high:
            return self.high
        # The positions of whole numbers are half-way between, so that rounding cannot change them.
        value = math.floor(math.exp(position)) if self.integer else math.exp(position)
        return min(max(value, self.low), self.high)

    def _confine(self) -> None:
        low, high = self._given or (0.0, math.inf)
        ends: tuple[Parameter, Parameter]
        if self.integer:
            ends = math.ceil(min(low, _LARGEST_INTEGER)), math.floor(min(high, _LARGEST_INTEGER))
        else:
            ends = max(low, _SMALLEST), min(high, _LARGEST)
        if ends[0] > ends[1]:
            raise ValueError(f"bounds must hold a parameter, got {_checks.show(self._given)}")
        self._hold_to(*ends)

    def _hold_to(self, low: Parameter, high: Parameter) -> None:
        self.low: Parameter = low
        self.high: Parameter = high
        self._span = self.position(low), self.position(high)

    def _first_accepted(self, *, detect: bool) -> Parameter:
        """A parameter that `make` accepts; settles whether it wants whole numbers."""
        refusals: list[tuple[Parameter, ValueError]] = []
        for value in self._starts():
            try:
                made = self._try(value)
            except TypeError:
                if not detect or self._takes_only_integers(value) is None:
                    raise
                self.integer = True
                self._confine()
                return self._first_accepted(detect=False)
            if isinstance(made, AnyRun):
                if detect and self._refuses_halves(value):
                    self.integer = True
                    self._confine()
                    return self._first_accepted(detect=False)
                return value
            refusals.append((value, made))
        value, error = refusals[0]
        raise ValueError(
            f"make must accept a parameter near 1, or give its domain as bounds=(low, high); "
            f"for {value!r} it raised: {error}"
        ) from error

    def _refuses_halves(self, accepted: Parameter) -> bool:
        """Whether it was accepted as a whole number, as of counts, that happens to be a float."""
        beside = min(accepted + 0.5, self.high)
        beside = max(accepted - 0.5, self.low) if beside == accepted else beside
        if accepted != int(accepted) or beside == int(beside):
            return False
        try:
            self._make(beside)
        except TypeError:
            return self._takes_only_integers(accepted) is not None
        except ValueError:
            pass
        return False

    def _takes_only_integers(self, refused: Parameter) -> AnyRun | None:
        try:
            made = self._make(max(1, math.ceil(refused)))
        except (TypeError, ValueError):
            return None
        return made if isinstance(made, AnyRun) else None

    def _starts(self) -> Iterator[Parameter]:
        """The parameters to begin with, each once."""
        kind, tried = int if self.integer else float, set()
        ends = () if self._given is None else (self.value(sum(self._span) / 2), self.high, self.low)
        for value in chain(map(kind, _STARTS), ends):
            if self.low <= value <= self.high and value not in tried:
                tried.add(value)
                yield value

    def _try(self, value: Parameter) -> AnyRun | ValueError:
        if value in self._known:
            return self._known[value]
        try:
            made = self._make(value)
        except ValueError as error:
            return error
        if not isinstance(made, AnyRun):
            raise TypeError(
                "make must return a mechanism or a composition, such as "
                f"1000 * hs.Gaussian(noise_multiplier=2.0), but for {value!r} returned {made!r}"
            )
        for old in list(self._known)[1:]:
            del self._known[old]
        self._known[value] = made
        return made

    def _end_before(self, refused: Parameter) -> tuple[Parameter, AnyRun]:
        """The last accepted parameter before `refused`: halves down to neighbours."""
        end, outer = self.start, refused
        while True:
            middle = (end + outer) // 2 if self.integer else end + (outer - end) / 2
            if middle in (end, outer):
                break
            if isinstance(self._try(middle), AnyRun):
                end = middle
            else:
                outer = middle
        self._hold_to(*((self.low, end) if end < refused else (end, self.high)))
        return self.at(end)


def _pair(bounds: object) -> tuple[float, float]:
    expected = "a pair (low, high) with 0 <= low <= high and high > 0"
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:  # noqa: PLR2004
        raise TypeError(f"bounds must be {expected}, got {_checks.show(bounds)}")
    low, high = (_checks.real("bounds", end, expected) for end in bounds)
    if not (0 <= low <= high and high > 0):
        raise ValueError(f"bounds must be {expected}, got {_checks.show(bounds)}")
    return low, high
