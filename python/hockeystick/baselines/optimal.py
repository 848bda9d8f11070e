# SPDX-License-Identifier: Apache-2.0
"""Optimal composition of equal guarantees: the best that epsilon, delta and the count can tell.

Among all (epsilon, delta)-DP mechanisms, the worst reveals the data with probability delta, and
else answers a yes-no question truthfully with probability e^epsilon / (1 + e^epsilon). It is the
pair of ``ApproximateDP``, whose composition the core encloses (Kairouz, Oh & Viswanath 2015).
"""

from typing import Any

from hockeystick import _checks
from hockeystick._words import spoken
from hockeystick.baselines.closed_forms import checked
from hockeystick.bounds import Array, Value
from hockeystick.composition import Composition
from hockeystick.errors import best_bounds
from hockeystick.mechanisms import ApproximateDP

_CLOSE = 1e-5  # to which tolerance the core answers in a millisecond, whatever the count


@spoken
def optimal_composition_delta(
    *, epsilon: float, count: int, target_epsilon: Value | Array, delta: float = 0.0
) -> Value:
    """Smallest delta of every composition of `count` mechanisms that are (epsilon, delta)-DP each.

    Of every real `target_epsilon`, not only of multiples of epsilon: it is the hockey-stick
    divergence of the composed worst mechanism, and that mechanism is itself allowed.

    Args:
        epsilon: Of each mechanism, in [0, 1e4] nats.
        count: How many mechanisms run, at most 1e9. Each may depend on earlier outputs.
        target_epsilon: Of the composition, in [0, 1e4] nats, scalar or any shape.
        delta: Of each mechanism, in [0, 1].

    Returns:
        A certified upper bound, rounding included: a float, or an array shaped like
        `target_epsilon`. It exceeds the exact delta by at most 1e-5 of it if `epsilon` is 0 or at
        least 1e-13, or by what ``Composition.delta_bounds`` says of the rounding next to the
        largest loss.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Cost: a millisecond for each target. Source: Kairouz, Oh & Viswanath (2015), Theorem 3.3.

    >>> delta = optimal_composition_delta(epsilon=0.5, count=1, target_epsilon=0.0)
    >>> round(delta, 12)  # tanh(1/4)
    0.244918662404
    """
    targets = _checks.epsilon_array(target_epsilon, name="target_epsilon")
    run = _composed(epsilon, delta, count)
    found: Any = best_bounds(run.delta_bounds, targets, tolerance=_CLOSE, smallest=0.0)
    return found.upper  # type: ignore[no-any-return]


@spoken
def optimal_composition_epsilon(
    *, epsilon: float, count: int, target_delta: Value | Array, delta: float = 0.0
) -> Value:
    """Smallest epsilon of every composition of `count` mechanisms, (epsilon, delta)-DP each.

    Arguments and errors as of ``optimal_composition_delta``; `target_delta` is that of the
    composition, in [0, 1), scalar or any shape.

    Returns:
        A certified upper bound, rounding included, in nats: a float, or an array shaped like
        `target_delta`; inf where it is below ``1 - (1 - delta)^count``. It exceeds the exact
        epsilon by at most 1e-5 of it.

    Cost and source: as of ``optimal_composition_delta``.

    >>> round(optimal_composition_epsilon(epsilon=0.01, count=10_000, target_delta=1e-6), 6)
    4.885516
    """
    targets = _checks.delta_array(target_delta, name="target_delta")
    run = _composed(epsilon, delta, count)
    found: Any = best_bounds(run.epsilon_bounds, targets, tolerance=_CLOSE)
    return found.upper  # type: ignore[no-any-return]


def _composed(epsilon: float, delta: float, count: int) -> Composition:
    step, times = checked(epsilon, delta, count)
    return times * ApproximateDP(step.epsilon, step.delta)
