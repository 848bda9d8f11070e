# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in general, and their composition."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import itemgetter
from typing import Any, ClassVar

from hockeystick import _checks, _core
from hockeystick.adjacency import Direction
from hockeystick.views import Views


class Composable(Views):
    """What can be composed (``10 * a + b``) and asked for its privacy: see Composition."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None  # lets numpy integers multiply from the left

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The distinct mechanisms that cost anything, and how often each runs."""

    def __add__(self, other: object) -> "Composition":
        """Both, in either order: composition is commutative."""
        if not isinstance(other, Composable):
            return NotImplemented
        return Composition._of(_joined(self.terms, other.terms))

    def __radd__(self, other: object) -> "Composition":
        """``0 + self``, with which ``sum()`` starts."""
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return Composition._of(_merged(self.terms))
        return NotImplemented

    def __mul__(self, count: object) -> "Composition":
        """`count` independent runs."""
        times = _checks.count(count)
        if len(terms := self.terms) == 1:  # the common case
            ((mechanism, runs),) = terms
            total = times if runs == 1 else _checks.count(times * runs)
            return Composition._of(((mechanism, total),) if total else ())
        return Composition._of(_merged((one, _checks.count(times * runs)) for one, runs in terms))

    __rmul__ = __mul__


class Mechanism(Composable):
    """A randomized algorithm, known through its dominating pairs.

    To add one of your own that is dominated by pairs of mechanisms here, derive a frozen dataclass
    and give it ``dominating_pair``:

    >>> import hockeystick as hs
    >>> @dataclass(frozen=True, slots=True, kw_only=True)
    ... class TreeCounter(hs.Mechanism):
    ...     '''A record counts in `depth` nodes of a tree, each with normal noise.'''
    ...     noise_multiplier: float
    ...     depth: int
    ...
    ...     def dominating_pair(self, direction: hs.Direction) -> hs.DominatingPair:
    ...         noise = self.noise_multiplier / self.depth**0.5
    ...         return hs.Gaussian(noise_multiplier=noise).dominating_pair(direction)
    >>> counter = TreeCounter(noise_multiplier=40.0, depth=16)
    >>> (5 * counter).epsilon(1e-6) == (5 * hs.Gaussian(noise_multiplier=10.0)).epsilon(1e-6)
    True
    """

    __slots__ = ("_rank",)
    _rank: str
    is_exact: ClassVar[bool] = True
    """Whether its dominating pair is all that is known of it; see EnclosedMechanism."""

    @property
    def terms(self) -> tuple[tuple["Mechanism", int], ...]:
        """The mechanism once, in its simplest form; nothing if it costs nothing."""
        simplest = self.simplified()
        return () if simplest is None else ((simplest, 1),)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{type(self).__name__}({arguments})"

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that make an equal mechanism: the fields of the dataclass."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def rank(self) -> str:
        """What compositions order their terms by: equal mechanisms have equal ranks."""
        try:
            return self._rank
        except AttributeError:
            object.__setattr__(self, "_rank", repr(self))
            return self._rank

    def simplified(self) -> "Mechanism | None":
        """An equivalent mechanism in simplest form; None if the output ignores the data."""
        return self

    @abstractmethod
    def dominating_pair(self, direction: Direction) -> _core.DominatingPair:
        """The pair (P, Q) that dominates all neighbours in `direction`.

        Equal mechanisms return the same object, and so do directions that share a pair. That it
        dominates is the mechanism's to know; how a pair is represented is no part of the interface.

        Raises:
            ValueError: No such pair is known.
        """


@dataclass(frozen=True, slots=True, repr=False)
class Composition(Composable):
    """Independent runs of mechanisms, each possibly chosen after seeing the outputs before it.

    Canonical: equal mechanisms are merged, free ones dropped, and the order is fixed, so equal
    compositions are ``==``, hash alike and give the same bits. Nothing is computed until asked.

    Args:
        terms: Pairs (mechanism, count) with counts of at most 1e9 per distinct mechanism.

    Raises:
        ValueError: A count is negative, or above 1e9 after merging.
        TypeError: A count is not a whole number.

    >>> import hockeystick as hs
    >>> step = hs.Gaussian(noise_multiplier=2.0)
    >>> 3 * step + step
    4 * Gaussian(noise_multiplier=2.0)
    >>> hs.Composition().epsilon(delta=1e-5)
    0.0
    """

    terms: tuple[tuple[Mechanism, int], ...] = ()

    def __init__(self, terms: Iterable[tuple[Mechanism, int]] = ()) -> None:
        checked = []
        for mechanism, count in terms:
            simplest = _checks.instance("mechanism", mechanism, Mechanism).simplified()
            times = _checks.count(count)
            if simplest is not None:
                checked.append((simplest, times))
        object.__setattr__(self, "terms", _merged(checked))

    @classmethod
    def _of(cls, terms: "Terms") -> "Composition":
        """Of canonical terms."""
        composition = cls.__new__(cls)
        object.__setattr__(composition, "terms", terms)
        return composition

    def __repr__(self) -> str:
        if not self.terms:
            return "Composition()"
        return " + ".join(f"{count} * {mechanism!r}" for mechanism, count in self.terms)


Terms = tuple[tuple[Mechanism, int], ...]


def _rank(term: tuple[Mechanism, int]) -> str:
    return term[0].rank


def _joined(terms: Terms, others: Terms) -> Terms:
    """`_merged` of both, themselves canonical: a single term finds its place by bisection."""
    if len(others) != 1:
        return _merged((*terms, *others))
    mechanism, count = others[0]
    at = bisect_right(terms, mechanism.rank, key=_rank)
    if at and terms[at - 1][0] == mechanism:
        return (*terms[: at - 1], (mechanism, _checks.count(terms[at - 1][1] + count)), *terms[at:])
    return (*terms[:at], others[0], *terms[at:])


def _merged(terms: Iterable[tuple[Mechanism, int]]) -> Terms:
    """The terms by rank, equal mechanisms once; linear in time for a few sorted runs of them."""
    kept = [term for term in terms if term[1]]
    if len(kept) == 1:
        return (kept[0],)
    ranked = sorted([(term[0].rank, *term) for term in kept], key=itemgetter(0))
    merged: list[tuple[Mechanism, int]] = []
    last = None
    for rank, mechanism, count in ranked:
        if rank == last and mechanism == merged[-1][0]:
            merged[-1] = (mechanism, _checks.count(merged[-1][1] + count))
        else:
            merged.append((mechanism, count))
            last = rank
    return tuple(merged)
