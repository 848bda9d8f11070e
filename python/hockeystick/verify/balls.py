# SPDX-License-Identifier: Apache-2.0
"""Balls: normal tails, certain root search, and doubles and decimals that are rounded outward."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

ZERO = arb(0)
STEPS = 1000  # of a root search, at most
LONG = 10**5  # bits of a number written out
STEEP = 1e6  # nats: stands for the logarithm of nothing
Curve = Callable[[arb], arb]


def normal_tail(x: arb) -> arb:
    """P(N(0, 1) > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def ball_of(x: Fraction | fmpq) -> arb:
    """A ball that holds a fraction."""
    return arb(x if isinstance(x, fmpq) else fmpq(x.numerator, x.denominator))


def fraction(x: float) -> fmpq:
    """Exactly that double."""
    return fmpq(*x.as_integer_ratio())


def maximum(*balls: arb) -> arb:
    """The ball of the largest."""
    largest = balls[0]
    for ball in balls[1:]:
        largest = largest.max(ball)
    return largest


def enlarged(ball: arb, error: arb) -> arb:
    """The ball with `error` >= 0 to both sides."""
    return ball + arb(0, error.upper())


def between(low: arb, high: arb) -> arb:
    """A ball that holds everything from `low` to `high`."""
    return low.union(high)


def reverse(curve: Curve) -> Curve:
    """The curve of (Q, P) from that of (P, Q): it is 1 - alpha + alpha h(1 / alpha)."""
    return lambda epsilon: epsilon.exp() * curve(-epsilon) - epsilon.expm1()


def both_ways(forth: Curve, back: Curve) -> Curve:
    """A curve at any epsilon, from those of (P, Q) and of (Q, P) at epsilon >= 0."""
    behind = reverse(back)

    def curve(epsilon: arb) -> arb:
        if epsilon >= 0:
            return forth(epsilon)
        value = behind(epsilon)
        return value if epsilon < 0 else between(value, forth(epsilon))

    return curve


def digits_of(ball: arb) -> float:
    """How many decimal digits of the middle the radius leaves; inf of an exact ball."""
    if ball.is_exact():
        return math.inf
    if not ball.is_finite() or ball.contains(0):
        return 0.0
    with ctx.workprec(64):
        return float((abs(ball.mid()) / ball.rad()).log().mid()) / math.log(10)


def double_below(ball: arb) -> float:
    """The largest double that is certainly <= all of the ball, or one next to it."""
    with ctx.workprec(2200):
        end = ball.lower()
        x = float(end)
        while not arb(x) <= end:
            x = math.nextafter(x, -math.inf)
        return x


def double_above(ball: arb) -> float:
    """A double that is certainly >= all of the ball."""
    return -double_below(-ball)


def decimal(ball: arb, digits: int) -> tuple[str, str]:
    """Middle and radius in decimal; the radius counts what writing the middle took."""
    if not ball.is_finite():
        return ("inf", "0") if ball > 0 else ("nan", "inf")
    known = digits_of(ball)
    shown = digits if math.isinf(known) else min(digits, max(1, math.ceil(known))) + 1
    bits = max(2200, ctx.prec, 4 * shown + 200)
    with ctx.workprec(bits):
        middle = ball.mid().str(shown, radius=False)
        radius = abs(ball - arb(middle)).upper()
        # Reading the decimals back takes as much; where all of it is that, they are exact.
        if ball.is_exact() and radius < abs(ball) * arb(2) ** (100 - bits) and _is(middle, ball):
            return middle, "0"
    with ctx.workprec(64):
        return middle, (radius * arb(1.01)).upper().str(3, radius=False)


def _is(decimals: str, ball: arb) -> bool:
    """Whether an exact ball is exactly that number."""
    mantissa, exponent = map(int, ball.man_exp())
    return abs(exponent) < LONG and Fraction(decimals) == mantissa * Fraction(2) ** exponent


def falling_root(curve: Curve, target: arb, low: arb, high: arb, bits: int) -> arb:
    """A ball that holds inf{x in [low, high]: curve(x) <= target} of a falling curve.

    The curve must exceed the target somewhere in every neighbourhood of `low` from above, or low be
    the infimum, and be at most the target at `high`. A search among middles proposes the root;
    then each end is moved out until a comparison of balls is certain, so that the enclosure is a
    proof wherever the curve's balls are.
    """
    x = proposed(curve, target, low.mid(), high.mid(), bits)
    unsure = curve(x).rad() / target * abs(x) * arb(2) ** -8
    smallest = (abs(x) * arb(2) ** -bits + (high - low) * arb(2) ** (-2 * bits) + unsure).mid()
    left, step = low, smallest
    while (point := (x - step).mid()) > low:
        if curve(point) > target:
            left = point
            break
        step = (4 * step).mid()
    right, step = high, smallest
    while (point := (x + step).mid()) < high:
        if curve(point) <= target:
            right = point
            break
        step = (4 * step).mid()
    return between(left, right)


def proposed(curve: Curve, target: arb, low: arb, high: arb, bits: int) -> arb:
    """About the root: regula falsi (Illinois) on logarithms, halving where that is slow."""

    def excess(x: arb) -> arb:
        value = curve(x).mid()
        return (value / target).log().mid() if value > 0 else arb(-STEEP)

    above, below = excess(low), excess(high)
    side, x = 0, low
    for step in range(STEPS):
        if above <= 0:
            return low
        if below > 0 or not (high - low) > maximum(abs(high), abs(low)) * arb(2) ** -bits:
            return high
        before = x
        if step % 4 == 3 or below <= -STEEP:  # noqa: PLR2004
            x = ((low + high) / 2).mid()
        else:
            x = ((low * below - high * above) / (below - above)).mid()
            x = x if low < x < high else ((low + high) / 2).mid()
        if abs(x - before) < abs(x) * arb(2) ** -bits:
            return x
        value = excess(x)
        if value > 0:
            below = below / 2 if side > 0 and below > -STEEP else below
            low, above, side = x, value, 1
        else:
            above = above / 2 if side < 0 else above
            high, below, side = x, value, -1
    return x
