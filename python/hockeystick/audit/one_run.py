# SPDX-License-Identifier: Apache-2.0
"""Audits of one run with many canaries."""

import numpy as np
import numpy.typing as npt

from hockeystick import _checks, _core
from hockeystick._words import spoken
from hockeystick.accountant.ledger import Ledger
from hockeystick.accountant.questions import run_and_adjacency
from hockeystick.adjacency import Adjacency, AdjacencyLike
from hockeystick.audit._level import MOST_TRIALS, level_of
from hockeystick.composition import Composable

_POINTS = 512  # points of a run's curve; the hull of its lines is within 1e-4 of it
_FAR = 1e-13  # the curve is examined down to this delta


@spoken
def one_run_p_value(
    *, canaries: int, guesses: int, correct: int, epsilon: float, delta: float
) -> float:
    """The largest probability of that number of right guesses under (epsilon, delta)-DP.

    Arguments as of ``one_run_epsilon_lower``; `epsilon` in [0, 700].

    >>> 0.0730 < one_run_p_value(canaries=1000, guesses=100, correct=80, epsilon=1, delta=1e-5)
    True
    """
    run = _one_run(canaries, guesses, correct)
    claimed = _checks.within("epsilon", epsilon, 0, 700)
    return _core.one_run_p_value(*run, claimed, _checks.delta(delta))


@spoken
def one_run_epsilon_lower(
    *, canaries: int, guesses: int, correct: int, delta: float, confidence: float = 0.95
) -> float:
    """A lower bound of epsilon from one run with many canaries.

    Each canary was included with probability 1/2, independently of the others and of everything
    else; a guess says of one canary whether it was in. The claim is (epsilon, delta)-DP for each
    canary. This rests on a published theorem, which is not derived anew in the manual; what is
    certified here is its evaluation.

    Args:
        canaries: m, all that were drawn, in [1, 1e9].
        guesses: How many of them were guessed; the attack abstained from the others.
        correct: How many guesses were right.
        delta: In [0, 1).
        confidence: In (0, 1).

    Returns:
        The largest epsilon [nats] found for which `correct` right guesses or more have a
        probability below 1 - confidence; 0 if there is none.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type, or a count is not whole.

    Source: Steinke, Nasr & Jagielski (2023), Privacy auditing with one (1) training run, Theorem
    5.2.

    >>> round(one_run_epsilon_lower(canaries=1000, guesses=100, correct=95, delta=0), 4)
    2.1724
    """
    run = _one_run(canaries, guesses, correct)
    return _core.one_run_epsilon(*run, _checks.delta(delta), level_of(confidence))


@spoken
def one_run_refutes(
    run: Composable | Ledger,
    *,
    canaries: int,
    guesses: int,
    correct: int,
    confidence: float = 0.95,
    adjacency: AdjacencyLike | None = None,
) -> bool:
    """Whether one run with many canaries refutes that it is the run that was accounted for.

    By the whole certified curve of the claim, which refutes more than an epsilon at one delta. The
    curve is the concave hull of both directions' power curves: the hull of their maximum, and not
    the one of a single direction, which would refute honest runs whose directions differ. Where the
    published procedure takes a Gaussian in place of the claimed run, this takes the run itself.

    Args:
        run: What is claimed: a mechanism, a composition or an ``Accountant``.
        canaries: As of ``one_run_epsilon_lower``, and so on.
        guesses: Likewise.
        correct: Likewise.
        confidence: In (0, 1).
        adjacency: Which datasets are neighbours; that of an accountant is its own.

    Raises:
        ValueError: An argument is out of range, or the run is not defined for `adjacency`.
        TypeError: An argument has the wrong type.

    Cost: some hundred deltas of the run. Rests on a published theorem, as
    ``one_run_epsilon_lower``. Source: Mahloujifar, Melis & Chaudhuri (2024), Auditing
    f-differential privacy in one run.

    >>> import hockeystick as hs
    >>> seen = {"canaries": 1000, "guesses": 100, "correct": 95}
    >>> one_run_refutes(hs.Gaussian(2.0), **seen), one_run_refutes(hs.Gaussian(0.2), **seen)
    (True, False)
    """
    known, under = run_and_adjacency("run", run, adjacency)
    counted = _one_run(canaries, guesses, correct)
    level = level_of(confidence)
    both = under.symmetric
    epsilons = _losses(known, both)
    deltas = known.delta(epsilons, adjacency=both, tolerance=_CLOSE, smallest=_FAR)
    return _core.one_run_refutes(*counted, epsilons, deltas, level)


_CLOSE = 1e-3


def _losses(run: Composable, adjacency: Adjacency) -> npt.NDArray[np.float64]:
    """The losses at which the curve is evaluated: evenly, up to where it is next to 0."""
    far = run.epsilon_bounds(_FAR, adjacency=adjacency, tolerance=0.1).upper
    return np.linspace(0.0, min(far, 700.0) if far > 0 else 1.0, _POINTS)


def _one_run(canaries: int, guesses: int, correct: int) -> tuple[int, int, int]:
    m = _checks.whole("canaries", canaries, 1, MOST_TRIALS)
    r = _checks.whole("guesses", guesses, 1, m)
    return m, r, _checks.whole("correct", correct, 0, r)
