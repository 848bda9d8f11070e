# SPDX-License-Identifier: Apache-2.0
"""Audits of independent runs: one guess from each."""

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core, outward
from hockeystick._array_like import ArrayLike
from hockeystick._words import spoken
from hockeystick.accountant.ledger import Ledger
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.audit._level import MOST_TRIALS, level_of
from hockeystick.bounds import Array, Bounds, Value
from hockeystick.composition import Composable
from hockeystick.limits import ProbabilityOptions


@spoken
def rate_bounds(successes: int, trials: int, confidence: float = 0.95) -> Bounds[float]:
    """Clopper and Pearson's interval for a rate: certainly no narrower than the exact one.

    Args:
        successes: In [0, trials].
        trials: Independent ones, in [1, 1e9].
        confidence: In (0, 1): either end fails with probability (1 - confidence) / 2 at most.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or a count is not whole.

    Cost: of 1e9 trials some ten milliseconds.
    Source: Clopper & Pearson (1934).

    >>> lower, upper = rate_bounds(0, 1000)
    >>> lower, 0.00368 < upper < 0.00369
    (0.0, True)
    """
    n = _checks.whole("trials", trials, 1, MOST_TRIALS)
    k = _checks.whole("successes", successes, 0, n)
    return Bounds(*_core.rate_limits(k, n, level_of(confidence) / 2))


@spoken
def epsilon_lower(
    *,
    true_positives: int,
    false_negatives: int,
    false_positives: int,
    true_negatives: int,
    delta: float,
    confidence: float = 0.95,
) -> float:
    """A lower bound of epsilon from independent attacks, each on a run of its own.

    With t at most the true positive rate and f at least the false positive rate, both with
    probability `confidence`, epsilon is at least log((t - delta) / f) and log((1 - f - delta) /
    (1 - t)). The first is of a removed record, the second of an added one: the larger bounds the
    epsilon of both. An attack that is right less often than not is not turned round: it gives 0.

    Args:
        true_positives: Runs with the record of which the attack says so.
        false_negatives: Runs with the record of which it does not.
        false_positives: Runs without the record of which it says that it is there.
        true_negatives: Runs without the record of which it does not; at most 1e9 runs of each kind.
        delta: Of the claim, in [0, 1).
        confidence: In (0, 1).

    Returns:
        Such an epsilon [nats], or 0.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or a count is not whole.

    Source: Jagielski, Ullman & Oprea (2020); Nasr et al. (2021).

    >>> found = {"true_positives": 900, "false_negatives": 100}
    >>> found |= {"false_positives": 50, "true_negatives": 950}
    >>> round(epsilon_lower(**found, delta=1e-5), 4)
    2.5992
    """
    _, alarm, miss = _rates(
        (true_positives, false_negatives, false_positives, true_negatives), level_of(confidence)
    )
    return _core.audited_epsilon(alarm, miss, _checks.delta(delta))


@spoken
def mu_lower(
    *,
    true_positives: int,
    false_negatives: int,
    false_positives: int,
    true_negatives: int,
    confidence: float = 0.95,
) -> float:
    """A lower bound of mu of Gaussian DP from independent attacks; see ``epsilon_lower``.

    Phi^-1(t) - Phi^-1(f), or 0. Source: Nasr et al. (2023), Tight auditing of DP-SGD.

    >>> found = {"true_positives": 900, "false_negatives": 100}
    >>> found |= {"false_positives": 50, "true_negatives": 950}
    >>> round(mu_lower(**found), 4)
    2.6846
    """
    _, alarm, miss = _rates(
        (true_positives, false_negatives, false_positives, true_negatives), level_of(confidence)
    )
    return _core.audited_mu(alarm, miss)


@spoken
def refutes(
    run: Composable | Ledger,
    *,
    true_positives: int,
    false_negatives: int,
    false_positives: int,
    true_negatives: int,
    confidence: float = 0.95,
    adjacency: AdjacencyLike | None = None,
) -> bool:
    """Whether independent attacks refute that a mechanism is the one that was accounted for.

    True if no test of the run's certified curve has a true positive rate and a false positive rate
    between the ends that the counts leave. So a program that clips too little, or adds less noise
    than is said, is found out at this confidence; of an honest one it is True with probability 1 -
    confidence at most.

    Args:
        run: What is claimed: a mechanism, a composition or an ``Accountant``.
        true_positives: As of ``epsilon_lower``, and so on.
        false_negatives: Likewise.
        false_positives: Likewise.
        true_negatives: Likewise.
        confidence: In (0, 1).
        adjacency: Which datasets are neighbours; that of an accountant is its own.

    Raises:
        ValueError: An argument is out of range, or the run is not defined for `adjacency`.
        TypeError: An argument has the wrong type.
        CertificationError: The power of the best test is out of reach.

    >>> import hockeystick as hs
    >>> found = {"true_positives": 900, "false_negatives": 100}
    >>> found |= {"false_positives": 50, "true_negatives": 950}
    >>> refutes(hs.Gaussian(0.5), **found), refutes(hs.Gaussian(0.3), **found)
    (True, False)
    """
    known, under = run_and_adjacency("run", run, adjacency)
    rate, alarm, miss = _rates(
        (true_positives, false_negatives, false_positives, true_negatives), level_of(confidence)
    )
    # "Positive" says that the record is there: the test of one direction. Where that is not claimed
    # it is "negative", which is right where there is no record, and wrong where there is one.
    if under is Adjacency.ADD_ONE:
        rate, alarm = outward.difference(1.0, alarm, above=False), miss
    one = Adjacency.REMOVE_ONE if under is Adjacency.ADD_OR_REMOVE_ONE else under
    return rate > known.true_positive_rate(alarm, adjacency=one)


