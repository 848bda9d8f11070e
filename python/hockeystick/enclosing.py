# SPDX-License-Identifier: Apache-2.0
"""Questions about runs some of whose mechanisms are known by pairs above and below them.

Compositions are monotone in each mechanism's hockey-stick curve. So a run of pairs above bounds the
privacy loss from above, and every run of pairs below bounds it from below.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from hockeystick import _checks, _core
from hockeystick._checks import FloatArray
from hockeystick.adjacency import Adjacency, Direction

Runs = Callable[[Adjacency], list[_core.Terms]]
"""The runs to compare under an adjacency."""
Ask = Callable[[Runs, FloatArray], _core.Answers]
"""Asks a question of these runs at some of its points."""


Told = Literal["curve", "moments", "far", "largest", "unsampled"]
"""Which pairs a question is put to: those of the curve; those that enclose moments and the mass at
+inf; those that bound moments from the curve and what is known of far losses; those that have the
largest loss; above only, those of a scheme's steps as if nothing were sampled, which never cost
less."""


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
    told: Told = "curve",
) -> _core.Terms:
    """The pairs of one direction: above each mechanism, or the `below`-th below it."""
    result = []
    for mechanism, count in terms:
        if mechanism.is_exact:
            pair = mechanism.dominating_pair(direction)
        elif told != "curve" and (known := mechanism.pairs_besides(direction, accuracy, told)):
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


def enclosed(
    terms: tuple[tuple[Any, int], ...],
    question: str,
    points: FloatArray,
    ask: Ask,
    *,
    known: tuple[FloatArray, FloatArray] | None,
    **limits: Any,
) -> _core.Answers:
    """The answers to what the core calls `question`, of the pairs above and of those below.

    `known`: ends that hold too; `limits`: tolerance and smallest.
    """

    def side(
        make: Callable[..., list[_core.Terms]],
    ) -> Callable[[float, float, str, list[float]], _core.Answers]:
        return lambda cells, tail, told, which: ask(
            partial(make, terms, Accuracy(int(cells), tail), told), np.array(which)
        )

    run = dominating(terms)
    return _core.enclosed(
        question,
        points,
        side(_above),
        side(_below),
        closes=all(mechanism.closes for mechanism, _ in terms if not mechanism.is_exact),
        sampled=any(one.is_sampled for one, _ in run if not one.is_exact),
        runs=sum(count for one, count in run if not one.is_exact),
        known=known,
        **limits,
    )


def _above(
    terms: Any,  # noqa: ANN401
    accuracy: Accuracy,
    told: Told,
    adjacency: Adjacency,
) -> list[_core.Terms]:
    run = dominating(terms)
    return _distinct(pairs(run, way, accuracy, None, told=told) for way in adjacency.directions)


def _below(
    terms: Any,  # noqa: ANN401
    accuracy: Accuracy,
    told: Told,
    adjacency: Adjacency,
) -> list[_core.Terms]:
    """The runs that can be played: all mechanisms by the same choice, if they have as many."""
    return _distinct(
        pairs(terms, way, accuracy, choice, told=told)
        for way in adjacency.directions
        for choice in range(
            max(len(m.pairs_below(way, accuracy)) for m, _ in terms if not m.is_exact)
        )
    )


def _distinct(runs: Iterable[_core.Terms]) -> list[_core.Terms]:
    return list(dict.fromkeys(runs))
