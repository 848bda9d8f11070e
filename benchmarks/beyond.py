# SPDX-License-Identifier: Apache-2.0
"""Groups, tuning, matrices, trees, audits and the shuffle model, beside libraries that have them.

python benchmarks/beyond.py [--write]

A row for each question: what is certified here, what the other library says, and the CPU seconds of
both. Libraries that are not installed are left out. With --write the table is put into
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import binom

import hockeystick as hs
from hockeystick.audit import one_run_epsilon_lower
from report import seconds
from shuffled import put

README = Path(__file__).parent / "README.md"
DELTA = 1e-6
COUNTS = {"canaries": 1000, "guesses": 100, "correct": 95}
STEP = hs.Gaussian(1.0).poisson_sampled(0.01)
ROOT = [1.0]
for _t in range(1, 2048):
    ROOT.append(ROOT[-1] * (2 * _t - 1) / (2 * _t))
ADJACENCY = {"adjacency": "replace-one"}


def group_of_four() -> float:
    """By the mixture that a user would write."""
    import dp_accounting as dp  # noqa: PLC0415

    weights = [float(binom.pmf(k, 4, 0.01)) for k in range(5)]
    event = dp.dp_event.MixtureOfGaussiansDpEvent(1.0, range(5), weights)
    accountant = dp.pld.PLDAccountant()
    return float(accountant.compose(event, 1000).get_epsilon(DELTA))


def best_of_ten() -> float:
    """By Renyi divergences."""
    import dp_accounting as dp  # noqa: PLC0415

    step = dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0))
    event = dp.dp_event.RepeatAndSelectDpEvent(dp.SelfComposedDpEvent(step, 1000), 10.0, 1.0)
    return float(dp.rdp.RdpAccountant().compose(event).get_epsilon(DELTA))


def tree_of_epochs() -> float:
    """By Renyi divergences."""
    import dp_accounting as dp  # noqa: PLC0415

    relation = dp.NeighboringRelation.REPLACE_SPECIAL
    accountant = dp.rdp.RdpAccountant(neighboring_relation=relation)
    event = dp.dp_event.SingleEpochTreeAggregationDpEvent(20.0, 1000)
    return float(accountant.compose(event, 5).get_epsilon(DELTA))


def toeplitz() -> float:
    """In single precision, as it does by default."""
    from jax import numpy as jnp  # noqa: PLC0415
    from jax_privacy.matrix_factorization import toeplitz as peer  # noqa: PLC0415

    found: Any = peer.minsep_sensitivity_squared(jnp.array(ROOT), 512, 4)
    return math.sqrt(float(found))


def one_run() -> float:
    """To 1e-6."""
    from jax_privacy import auditing  # noqa: PLC0415

    audit: Any = auditing._epsilon_one_run  # noqa: SLF001, its public call draws guesses itself
    return float(audit(0.0, *COUNTS.values(), 0.05, 1e-5))


def clones() -> float:
    """The closed form of Feldman, McMillan & Talwar (2021), Theorem 3.1."""
    users, e = 10_000, math.e
    root = 8 * math.sqrt(e * math.log(4 / DELTA) / users)
    return math.log1p((e - 1) / (e + 1) * (root + 8 * e / users))


class Question(NamedTuple):
    """What is asked, here and there."""

    words: str
    here: Callable[[], tuple[float, float]]
    peer: str
    there: Callable[[], float]


def audited() -> tuple[float, float]:
    """The lower bound of an audit, which is one number."""
    found = one_run_epsilon_lower(**COUNTS, delta=1e-5)
    return found, found


RUN = hs.MatrixMechanism.toeplitz
QUESTIONS = (
    Question(
        "epsilon of a user with 4 records, 1000 steps of DP-SGD",
        lambda: (1000 * STEP).group(4).epsilon_bounds(DELTA),
        "dp_accounting, mixture",
        group_of_four,
    ),
    Question(
        "epsilon of the best of 10 runs of them, geometric",
        lambda: hs.best_of(1000 * STEP, runs="geometric", mean=10).epsilon_bounds(DELTA),
        "dp_accounting, Renyi",
        best_of_ten,
    ),
    Question(
        "epsilon of 5 trees of 1000 leaves, noise 20",
        lambda: hs.MatrixMechanism.tree(
            leaves=1000, noise_multiplier=20.0, restarts=5
        ).epsilon_bounds(DELTA),
        "dp_accounting, Renyi",
        tree_of_epochs,
    ),
    Question(
        "sensitivity of a square root of 2048 steps",
        lambda: RUN(
            ROOT, steps=2048, noise_multiplier=10.0, min_separation=512
        ).sensitivity_bounds(),
        "jax_privacy",
        toeplitz,
    ),
    Question("epsilon of an audit, 95 of 100 guesses right", audited, "jax_privacy", one_run),
    Question(
        "epsilon of 10,000 shuffled users, epsilon0 = 1",
        lambda: hs.ShuffledLocal(epsilon0=1.0, users=10_000).epsilon_bounds(DELTA, **ADJACENCY),
        "clones, closed form",
        clones,
    ),
)


def timed(call: Callable[[], Any]) -> tuple[Any, str]:
    """The answer, and the CPU seconds of a second call, or of the first if that took long."""
    for _ in range(2):
        start = time.process_time()
        answer = call()
        spent = time.process_time() - start
        if spent > 1:
            break
    return answer, seconds(max(spent, 1e-6))


def row(question: Question) -> str | None:
    """A line of the table; None where the other library is not there."""
    try:
        theirs, their_time = timed(question.there)
    except ImportError:
        return None
    (lower, upper), our_time = timed(question.here)
    ours = f"{lower:.9g}" if lower == upper else f"{lower:.9g} to {upper:.9g}"
    cells = (question.words, ours, our_time, question.peer, f"{theirs:.9g}", their_time)
    return f"| {' | '.join(cells)} |"


def table() -> list[str]:
    """All lines, head first."""
    head = "| question | here | time | beside it | its answer | time |"
    return [head, "|" + " --- |" * 6, *filter(None, map(row, QUESTIONS))]


def main() -> None:
    """Print the table, or write it into its page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into benchmarks/README.md")
    if parser.parse_args().write:
        put(README, "<!-- begin beyond -->", "<!-- end beyond -->", table())
    else:
        print("\n".join(table()))


if __name__ == "__main__":
    main()
