# SPDX-License-Identifier: Apache-2.0
"""Composition theorems that are a line of algebra."""

import math
from typing import NamedTuple

from hockeystick import _checks
from hockeystick._words import spoken


class Guarantee(NamedTuple):
    """The guarantee of (epsilon, delta)-DP."""

    epsilon: float
    """Epsilon, in nats."""
    delta: float
    """The probability that epsilon does not cover."""


@spoken
def basic_composition(*, epsilon: float, count: int, delta: float = 0.0) -> Guarantee:
    """The guarantees of `count` mechanisms that are (epsilon, delta)-DP each, added up.

    Args:
        epsilon: Of each mechanism, in [0, 1e4] nats.
        count: How many mechanisms run, at most 1e9. Each may depend on earlier outputs.
        delta: Of each mechanism, in [0, 1].

    Returns:
        ``count * epsilon`` and ``count * delta``, at most 1; evaluated in binary64, rounding not
        counted.

    Raises:
        ValueError: An argument is out of range.
        TypeError: An argument has the wrong type.

    Source: Dwork & Roth (2014), Theorem 3.16.

    >>> basic_composition(epsilon=0.5, delta=0.001, count=4)
    Guarantee(epsilon=2.0, delta=0.004)
    """
    step, times = checked(epsilon, delta, count)
    return Guarantee(times * step.epsilon, min(times * step.delta, 1.0))


@spoken
def advanced_composition(
    *, epsilon: float, count: int, delta_slack: float, delta: float = 0.0
) -> Guarantee:
    """The guarantee of `count` mechanisms by the advanced composition theorem.

    The total epsilon grows like sqrt(count), for a failure probability `delta_slack` on top. Worse
    than basic composition when epsilon or count is such that ``count * epsilon**2`` is large; the
    smaller of the two is not taken here.

    Arguments and errors as of ``basic_composition``; `delta_slack` is d, in (0, 1).

    Returns:
        ``epsilon sqrt(2 count log(1/d)) + count epsilon (e^epsilon - 1)`` and ``count delta + d``,
        at most 1; evaluated in binary64, rounding not counted.

    Source: Dwork, Rothblum & Vadhan (2010); in this form, Dwork & Roth (2014), Theorem 3.20.

    >>> round(advanced_composition(epsilon=0.01, count=10_000, delta_slack=1e-6).epsilon, 6)
    6.261538
    """
    step, times = checked(epsilon, delta, count)
    slack = _checks.open_unit("delta_slack", delta_slack)
    drift = times * step.epsilon * _expm1(step.epsilon) if times else 0.0
    total = step.epsilon * math.sqrt(-2 * times * math.log(slack)) + drift
    return Guarantee(total, min(times * step.delta + slack, 1.0))


@spoken
def simplified_optimal_composition(
    *, epsilon: float, count: int, delta_slack: float, delta: float = 0.0
) -> Guarantee:
    """The guarantee of `count` mechanisms by the closed form that bounds optimal composition.

    Its epsilon is never above that of basic or of advanced composition; optimal composition itself
    is ``optimal_composition_epsilon``.

    Arguments and errors as of ``basic_composition``; `delta_slack` is d, in (0, 1).

    Returns:
        The least of ``count epsilon``, ``m + epsilon sqrt(2 count log(1/d))`` and
        ``m + epsilon sqrt(2 count log(e + epsilon sqrt(count) / d))``, where
        ``m = count epsilon tanh(epsilon / 2)``, and ``1 - (1 - delta)^count (1 - d)``; evaluated in
        binary64, rounding not counted.

    Source: Kairouz, Oh & Viswanath (2015), Theorem 3.4.

    >>> total = simplified_optimal_composition(epsilon=0.01, count=10_000, delta_slack=1e-6)
    >>> round(total.epsilon, 6)
    5.756518
    """
    step, times = checked(epsilon, delta, count)
    slack = _checks.open_unit("delta_slack", delta_slack)
    mean = times * step.epsilon * math.tanh(step.epsilon / 2)
    # log(e + x/d) with x/d kept in range: d may be subnormal.
    scaled = math.log(math.e * slack + step.epsilon * math.sqrt(times)) - math.log(slack)
    logarithm = min(-math.log(slack), scaled)
    total = min(times * step.epsilon, mean + step.epsilon * math.sqrt(2 * times * logarithm))
    failure = -math.expm1(log_hidden(step.delta, times) + math.log1p(-slack))
    return Guarantee(total, failure)


def checked(epsilon: object, delta: object, count: object) -> tuple[Guarantee, int]:
    """The guarantee of each mechanism, and how many there are."""
    bounded = _checks.within("epsilon", epsilon, 0, _checks.MAX_EPSILON)
    return Guarantee(bounded, _checks.probability("delta", delta)), _checks.count(count)


def log_hidden(delta: float, count: int) -> float:
    """log of (1 - delta)^count, the probability that nothing is revealed outright."""
    if count == 0:
        return 0.0
    return count * math.log1p(-delta) if delta < 1 else -math.inf


def _expm1(epsilon: float) -> float:
    try:
        return math.expm1(epsilon)
    except OverflowError:
        return math.inf
