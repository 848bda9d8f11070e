# SPDX-License-Identifier: Apache-2.0
"""Questions about runs some of whose mechanisms are known by pairs above and below them.

Compositions are monotone in each mechanism's hockey-stick curve. So a run of pairs above bounds the
privacy loss from above, and every run of pairs below bounds it from below.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction

Runs = Callable[[Adjacency], list[_core.Terms]]
"""The runs to compare under an adjacency."""
Ask = Callable[[Runs], _core.Answers]


class Accuracy(NamedTuple):
    """How closely pairs are to follow a curve."""

    cells: int = 40
    """Points of the curve in a standard deviation of the privacy loss."""
    tail: float = 1e-12
    """Probability that may be left out at each end."""


def dominating(terms: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """The terms, with the run that dominates it in place of each that is known by one."""
    run: list[tuple[Any, int]] = []
    enclosed: dict[type, list[tuple[Any, int]]] = {}
    for term in terms:
        mechanism, count = term
        if mechanism.is_exact:
            run.append(term)
            continue
        for one, n in mechanism.run_above:
            known = run if one.is_exact else enclosed.setdefault(type(one), [])
            known.append((one, _checks.count(n * count)))
    for kind, runs in enclosed.items():
        run.extend(kind.joined(tuple(runs)))  # type: ignore[attr-defined]
    return run


def pairs(
    terms: Iterable[tuple[Any, int]],
    direction: Direction,
    accuracy: Accuracy,
    below: int | None,
    *,
    of_moments: bool = False,
) -> _core.Terms:
    """The pairs of one direction: above each mechanism, or the `below`-th below it.

    `of_moments`: for a question about Renyi divergences.
    """
    result = []
    for mechanism, count in terms:
        if mechanism.is_exact:
            pair = mechanism.dominating_pair(direction)
        elif of_moments and (known := mechanism.renyi_pairs()):
            pair = known[below is None]
        elif below is None:
            pair = mechanism.pair_above(direction, accuracy)
        else:
            choices = mechanism.pairs_below(direction, accuracy)
            pair = choices[min(below, len(choices) - 1)]
        result.append((pair, count))
    return _core.Terms(result)


def known_alone(
    terms: tuple[tuple[Any, int], ...],
    question: str,
    points: FloatArray,
    adjacency: Adjacency,
    tolerance: float,
) -> tuple[FloatArray, FloatArray] | None:
    """The ends of the answer of runs of one kind of mechanism that knows a way of its own."""
    kind = type(terms[0][0])
    if terms[0][0].is_exact or any(type(mechanism) is not kind for mechanism, _ in terms):
        return None
    found: tuple[FloatArray, FloatArray] | None = kind.bounds_of_run(
        terms, question, points, adjacency, tolerance
    )
    return found


def enclosed(  # noqa: PLR0913, each a fact of the question
    terms: tuple[tuple[Any, int], ...],
    tolerance: float,
    told: list[float] | None,
    ask: Ask,
    *,
    most: float,
    rises: bool,
    of_moments: bool,
    of_rates: bool,
    known: tuple[FloatArray, FloatArray] | None,
) -> _core.Answers:
    """The answer of the pairs above and of those below; `rises`: with the privacy loss.

    `of_moments`: whether it is of Renyi divergences.
    `of_rates`: whether it is mu of tests with certain rates.
    `told`: the deltas or rates that are told, the least of which, or `most`, says how much of the
        loss may be left out; None: as little as the answers, which are deltas.
    `known`: ends that hold too.
    """
    closes = all(mechanism.closes for mechanism, _ in terms if not mechanism.is_exact)
    runs = sum(count for one, count in dominating(terms) if not one.is_exact)

    def side(make: Callable[..., list[_core.Terms]]) -> Callable[[float, float], _core.Answers]:
        return lambda cells, tail: ask(partial(make, terms, Accuracy(int(cells), tail), of_moments))

    return _core.enclosed(
        *(side(_above), side(_below)),
        rises=rises,
        of_rates=of_rates,
        closes=closes,
        told=told,
        most=most,
        runs=runs,
        tolerance=tolerance,
        known=known,
    )


def _above(
    terms: Any,  # noqa: ANN401
    accuracy: Accuracy,
    of_moments: bool,  # noqa: FBT001, of a partial
    adjacency: Adjacency,
) -> list[_core.Terms]:
    run = dominating(terms)
    return _distinct(
        pairs(run, way, accuracy, None, of_moments=of_moments) for way in adjacency.directions
    )


def _below(
    terms: Any,  # noqa: ANN401
    accuracy: Accuracy,
    of_moments: bool,  # noqa: FBT001
    adjacency: Adjacency,
) -> list[_core.Terms]:
    """The runs that can be played: all mechanisms by the same choice, if they have as many."""
    return _distinct(
        pairs(terms, way, accuracy, choice, of_moments=of_moments)
        for way in adjacency.directions
        for choice in range(
            max(len(m.pairs_below(way, accuracy)) for m, _ in terms if not m.is_exact)
        )
    )


def _distinct(runs: Iterable[_core.Terms]) -> list[_core.Terms]:
    return list(dict.fromkeys(runs))
