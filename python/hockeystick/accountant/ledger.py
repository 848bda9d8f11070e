# SPDX-License-Identifier: Apache-2.0
"""The ledger of composed mechanisms, which threads may share and processes may fork."""

import os
import threading
import weakref
from pathlib import Path
from typing import Any, NoReturn, Self

from hockeystick import _checks
from hockeystick._neighbours import Hinting
from hockeystick._words import outspoken
from hockeystick.accountant.entries import Entries, Entry
from hockeystick.accountant.kept_runs import KeptRuns
from hockeystick.adjacency import Adjacency, AdjacencyLike, adjacency_of
from hockeystick.composition import Composable, Composition, Mechanism
from hockeystick.limits import DEFAULT_TOLERANCE


class Shared(Hinting):
    """An object that threads may share, that can be pickled, and that survives a fork."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}  # files loaded from or saved to, and the digest of each
        self._own_lock()

    def __add__(self, other: object) -> NoReturn:
        """Refuse it: a sum would be a new one, and what was released is entered in this one."""
        raise TypeError(f"{type(self).__name__} is added to by compose({_checks.show(other)})")

    def _own_lock(self) -> None:
        self._lock = threading.RLock()
        self._block: Path | None = None  # the file whose lock is held for it
        self._kept = KeptRuns()
        _shared.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lock": None, "_kept": None, "_block": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._own_lock()


@outspoken
class Ledger(Shared):
    """A ledger of the mechanisms that ran; each change is made as a whole, one after another."""

    def __init__(
        self,
        adjacency: AdjacencyLike = Adjacency.ADD_OR_REMOVE_ONE,
        *,
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> None:
        self._adjacency = adjacency_of(adjacency)
        self._tolerance = _checks.tolerance(tolerance)
        self._entries = Entries()
        super().__init__()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} adjacency={self._adjacency.value!r} "
            f"tolerance={self._tolerance!r} composition={self.composition!r}>"
        )

    @property
    def adjacency(self) -> Adjacency:
        """The relation of neighbouring datasets."""
        return self._adjacency

    @property
    def tolerance(self) -> float:
        """Widest relative gap accepted."""
        return self._tolerance

    @property
    def ledger(self) -> tuple[tuple[Mechanism, int], ...]:
        """The composed mechanisms as (mechanism, count), in order of arrival.

        Runs of equals under one label are one entry.
        """
        return self._entries.ledger

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The ledger as (mechanism, count, label)."""
        return self._entries.labelled()

    @property
    def composition(self) -> Composition:
        """All of the ledger as one composition, which forgets the adjacency.

        It forgets the tolerance, the labels and the order, too. A composition is asked under
        whichever adjacency the question names, by default ADD_OR_REMOVE_ONE: of a ledger under
        REPLACE_ONE it then understates what was spent, of Gaussians by a factor of about two in
        epsilon and of four in rho. Questions about what was spent are the accountant's own;
        ``composition + query`` is for what-if, with ``adjacency=acct.adjacency``.
        """
        return self._entries.composition

    @property
    def _whole(self) -> Composable:
        """The composition that stands for the whole ledger in questions and as a spent budget."""
        return self.composition

    def compose(self, mechanism: Composable, count: int = 1, *, label: str = "") -> Self:
        """Enter `count` runs of a mechanism or of a composition; on an error, nothing is entered.

        Args:
            mechanism: What ran.
            count: How often, in [0, 1e9]; so is the total for each distinct mechanism.
            label: What it was for, as the report shows it: a line of printable text, of at most
                1000 characters.

        Returns:
            The accountant itself.

        Raises:
            ValueError: A count is out of range, or `label` is no line of text.
            TypeError: An argument has the wrong type.
        """
        with self._lock:
            self._entries = self._entries.and_then(mechanism, count, label)
        return self

    def merge(self) -> Self:
        """Make entries of equal mechanisms and labels one, where the first of them stands.

        The composition stays as it is. A ledger of many runs of few mechanisms, in whatever order,
        becomes short.

        Returns:
            The accountant itself.

        Raises:
            ValueError: A count would be out of range; nothing is changed.

        >>> import hockeystick as hs
        >>> one, other = hs.Gaussian(10.0), hs.Laplace(20.0)
        >>> hs.Accountant().compose(one).compose(other).compose(one, count=3).merge().ledger
        ((Gaussian(10.0), 4), (Laplace(20.0), 1))
        """
        with self._lock:
            self._entries = self._entries.merged()
        return self


_shared: "weakref.WeakSet[Shared]" = weakref.WeakSet()


def _renew_locks() -> None:
    """Free, in a forked child, what other threads of its parent hold; their changes were whole."""
    for each in list(_shared):
        each._own_lock()  # noqa: SLF001, its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
