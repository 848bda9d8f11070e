# SPDX-License-Identifier: Apache-2.0
"""Interleaved timing of several answers to one question, each checked before its time counts.

Knows neither the cases nor the libraries: `race` takes calls and a judge, so whatever can be put
as a call whose answer a judge understands (a calibration, a sweep, a curve) can be raced.
"""

from __future__ import annotations

import gc
import math
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from statistics import median
from time import perf_counter
from typing import TypeVar

from cases import Truth

WARM_UP_CALLS = 3
WARM_UP = 0.1  # [s] of first calls, after which no further one is made
SAMPLE = 0.01  # [s]; calls are repeated within a sample until it takes about that long
MAX_CALLS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a library says: an upper value, a lower one and a best guess if it has them."""

    lower: float | None = None
    upper: float
    estimate: float | None = None


class Status(Enum):
    """How an answer compares with the truth."""

    CERTIFIED = "interval"  # encloses the truth, as narrow as asked
    WIDE = "interval, wide"  # encloses the truth
    UPPER = "upper only"  # not below the truth; no lower value
    WRONG = "WRONG"  # the truth is on the other side of a bound
    FAILED = "failed"  # no number


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An answer held against the truth; width and distances are relative to the truth."""

    status: Status
    text: str = ""
    width: float | None = None
    distance: float | None = None  # of the upper value from the truth
    estimate_distance: float | None = None

    @property
    def counts(self) -> bool:
        """Whether the time it took is worth comparing."""
        return self.status not in (Status.WRONG, Status.FAILED)


Ask = Callable[[], Answer]
Given = TypeVar("Given")  # an Answer, or whatever else the judge takes
Judge = Callable[[Given], Verdict]
Clock = Callable[[], float]


def judge(answer: Answer, truth: Truth, gap: float) -> Verdict:
    """Compare exactly: doubles and decimals are fractions."""
    numbers = [answer.upper, *(x for x in (answer.lower, answer.estimate) if x is not None)]
    if not all(map(math.isfinite, numbers)):
        return Verdict(status=Status.FAILED, text=" ".join(map(str, numbers)))

    def away(x: float) -> float:
        return float((Fraction(x) - truth.value) / truth.value)

    lower, upper = answer.lower, answer.upper
    below, above = truth.value - truth.error, truth.value + truth.error
    if upper < below or (lower is not None and lower > above):
        status = Status.WRONG
    elif lower is None:
        status = Status.UPPER
    else:
        status = Status.CERTIFIED if upper - lower <= gap * upper else Status.WIDE
    return Verdict(
        status=status,
        text=repr(upper),
        width=None if lower is None else float((upper - lower) / truth.value),
        distance=away(upper),
        estimate_distance=None if answer.estimate is None else away(answer.estimate),
    )


@dataclass(slots=True, kw_only=True)
class Outcome:
    """A verdict and the seconds per call, one sample for each round that the library was due."""

    verdict: Verdict
    samples: list[float] = field(default_factory=list)
    calls: int = 1
    pairs: int = 0

    @property
    def middle(self) -> float:
        """The median time [s]."""
        return median(self.samples)

    @property
    def band(self) -> tuple[float, float]:
        """The shortest and the longest time [s]."""
        return min(self.samples), max(self.samples)


class _ExpiredError(BaseException):
    """Not an Exception, so that no library takes it for one of its own."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Break off what runs inside; where there are no interval timers, let it finish."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def expire(_signal: int, _frame: object) -> None:
        raise _ExpiredError

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _sample(
    ask: Callable[[], Given], check: Judge[Given], calls: int, seconds: float, clock: Clock
) -> tuple[Verdict, float]:
    """The verdict on `calls` answers, the first bad one if any is, and the mean time of a call."""
    start = clock()
    gc.disable()
    try:
        with _limit(seconds):
            start = clock()
            answers = [ask() for _ in range(calls)]
            taken = (clock() - start) / calls
    except _ExpiredError:
        return Verdict(status=Status.FAILED, text=f"over {seconds:.3g} s"), clock() - start
    except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
        what = " ".join(str(error).split()) or "no message"
        text = f"raises: {type(error).__name__}: {what}"
        return Verdict(status=Status.FAILED, text=text), clock() - start
    finally:
        gc.enable()
    verdicts = [check(answer) for answer in answers]
    return next((v for v in verdicts if not v.counts), verdicts[-1]), taken


def _begin(
    ask: Callable[[], Given], check: Judge[Given], rounds: int, share: float, clock: Clock
) -> Outcome:
    """The first calls: they settle the verdict, and how often a call may be repeated."""
    fastest, spent, outcome = math.inf, 0.0, Outcome(verdict=Verdict(status=Status.FAILED))
    for _ in range(WARM_UP_CALLS):
        outcome.verdict, taken = _sample(ask, check, 1, share, clock)
        fastest, spent = min(fastest, taken), spent + taken
        if not outcome.verdict.counts or spent > WARM_UP:
            break
    if outcome.verdict.counts:
        outcome.calls = max(1, min(MAX_CALLS, math.ceil(SAMPLE / max(fastest, 1e-9))))
        outcome.pairs = min(
            rounds // 2, int((share - spent) / (2 * outcome.calls * max(fastest, 1e-9)))
        )
    if outcome.pairs == 0:
        outcome.samples.append(fastest)  # too slow for a pair of rounds, or not worth one
    return outcome


def due(turn: int, rounds: int, pairs: int) -> bool:
    """Whether a library with `pairs` pairs of rounds takes part: in both of a pair or in neither.

    The pairs are spread evenly, and both orders occur equally often for every library.
    """
    of = rounds // 2
    return turn // 2 in {pair * of // pairs for pair in range(pairs)}


def race(
    asks: Mapping[str, Callable[[], Given]],
    check: Judge[Given],
    *,
    rounds: int = 10,
    cap: float = 90.0,
    clock: Clock = perf_counter,
) -> dict[str, Outcome]:
    """Interleaved rounds; the order flips every round, so that drift favours nobody.

    Each library gets an equal share of `cap` [s]: a call that exceeds it is broken off, and as
    many rounds as fit are spread over the race.
    """
    if rounds <= 0 or rounds % 2:
        raise ValueError(f"rounds must be even and >= 2, got {rounds}")
    share = cap / max(1, len(asks))
    outcomes = {name: _begin(ask, check, rounds, share, clock) for name, ask in asks.items()}
    for turn in range(rounds):
        names: Sequence[str] = [name for name in asks if due(turn, rounds, outcomes[name].pairs)]
        for name in names[:: 1 if turn % 2 == 0 else -1]:
            outcome = outcomes[name]
            if outcome.verdict.counts:
                outcome.verdict, taken = _sample(asks[name], check, outcome.calls, share, clock)
                outcome.samples.append(taken)
    return outcomes
