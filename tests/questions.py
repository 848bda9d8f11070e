# SPDX-License-Identifier: Apache-2.0
"""The runs of the oracles, put to the library, and its answers held against a truth."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flint import arb, ctx

import exact
import hockeystick as hs
from exact.truth import ADJACENCY, composition
from hockeystick import _core

Query = Literal["epsilon", "delta"]

SMALLEST = 1e-300  # below, doubles are too coarse for a relative tolerance


@dataclass(frozen=True, slots=True)
class Answer:
    """Bounds, and whether the library said that they meet the tolerance."""

    bounds: hs.Bounds[float]
    certified: bool


def ask(
    run: exact.Run, query: Query, at: float, direction: exact.Direction, tolerance: float = 1e-3
) -> Answer:
    """The library's answer on a run of the oracles."""
    return put(composition(run), query, at, direction, tolerance)


def put(
    composed: hs.Composition,
    query: Query,
    at: float,
    direction: exact.Direction | hs.Adjacency,
    tolerance: float = 1e-3,
    memory_limit: int = 1 << 30,
) -> Answer:
    """The library's answer; a CertificationError is one too, with the bounds it carries."""
    question = composed.epsilon_bounds if query == "epsilon" else composed.delta_bounds
    adjacency = ADJACENCY[direction] if isinstance(direction, str) else direction
    limits = {"tolerance": tolerance, "memory_limit": memory_limit}
    if query == "delta":
        limits["smallest"] = 0.0
    try:
        bounds = question(at, adjacency=adjacency, **limits)
    except hs.CertificationError as error:
        return Answer(error.bounds, certified=False)
    return Answer(bounds, certified=True)


def core_answer(
    directions: Sequence[Any],
    query: Query,
    at: float,
    *,
    method: str = "",
    tolerance: float = 1e-3,
    memory_limit: int = 1 << 30,
) -> _core.Answer:
    """What the core answers for directions, which are lists of pairs and their counts."""
    ask = _core.epsilon_bounds if query == "epsilon" else _core.delta_bounds
    limits = {"tolerance": tolerance, "memory_limit": memory_limit, "method": method}
    return ask(directions, [at], **limits)[0]


def assert_encloses(bounds: hs.Bounds, truth: float | arb, tolerance: float) -> None:
    """Also whether the bounds are as narrow, absolutely."""
    assert bounds.lower <= truth <= bounds.upper
    assert bounds.gap <= tolerance


def told(ask: Callable[..., hs.Bounds], *at: Any, **options: Any) -> hs.Bounds:
    """The bounds, be they as narrow as was asked or those that a refusal carries."""
    try:
        return ask(*at, **options)
    except hs.CertificationError as error:
        return error.bounds


def seconds(work: Callable[[], Any]) -> float:
    """The least processor time of three repetitions."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def encloses(bounds: hs.Bounds[float], truth: arb) -> bool:
    """Whether all of the ball lies within, what of it is negative apart: no truth here is."""
    with ctx.workprec(2200):
        above = bool(truth.upper() <= arb(bounds.upper))
        return above and (bounds.lower == 0 or bool(arb(bounds.lower) <= truth.lower()))


def is_tight(bounds: hs.Bounds[float], truth: arb, tolerance: float) -> bool:
    """Whether the relative gap is within the tolerance, where doubles can tell."""
    if not truth >= SMALLEST:
        return bool(truth > 0) or bounds.upper <= (0 if truth.is_zero() else SMALLEST)
    if not math.isfinite(bounds.upper):
        return False
    with ctx.workprec(2200):
        lower, upper = arb(bounds.lower), arb(bounds.upper)
        return bool(upper - lower <= arb(tolerance) * upper)


def check(answer: Answer, truth: arb, tolerance: float) -> None:
    """Encloses and, unless the library declined, is tight."""
    assert encloses(answer.bounds, truth), f"{answer.bounds} misses {truth.str(20)}"
    if answer.certified:
        assert is_tight(answer.bounds, truth, tolerance), f"{answer.bounds} wider than {tolerance}"


def assert_verified(
    run: hs.Composition, order: float, tolerance: float, adjacency: hs.Adjacency
) -> None:
    """That bounds of a divergence are as close as that, and hold what verify finds."""
    bounds = run.renyi_divergence_bounds(order, adjacency=adjacency)
    assert hs.verify(run, order=order, adjacency=adjacency, digits=20, fast=bounds).enclosed
    assert bounds.gap <= tolerance * bounds.upper
