# SPDX-License-Identifier: Apache-2.0
"""The questions that a run answers, asked of a ledger: under its own adjacency and tolerance."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, Unpack

from hockeystick import _checks
from hockeystick._words import Missing, spoken
from hockeystick.accountant.ledger import Ledger
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.composition import Composable, Mechanism
from hockeystick.limits import (
    DEFAULT_SMALLEST,
    DEFAULT_TOLERANCE,
    Limits,
    Options,
    ProbabilityOptions,
    spelled_out,
)
from hockeystick.queries import QUERIES
from hockeystick.views import Views

Class = TypeVar("Class", bound=type)


def own_adjacency(account: Ledger, given: AdjacencyLike | None) -> Adjacency:
    """That of the accountant, which is the only one that may be given.

    Raises:
        ValueError: Another is given: what was spent would be said under neighbours that nobody
            agreed on.
    """
    own = account.adjacency
    if given is not None and adjacency_of(given) is not own:
        raise ValueError(
            f"adjacency must be that of the accountant, {own.value}, got {_checks.show(given)}; "
            "its composition can be asked under another"
        )
    return own


def run_and_adjacency(
    name: str, run: object, adjacency: AdjacencyLike | None
) -> tuple[Composable, Adjacency]:
    """What an accountant holds, or a filter guarantees, and its adjacency; else what is given.

    Raises:
        TypeError: `run` is neither an accountant nor a mechanism or a composition.
        ValueError: There is no such adjacency, or it is not that of the accountant.
    """
    if isinstance(run, Ledger):
        return run._whole, own_adjacency(run, adjacency)  # noqa: SLF001, its own
    under = Adjacency.ADD_OR_REMOVE_ONE if adjacency is None else adjacency_of(adjacency)
    return _checks.instance(name, run, Composable), under


def asked_of_its_composition(cls: Class) -> Class:
    """The class, with each question that it does not answer itself put to its composition."""
    for name in [name for name in dir(Views) if not name.startswith("_") and name != "terms"]:
        ask = vars(cls).get(name) or _asked_of_composition(name)
        full = inspect.signature(spelled_out(ask, smallest=DEFAULT_SMALLEST))
        ask.__signature__ = shown = _signature(ask)
        Missing.stands_in(ask)
        ask.__signature__ = (
            full  # by which calls are refused: what the accountant knows may be given
        )
        made = spoken(ask)
        made.__signature__ = shown
        setattr(cls, name, made)
    return cls


def _asked_of_composition(name: str) -> Any:  # noqa: ANN401, a method as any other
    question: Any = getattr(Views, name)
    taken = inspect.signature(question).parameters

    @wraps(question)
    def asked(self: "Questioned", *at: object, **options: object) -> object:
        given: Any = options.pop("adjacency", None)
        own: dict[str, Any] = {"adjacency": own_adjacency(self, given)}
        if "tolerance" in taken:
            usual = taken["tolerance"].default
            is_costly = usual > DEFAULT_TOLERANCE  # as of P(L > epsilon), which takes its inverse
            own["tolerance"] = max(self.tolerance, usual) if is_costly else self.tolerance
        return getattr(self.composition, name)(*at, **own | options)

    return asked


def _signature(ask: Callable[..., Any]) -> inspect.Signature:
    """Without the options that the accountant knows."""
    given = inspect.signature(ask)
    own = ("adjacency", "tolerance")
    kept = [one for one in given.parameters.values() if one.name not in own]
    return given.replace(parameters=kept)


@asked_of_its_composition
class Questioned(Views, Ledger):
    """A ledger that answers what its composition answers, under its own adjacency.

    Its tolerance stands in for the usual one, and may be given otherwise.
    """

    @property
    def terms(self) -> tuple[tuple[Mechanism, int], ...]:
        """Those of its composition: the distinct mechanisms, and how often each ran."""
        return self._entries.composition.terms

    def epsilon(  # type: ignore[override]
        self, delta: Value | Array, **options: Unpack[Options]
    ) -> Value:
        """Certified upper bound on epsilon so far; see ``Composition.epsilon``."""
        return self.epsilon_bounds(delta, **options).upper

    def epsilon_bounds(  # type: ignore[override]
        self, delta: Value | Array, **options: Unpack[Options]
    ) -> Bounds[Value]:
        """Epsilon so far, enclosed; see ``Composition.epsilon_bounds``."""
        return self._enclosed_so_far("epsilon", "delta", delta, options)

    def delta(  # type: ignore[override]
        self, epsilon: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Value:
        """Certified upper bound on delta so far; see ``Composition.delta``."""
        return self.delta_bounds(epsilon, **options).upper

    def delta_bounds(  # type: ignore[override]
        self, epsilon: Value | Array, **options: Unpack[ProbabilityOptions]
    ) -> Bounds[Value]:
        """Delta so far, enclosed; see ``Composition.delta_bounds``."""
        return self._enclosed_so_far("delta", "epsilon", epsilon, options)

    def _enclosed_so_far(
        self, name: str, argument: str, at: Value | Array, options: Options | ProbabilityOptions
    ) -> Bounds[Value]:
        """From what was kept of questions before, if that helps."""
        own_adjacency(self, options.get("adjacency"))
        is_tiny = QUERIES[name].tiny
        usual = Limits(
            self._adjacency, self._tolerance, smallest=DEFAULT_SMALLEST if is_tiny else 0.0
        )
        limits = usual.updated(options, has_smallest=is_tiny, asks=(name, argument))
        if isinstance(at, Missing):
            raise at.error()
        entries = self._entries
        asked = {argument: at, **limits.options(has_smallest=is_tiny)}
        found: Any = self._kept.runs.bounds(name, at, entries, limits)
        if found is None:
            found = getattr(entries.composition, f"{name}_bounds")(**asked)
        bounds: Bounds[Value] = found
        bounds._asked = (entries.composition, asked)  # noqa: SLF001
        return bounds
