# SPDX-License-Identifier: Apache-2.0
"""Terms of compositions: mechanisms and how often each runs, in an order of their own."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Protocol, TypeVar

from hockeystick import _checks


class Ranked(Protocol):
    """A value with a rank in the order of terms."""

    @property
    def rank(self) -> str: ...


One = TypeVar("One", bound=Ranked)


def _rank(term: tuple[One, int]) -> str:
    return term[0].rank


def joined(
    terms: tuple[tuple[One, int], ...], others: tuple[tuple[One, int], ...]
) -> tuple[tuple[One, int], ...]:
    """`merged` of both, themselves canonical: a single term finds its place by bisection."""
    if len(others) != 1:
        return merged((*terms, *others))
    mechanism, count = others[0]
    at = bisect_right(terms, mechanism.rank, key=_rank)
    if at and terms[at - 1][0] == mechanism:
        return (*terms[: at - 1], (mechanism, _checks.count(terms[at - 1][1] + count)), *terms[at:])
    return (*terms[:at], others[0], *terms[at:])


def merged(terms: Iterable[tuple[One, int]]) -> tuple[tuple[One, int], ...]:
    """The terms by rank, equal mechanisms once; linear in time for a few sorted runs of them."""
    kept = [term for term in terms if term[1]]
    if len(kept) == 1:
        return (kept[0],)
    ranked = sorted([(term[0].rank, *term) for term in kept], key=itemgetter(0))
    merged: list[tuple[One, int]] = []
    last = None
    for rank, mechanism, count in ranked:
        if rank == last and mechanism == merged[-1][0]:
            merged[-1] = (mechanism, _checks.count(merged[-1][1] + count))
        else:
            merged.append((mechanism, count))
            last = rank
    return tuple(merged)


def check_bases(kind: type) -> None:
    """Refuses a class of one's own that is derived from a mechanism of this package.

    Its groups, filters and files would be those of that mechanism, whatever pair it has itself.
    """
    own = "hockeystick."
    for base in kind.__bases__:
        if is_dataclass(base) and base.__module__.startswith(own) > kind.__module__.startswith(own):
            raise TypeError(
                f"{kind.__name__} must be derived from hockeystick.Mechanism, not from "
                f"{base.__name__}, for which it would be taken: let its dominating_pair return "
                f"that of a {base.__name__}"
            )


@lru_cache(maxsize=64)  # compositions of thousands of mechanisms ask for each
def fields_by_argument(kind: type) -> dict[str, str]:
    """The name of a dataclass's field for each argument."""
    if not is_dataclass(kind) or kind.__hash__ is None:
        raise TypeError(
            f"{kind.__name__} must be a frozen dataclass, as mechanisms are compared by their "
            "fields: write @dataclass(frozen=True) above its class"
        )
    return {field.name.removeprefix("guaranteed_"): field.name for field in fields(kind)}
