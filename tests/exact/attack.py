# SPDX-License-Identifier: Apache-2.0
"""The largest true positive rate ("power") of a test at a false positive rate, in balls."""

import math
from collections.abc import Callable, Sequence

from flint import arb, ctx
from scipy.stats import norm

from exact.balls import between, crossing, normal_tail
from exact.laws import Composed, listed
from exact.model import Direction, Step
from exact.pair import BITS, Pair


def normal_quantile(p: float) -> arb:
    """z with P(N(0, 1) > z) = p."""
    if p > 0.5:
        return -crossing(normal_tail, 1 - arb(p))
    return crossing(normal_tail, arb(p))


def gaussian_power(mu: arb, fpr: float) -> arb:
    """Power of a test of N(mu, 1) against N(0, 1): a closed form."""
    return normal_tail(normal_quantile(fpr) - mu)


def laplace_power(noise_multiplier: float, fpr: float) -> arb:
    """Power at a Laplace mechanism: a closed form."""
    end, rate = (-1 / arb(noise_multiplier)).exp(), arb(fpr)
    if rate < end / 2:
        return rate / end
    return 1 - end / (4 * rate) if rate < 0.5 else 1 - end * (1 - rate)


def power_of_atoms(composed: Composed, fpr: float) -> arb:
    """Neyman and Pearson: outcomes by decreasing loss until the false positives are used up."""
    finite = math.prod((1 - law.infinity_mass) ** n for law, n in composed)
    left, total = arb(fpr), 1 - finite
    for loss, p in sorted(listed(composed), key=lambda outcome: -float(outcome[0])):
        q = p * (-loss).exp()
        if q > left:
            return total + left * loss.exp()
        left, total = left - q, total + p
    return arb(1)


def needed_mu(composed: Composed, rate: float) -> float:
    """The smallest mu: errors x and y need z(x) + z(y), most at a vertex or where one is `rate`.

    In doubles, to about 1e-13.
    """
    fpr, missed = arb(0), math.prod((1 - law.infinity_mass) ** n for law, n in composed)
    points = [(fpr, missed)]
    for loss, p in sorted(listed(composed), key=lambda outcome: -float(outcome[0])):
        q, before = p * (-loss).exp(), fpr
        parts = (
            (rate - before) / q,
            (missed - rate) / p,
        )  # where an error is `rate` between vertices
        points += [(before + s * q, missed - s * p) for s in parts if 0 < s < 1]
        fpr, missed = fpr + q, missed - p
        points.append((fpr, missed))
    least = arb(rate)
    return max(
        (_quantile(x.max(least)) + _quantile(y.max(least)) for x, y in points if x < 1), default=0.0
    )


def _quantile(error: arb) -> float:
    """The upper normal quantile; what is left of 1 decides next to 1."""
    return float(norm.isf(float(error)) if error < 0.5 else -norm.isf(float(1 - error)))


def power_above(curve: Callable[[arb], arb], fpr: float, losses: Sequence[float]) -> arb:
    """The power is at most h(alpha) + alpha fpr, whatever alpha is: the least of these."""
    sums = [curve(arb(x)) + arb(x).exp() * arb(fpr) for x in losses]
    return min(sums, key=lambda value: float(value.log()))


def one_step_power(step: Step, direction: Direction, loss: float) -> tuple[float, arb]:
    """A false positive rate next above Q(L > loss), and the power there.

    At Q(L > loss) it is P(L > loss), and from there on it grows, along or below the tangent.
    """
    pair = Pair(step, direction)
    with ctx.workprec(2 * BITS):
        p = pair.p_above(arb(loss))
        rate = (p - pair.delta(arb(loss))) * (-arb(loss)).exp()
        fpr = math.nextafter(float(rate.upper()), 1.0)
        return fpr, between(p, p + arb(loss).exp() * (arb(fpr) - rate))
