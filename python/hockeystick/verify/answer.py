# SPDX-License-Identifier: Apache-2.0
"""From a question to a result: precision is raised until the digits are there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from flint import arb, ctx

from hockeystick import _checks
from hockeystick.adjacency import Adjacency
from hockeystick.bounds import Bounds
from hockeystick.composition import Terms
from hockeystick.disjoint import AnyRun
from hockeystick.errors import best_bounds
from hockeystick.mechanisms import ShuffledLocal
from hockeystick.verify import largest, questions, renyi
from hockeystick.verify.balls import (
    ZERO,
    between,
    decimal,
    digits_of,
    double_above,
    double_below,
    maximum,
)
from hockeystick.verify.curves import Composed
from hockeystick.verify.ends import Between
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.result import Verified
from hockeystick.verify.sides import has_gap, sides
from hockeystick.verify.work import afford, bounded, remaining

ROUNDS = 4
METHOD = "closed forms of both ends"
MOST_WORK, WORK_OF_ONE = 8e6, 4e5  # microseconds of a quiet core, and of each distinct step more
GUARD = 12  # digits beyond those asked for at first
Runs = tuple[Terms, ...]  # of which the worst counts
Ask = Callable[[Sequence[Composed], float, int], arb]
Direct = Callable[[Runs, Adjacency, float, int], tuple[arb, str]]


class Found(NamedTuple):
    """What is known of a quantity."""

    ball: arb
    method: str
    limits: dict[str, float]
    gap: str
    """Why it is no closer, if a gap is left."""
    ends: tuple[arb, arb]
    """What is attained and what is proved, ascending; the ball, if there is no gap."""


class Kept:
    """The curves of runs in all directions, each made once for all questions to as many digits."""

    def __init__(self, runs: Runs, adjacency: Adjacency) -> None:
        self.runs, self.adjacency = runs, adjacency
        self.has_gap: bool = any(has_gap(run, adjacency.directions) for run in runs)
        self._made: dict[int, list[Between[Composed]]] = {}

    def sides(self, digits: int) -> list[Between[Composed]]:
        """What is proved and attained of each run and direction, at the precision in force."""
        if digits not in self._made:
            directions = self.adjacency.directions
            self._made[digits] = [
                sides(run, direction, digits) for run in self.runs for direction in directions
            ]
        return self._made[digits]

    def ball(self, name: str, point: float, digits: int) -> Found:
        """What a question of QUESTIONS is answered by.

        Raises:
            NotKnownError: No rigorous value is known or affordable.
        """
        question = LARGEST if name == "delta" and point == 0 else QUESTIONS[name]
        if self.has_gap and question.ask is not None:
            return _between(question.ask, self, point, digits)
        return _ball(question, self, point, digits)


class Question(NamedTuple):
    """What a quantity is asked by, how it is computed, and where it lies in any case."""

    quantity: str
    check: Callable[[float], Any]
    ask: Ask | None
    most: float
    direct: Direct | None = None
    """In place of `ask` where no curve is needed: by moments, or by largest losses."""


QUESTIONS = {
    "delta": Question("epsilon", _checks.delta, questions.epsilon, math.inf),
    "epsilon": Question(
        "delta",
        lambda x: _checks.within("epsilon", x, 0, _checks.MAX_EPSILON),
        questions.delta,
        1.0,
    ),
    "false_positive_rate": Question(
        "true_positive_rate",
        partial(_checks.probability, "false_positive_rate"),
        questions.power,
        1.0,
    ),
    "prior": Question("bayes_risk", partial(_checks.open_unit, "prior"), questions.bayes_risk, 0.5),
    "order": Question(
        "renyi_divergence",
        lambda x: _checks.within("order", x, 1, _checks.MAX_ORDER),
        None,
        math.inf,
        renyi.divergence,
    ),
}
LARGEST = QUESTIONS["delta"]._replace(ask=None, direct=largest.loss)


def answer(
    run: AnyRun,
    name: str,
    value: float,
    adjacency: Adjacency,
    digits: int,
    fast: bool | Bounds[float],  # noqa: FBT001
) -> Verified:
    """The result for one question; `name` is a key of QUESTIONS."""
    question = QUESTIONS[name]
    point = question.check(value)
    quick = fast if isinstance(fast, Bounds) else None
    if fast is True:
        ask = getattr(run, f"{question.quantity}_bounds")
        quick = best_bounds(ask, point, adjacency=adjacency)
    start = perf_counter()
    kept = Kept(run._alternatives, adjacency)  # noqa: SLF001, as all questions
    try:
        with bounded(MOST_WORK + WORK_OF_ONE * max(map(len, kept.runs))):
            ball, method, limits, gap, (low, high) = kept.ball(name, point, digits)
    except NotKnownError as error:
        return Verified(
            quantity=question.quantity,
            known=False,
            middle="nan",
            radius="inf",
            lower=0.0,
            upper=question.most,
            digits=0.0,
            asked=digits,
            fast=quick,
            seconds=perf_counter() - start,
            reason=str(error),
        )
    middle, radius = decimal(ball, digits)
    return Verified(
        quantity=question.quantity,
        known=not gap,
        reason=gap,
        middle=middle,
        radius=radius,
        lower=max(0.0, double_below(low)),
        upper=min(question.most, double_above(high)),
        digits=digits_of(ball),
        asked=digits,
        limits=limits,
        method=method,
        fast=quick,
        enclosed=_enclosed(quick, low, high),
        seconds=perf_counter() - start,
    )


def _enclosed(quick: Bounds[float] | None, low: arb, high: arb) -> bool | None:
    """Whether all between the balls is certainly within the bounds, or nothing of it."""
    if quick is None:
        return None
    with ctx.workprec(max(2200, ctx.prec)):
        lower, upper = arb(quick.lower), arb(quick.upper)
        if lower <= low and high <= upper:
            return True
        return False if high < lower or low > upper else None


def _ball(question: Question, kept: Kept, point: float, digits: int) -> Found:
    """The narrowest ball of a few rounds of rising precision, each as long as it is affordable."""
    best, method, limits = arb(0, math.inf), "", {}
    working, last, is_cut, spent = digits + GUARD, -1.0, False, 0.0
    small = max(0.0, -math.log10(point)) if question.ask is questions.epsilon else 0.0
    for _ in range(ROUNDS):
        left = remaining()
        if spent > left:
            break
        try:
            with ctx.workprec(64 + int(3.33 * (working + small))):
                if question.direct is not None:
                    ball, method = question.direct(kept.runs, kept.adjacency, point, digits)
                elif question.ask is not None:
                    curves = [one.proved for one in kept.sides(working)]
                    ball = _ask(question.ask, curves, point, digits)
                    method = ", ".join(dict.fromkeys(curve.way for curve in curves))
                    limits = _limits(curves)
                    is_cut = any(curve.contour and curve.contour.is_cut for curve in curves)
        except NotKnownError:
            if not best.is_finite():
                raise
            break  # an earlier round tells fewer digits
        known = digits_of(ball)
        if known > digits_of(best) or not best.is_finite():
            best = ball
        if known >= digits or known <= last or is_cut:
            break
        last, before = known, working
        working += max(digits, int(digits - known) + GUARD)
        spent = (left - remaining()) * (working / before) ** 2 if left < math.inf else 0.0
    if best.is_nan() or not (best.is_finite() or best > 0):
        raise NotKnownError("no precision that is affordable gives a bound")
    return Found(best, method, limits, "", (best, best))


def _between(ask: Ask, kept: Kept, point: float, digits: int) -> Found:
    """What is proved and what is attained: the exact value is between, or both."""
    with ctx.workprec(64 + int(3.33 * (digits + GUARD))):
        found = kept.sides(digits)
        _foresee(ask, kept.runs, found)
        proved = _ask(ask, [one.proved for one in found], point, digits)
        attained = _attained(ask, found, point, digits)
        low, high = (proved, attained) if ask is questions.bayes_risk else (attained, proved)
        if high < low:
            raise AssertionError(f"attained beyond what is proved: {low} and {high}")
        if not low < high:
            return Found(between(low, high), METHOD, {}, "", (low, high))
        first, last = (decimal(end, digits)[0] for end in (low, high))
        gap = f"a gap is left from {first} to {last}, one proved, the other attained"
        return Found(between(low, high), METHOD, {}, gap, (low, high))


VALUES = {questions.epsilon: 10, questions.power: 100}
"""At least as many values of each curve of reports are asked for: there are 21, and 203."""


def _foresee(ask: Ask, runs: Runs, found: Sequence[Between[Composed]]) -> None:
    """Refuse what takes too long before it is done: each value of reports takes as much.

    Raises:
        NotKnownError: There is not as much work left.
    """
    if ask not in VALUES or not all(
        isinstance(one, ShuffledLocal) for run in runs for one, _ in run
    ):
        return
    curves = [one for way in found for one in (way.proved, *way.attained)]
    before = remaining()
    curves[0].delta(arb(0.1))
    afford(VALUES[ask] * len(curves) * (before - remaining()))


def _attained(ask: Ask, found: Sequence[Between[Composed]], point: float, digits: int) -> arb:
    """By the best of the adversaries for whom it is known; they risk least where curves are high.

    Raises:
        NotKnownError: It is known for none.
    """
    values: list[arb] = []
    reason = NotKnownError("nothing is attained for certain")
    for one in (one for way in found for one in way.attained):
        try:
            values.append(_ask(ask, [one], point, digits))
        except NotKnownError as error:
            reason = error
    if not values:
        raise reason
    return -maximum(*(-x for x in values)) if ask is questions.bayes_risk else maximum(*values)


def _ask(ask: Ask, curves: Sequence[Composed], point: float, digits: int) -> arb:
    ball = ask(curves, point, digits)
    if not ball.is_nan() and ball.lower() < 0:  # nothing that is asked for is negative
        return between(ZERO, ball.upper())
    return ball


def _limits(curves: Sequence[Composed]) -> dict[str, float]:
    """The fewest digits that each source of error leaves, of all directions."""
    found: dict[str, float] = {}
    for curve in curves:
        if curve.contour is not None:
            for source, left in curve.contour.limits().items():
                found[source] = min(left, found.get(source, math.inf))
    return found
