# SPDX-License-Identifier: Apache-2.0
"""The hockey-stick curves of one release, from distribution functions.

Where the loss grows with x, delta(epsilon) = P(x > t) - e^epsilon Q(x > t) for the t with
L(t) = epsilon. The right side is largest there and flat, so that a ball around t costs nothing.
"""

from bisect import bisect_left

from flint import arb, ctx

from hockeystick.verify.balls import (
    ZERO,
    Curve,
    between,
    enlarged,
    falling_root,
    maximum,
    normal_tail,
    reverse,
)
from hockeystick.verify.laplace import laplace_delta
from hockeystick.verify.laws import Gaussian, Laplace, Law, Logistic, Mixed, MixedLaplace, Shifts

DOUBLINGS = 120  # of an x: losses that hardly grow reach epsilon far out


def gaussian(square: arb) -> Curve:
    """The curve of N(mu) against N(0), mu^2 = `square` > 0 (Balle & Wang 2018, Theorem 8)."""

    def curve(epsilon: arb) -> arb:
        mu = square.sqrt()
        a = epsilon / mu - mu / 2
        return normal_tail(a) - epsilon.exp() * normal_tail(a + mu)

    return curve


def drawn(law: Law) -> Curve | None:
    """The curve of one release of a public draw of pairs; None if one has none here."""
    curves = [(weight, _curve(pair)) for weight, pair in law]

    def curve(epsilon: arb) -> arb:
        return sum((weight * one(epsilon) for weight, one in curves if one), ZERO)

    return curve if all(one for _, one in curves) else None


def _curve(pair: object) -> Curve | None:
    match pair:
        case Gaussian(square):
            return gaussian(square)
        case Laplace(m):
            return lambda epsilon: laplace_delta([(m, 1)], epsilon)
        case Mixed():
            return lambda epsilon: _mixed(pair, epsilon)
        case MixedLaplace():
            return lambda epsilon: _mixed_laplace(pair, epsilon)
        case Logistic(m):
            return lambda epsilon: _logistic(m, epsilon)
    return None


def log_mixture(parts: Shifts, x: arb) -> arb:
    """log of the density of a mixture of normals N(s, 1) over that of N(0, 1)."""
    if len(parts) == 1:
        ((p, s),) = parts
        return p.log() + s * x - s * s / 2
    exponents = [s * x - s * s / 2 for _, s in parts]
    top = max(exponents, key=lambda exponent: float(exponent.mid()))
    terms = zip(parts, exponents, strict=True)
    return top + sum((p * (e - top).exp() for (p, _), e in terms), ZERO).log()


def _mixed(pair: Mixed, epsilon: arb) -> arb:
    """By the x where the loss is epsilon; where balls do not enclose it, by what is beyond them."""

    def falling(x: arb) -> arb:
        return (epsilon + log_mixture(pair.q, x) - log_mixture(pair.p, x)).exp()

    def above(x: arb) -> arb:
        p = sum((w * normal_tail(x - s) for w, s in pair.p), ZERO)
        return p - epsilon.exp() * sum((w * normal_tail(x - s) for w, s in pair.q), ZERO)

    def below(x: arb) -> arb:
        return sum((w * normal_tail(s - x) for w, s in pair.p), ZERO) + epsilon.exp() * sum(
            (w * normal_tail(s - x) for w, s in pair.q), ZERO
        )

    ends = [-(arb(2) ** k) for k in range(DOUBLINGS - 1, 1, -1)]
    ends += [-x for x in ends[::-1]]
    inside = bisect_left(ends, 1, key=lambda x: int(not falling(x) > 1))  # certainly
    beyond = bisect_left(ends, 1, key=lambda x: int(bool(falling(x) < 1)))
    low = ends[inside - 1] if inside > 0 else None
    high = ends[beyond] if beyond < len(ends) else None
    if high is None:  # the x may be anywhere from `low` on
        if low is None:
            return between(ZERO, arb(1))
        return between(ZERO, sum((w * normal_tail(low - s) for w, s in pair.p), ZERO))
    if low is None:  # or up to `high`
        return enlarged(-epsilon.expm1(), below(high))
    return maximum(ZERO, above(falling_root(falling, arb(1), low, high, ctx.prec - 20)))


def _mixed_laplace(pair: MixedLaplace, epsilon: arb) -> arb:
    """With u the loss of Lap(m) against Lap(0), mixed with weight 1 + rate (e^u - 1).

    No set of outcomes has more than delta, so that the largest of these three is delta.
    """
    p, q = _half_line(pair, epsilon)
    return maximum(ZERO, -epsilon.expm1(), p - epsilon.exp() * q)


def _half_line(pair: MixedLaplace, epsilon: arb) -> tuple[arb, arb]:
    """P and Q of losses above epsilon, if some are and some are not."""
    m, rate = pair.m, pair.rate
    odds = (epsilon if pair.removes else -epsilon).expm1() / rate + 1  # e^u at that loss
    u = maximum(-m, odds.log().min(m)) if odds > 0 else between(-m, m)
    if odds <= (-m).exp():
        u = -m
    p, q = 1 - ((u - m) / 2).exp() / 2, (-(u + m) / 2).exp() / 2  # of larger u
    if pair.removes:
        return rate * p + (1 - rate) * q, q
    return 1 - q, rate * (1 - p) + (1 - rate) * (1 - q)


def _logistic(m: arb, epsilon: arb) -> arb:
    """L(x) = log f(x - m) - log f(x) = epsilon at e^-x = v: (1 + v)^2 e^m = e^eps (1 + e^m v)^2."""
    if epsilon >= m:
        return ZERO
    if epsilon <= -m:
        return -epsilon.expm1()
    root = ((m - epsilon) / 2).exp()  # (1 + v) root = 1 + e^m v
    v = (root - 1) / (m.exp() - root)

    def tail(odds: arb) -> arb:  # P(x > t) at e^-t = odds
        return odds / (1 + odds)

    return tail(m.exp() * v) - epsilon.exp() * tail(v)


def sampled(rate: arb, curve: Curve, *, back: bool) -> Curve:
    """The curve of a run on a sample; `curve` is that of the run, where a record is removed.

    P' = (1 - q) Q + q P, so that h'(alpha) = q h((alpha - 1 + q) / q) where alpha > 1 - q.
    """

    def removed(epsilon: arb) -> arb:
        less = -epsilon.expm1()
        at = 1 - less / rate
        return maximum(less, rate * curve(at.log())) if at > 0 else less.max(ZERO)

    return reverse(removed) if back else removed