@spoken
def counts(inside: ArrayLike, outside: ArrayLike, *, threshold: float) -> dict[str, int]:
    """The four counts of scores at a threshold that was fixed before they were seen.

    Args:
        inside: Scores of runs with the record, larger where it seems to be there; any shape.
        outside: Scores of runs without it.
        threshold: From which on a score says that the record is there; finite.

    Returns:
        The keywords of ``epsilon_lower``, ``mu_lower`` and ``refutes``.

    Raises:
        ValueError: A score is not finite, or there is none of a kind.
        TypeError: Scores are no numbers.

    >>> counts([0.9, 0.4, 0.8], [0.1, 0.7], threshold=0.5)  # doctest: +NORMALIZE_WHITESPACE
    {'true_positives': 2, 'false_negatives': 1, 'false_positives': 1, 'true_negatives': 1}
    """
    at = _checks.real("threshold", threshold)
    if not math.isfinite(at):
        raise ValueError(f"threshold must be finite, got {threshold!r}")
    with_it, without = _scores("inside", inside), _scores("outside", outside)
    hits, alarms = int((with_it >= at).sum()), int((without >= at).sum())
    return {
        "true_positives": hits,
        "false_negatives": with_it.size - hits,
        "false_positives": alarms,
        "true_negatives": without.size - alarms,
    }


@spoken
def epsilon_lower_of_scores(
    inside: ArrayLike,
    outside: ArrayLike,
    *,
    thresholds: Sequence[float],
    delta: float,
    confidence: float = 0.95,
) -> float:
    """The best lower bound of epsilon over thresholds that were named before scores were seen.

    Each is asked at the confidence 1 - (1 - confidence) / len(thresholds), so that all hold at
    once. A list that depends on the scores, as "all scores there are", gives no bound.

    Args:
        inside: Scores of independent runs with the record, larger where it seems to be there.
        outside: Scores of independent runs without it.
        thresholds: 1 to 10000 finite numbers, fixed in advance.
        delta: In [0, 1).
        confidence: In (0, 1).

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    >>> epsilon_lower_of_scores([0.1, 0.2], [0.1, 0.2], thresholds=[0.0, 0.15], delta=0)
    0.0
    """
    fixed = _checks.vector("thresholds", thresholds, "a finite number", math.isfinite, 10_000)
    level = outward.quotient(level_of(confidence), len(fixed), above=False)
    at = _checks.delta(delta)
    best = 0.0
    for threshold in fixed:
        found = counts(inside, outside, threshold=threshold)
        _, alarm, miss = _rates(tuple(found.values()), level)
        best = max(best, _core.audited_epsilon(alarm, miss, at))
    return best


@spoken
def reconstruction_risk(
    run: Composable | Ledger, baseline: Value | Array, **options: Unpack[ProbabilityOptions]
) -> Value:
    """An upper bound of how often an attack reconstructs a record: ``run.reconstruction_risk``.

    >>> import hockeystick as hs
    >>> round(reconstruction_risk(hs.Gaussian(1.0), 0.01), 4)
    0.0924
    """
    given: dict[str, Any] = dict(options)
    known, under = run_and_adjacency("run", run, given.pop("adjacency", None))
    return known.reconstruction_risk(baseline, adjacency=under, **given)


def _rates(four: tuple[int, ...], level: float) -> tuple[float, float, float]:
    names = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    whole = [
        _checks.whole(name, value, 0, MOST_TRIALS) for name, value in zip(names, four, strict=True)
    ]
    for k in (0, 2):
        if not 1 <= whole[k] + whole[k + 1] <= MOST_TRIALS:
            raise ValueError(
                f"{names[k]} + {names[k + 1]} must be in [1, {MOST_TRIALS}], got "
                f"{whole[k] + whole[k + 1]}"
            )
    with_it, missed, alarms, without = whole
    return _core.attack_rates(with_it, missed, alarms, without, level)


def _scores(name: str, values: ArrayLike) -> npt.NDArray[np.float64]:
    scores = _checks.array("finite", np.isfinite, values, name=name)
    if not scores.size:
        raise ValueError(f"{name} must hold at least one score, got none")
    return scores
