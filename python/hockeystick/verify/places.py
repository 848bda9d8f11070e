# SPDX-License-Identifier: Apache-2.0
"""Random allocation of steps with finitely many outcomes: every outcome of an epoch is listed."""

import math
from collections.abc import Sequence

from flint import arb

from hockeystick.verify.balls import ZERO
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.outcomes import multinomial

MOST_OUTCOMES = 20_000
Masses = Sequence[tuple[arb, arb]]  # of the first and the second of a pair


def epoch(step: Masses, steps: int, *, back: bool) -> list[tuple[arb, arb]]:
    """The masses of an epoch of which a record joins one of `steps` steps, all outcomes listed.

    With the record, a place drawn uniformly holds an outcome of the first of the pair, and all
    others of the second. Without it, all hold outcomes of the second. Only how often each occurs
    counts, so that the likelihood ratio is the mean of the steps' ratios, and outcomes that are
    impossible without the record are together one. If `back`, the step's pair is that of a record
    that is added, and so is the epoch's.
    """
    if back:
        return [(p, q) for q, p in epoch([(q, p) for p, q in step], steps, back=False)]
    both = [(p, q) for p, q in step if not q.is_zero()]
    number = math.comb(steps + len(both) - 1, max(len(both) - 1, 0))
    if number > MOST_OUTCOMES:
        raise NotKnownError(f"an epoch has {number} outcomes, more than {MOST_OUTCOMES}")
    ratios = multinomial([(p / q / steps, q) for p, q in both], steps)
    made = [(mass * ratio, mass) for ratio, mass in ratios]
    return [*made, (sum((p for p, q in step if q.is_zero()), ZERO), ZERO)]
