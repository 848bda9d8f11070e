# SPDX-License-Identifier: Apache-2.0
"""The questions that a run answers, asked of a ledger: under its own adjacency and tolerance."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from hockeystick import _checks
from hockeystick._words import Missing, spoken
from hockeystick.accountant.entries import Entries
from hockeystick.accountant.ledger import Ledger
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.composition import Composable, Mechanism
from hockeystick.limits import DEFAULT_SMALLEST, DEFAULT_TOLERANCE, Limits, spelled_out
from hockeystick.queries import QUERIES
from hockeystick.views import Views

Class = TypeVar("Class", bound=type)


def own_adjacency(account: Ledger, given: AdjacencyLike | None) -> Adjacency:
    """The adjacency of the accountant, which is the only one that may be given.

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
    """The run of an accountant, of a filter's guarantee or of `run` itself, and its adjacency.

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
        entries = self._entries
        if not at and _KEPT.get(name) in options:
            at = (options.pop(_KEPT[name]),)
        if name in _KEPT and len(at) == 1:
            known = self._known_so_far(name, at[0], entries, own | options)
            if known is not None:
                return known
        return getattr(entries.composition, name)(*at, **own | options)

    return asked


_KEPT = {
    name: QUERIES[wanted].argument
    for wanted in ("epsilon", "delta")
    for name in (wanted, f"{wanted}_bounds")
}
"""The questions that kept runs answer, and the name of their argument."""


def _signature(ask: Callable[..., Any]) -> inspect.Signature:
    """The signature without the options that the accountant sets."""
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
        """The distinct mechanisms of the composition, and the number of runs of each."""
        return self._entries.composition.terms

    def _known_so_far(
        self,
        name: str,
        at: Any,  # noqa: ANN401
        entries: Entries,
        options: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401, bounds, or their upper end
        """The answer from what was kept of questions before, if that helps."""
        wanted = name.removesuffix("_bounds")
        query = QUERIES[wanted]
        usual = Limits(smallest=DEFAULT_SMALLEST if query.tiny else 0.0)
        limits = usual.updated(options, has_smallest=query.tiny, asks=(wanted, query.argument))
        found = self._kept.bounds(wanted, at, entries, limits)
        if found is None or name == wanted:
            return None if found is None else found.upper
        found._asked = (entries.composition, {query.argument: at, **options})  # noqa: SLF001
        return found
