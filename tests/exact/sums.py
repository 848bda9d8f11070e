# SPDX-License-Identifier: Apache-2.0
"""P(L > epsilon) of a composition, by listing every sum of losses, in ball arithmetic."""

import itertools
import math
from collections.abc import Sequence

from flint import acb, arb, ctx

from hockeystick.verify.atoms import product
from hockeystick.verify.outcomes import multinomial

BITS = 200
Law = Sequence[tuple[arb, arb]]  # losses with their P-masses, the rest of the mass at +inf


def sums(terms: Sequence[tuple[int, Law]]) -> Sequence[tuple[arb, arb]]:
    """Every sum of losses of `count` steps of each law, and its mass."""
    return product([list(multinomial(law, count)) for count, law in terms])


def tail(terms: Sequence[tuple[int, Law]], epsilon: arb, *, with_equal: bool = False) -> arb:
    """P(L > epsilon), or P(L >= epsilon) where a sum's ball holds epsilon."""
    with ctx.workprec(max(BITS, ctx.prec)):
        finite = math.prod(
            (sum((p for _, p in law), arb(0)) ** n for n, law in terms), start=arb(1)
        )
        total = 1 - finite
        for loss, mass in sums(terms):
            if loss > epsilon or (with_equal and not loss < epsilon):
                total += mass
        return total


def laplace_tail(m: arb, count: int, epsilon: arb) -> arb:
    """P(L > epsilon) of `count` Laplace mechanisms of noise multiplier 1 / m.

    A step's loss is m with mass 1/2, -m with e^-m / 2, and else has density e^((l - m) / 2) / 4
    in between: k such losses have a polynomial spline for a density, times e^((s - k m) / 2).
    """
    with ctx.workprec(BITS):
        total = arb(0)
        for high, low in itertools.product(range(count + 1), repeat=2):
            k = count - high - low
            if k < 0:
                continue
            ways = math.factorial(count) // math.prod(map(math.factorial, (high, low, k)))
            weight = ways * arb(0.5) ** high * ((-m).exp() / 2) ** low
            rest = epsilon - (high - low) * m
            total += weight * (_spline_tail(m, k, rest) if k else arb(int(rest < 0)))
        return total


def _spline_tail(m: arb, k: int, x: arb) -> arb:
    """The mass beyond x of k losses in (-m, m)."""
    total = arb(0)
    for i in range(k):
        left, right = (2 * i - k) * m, (2 * i + 2 - k) * m
        if right <= x:
            continue
        left = max(left, x)

        def density(s: acb, _: bool, i: int = i) -> acb:  # noqa: FBT001
            spline = sum(
                (
                    (-1) ** j * math.comb(k, j) * (s + (k - 2 * j) * m) ** (k - 1)
                    for j in range(i + 1)
                ),
                acb(0),
            )
            return spline * ((s - k * m) / 2).exp() / (math.factorial(k - 1) * 4**k)

        total += acb.integral(density, acb(left), acb(right), rel_tol=arb(2) ** -80).real
    return total
