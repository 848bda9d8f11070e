# SPDX-License-Identifier: Apache-2.0
"""Helpers for arb balls: adaptive precision, certain comparison, root search."""

from collections.abc import Callable

from flint import arb, ctx

MAX_BITS = 1 << 15
FARTHEST_DOWN = arb(2) ** -4000


def normal_tail(x: arb) -> arb:
    """P(N(0, 1) > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def at_accuracy(evaluate: Callable[[], arb], bits: int = 160) -> arb:
    """`evaluate()` at a working precision that leaves `bits` correct bits.

    Or a ball that lies within FARTHEST_DOWN of zero: no double is that small.
    """
    precision = 2 * bits
    while precision <= MAX_BITS:
        with ctx.workprec(precision):
            value = evaluate()
            if abs(value) < FARTHEST_DOWN or value.rel_accuracy_bits() >= bits:
                return value
        precision *= 2
    raise ArithmeticError(f"no {bits} correct bits at {MAX_BITS} bits of working precision")


def between(low: arb, high: arb) -> arb:
    """The ball that holds both, each with its own radius."""
    return low.union(high)


def crossing(delta_at: Callable[[arb], arb], target: arb, bits: int = 140) -> arb:
    """A ball that holds inf{x >= 0: delta_at(x) <= target}, by bisection; delta_at falls.

    Each half is chosen by a comparison of balls that is certain, so the ball is a proof when
    `delta_at` is one. Needs delta_at(x) > target nowhere on a tail, i.e. no mass at infinity.
    """
    with ctx.workprec(2 * bits):
        if delta_at(arb(0)) <= target:
            return arb(0)
        low, high = arb(0), arb(1)
        while not delta_at(high) <= target:
            low, high = high, high * 2
        while not (high - low) < high * arb(2) ** -bits:
            middle = ((low + high) / 2).mid()
            value = delta_at(middle)
            if value <= target:
                high = middle
            elif value > target:
                low = middle
            else:
                break  # the ball of delta_at straddles the target: no more digits to be had
        return between(low, high)
