# SPDX-License-Identifier: Apache-2.0
"""Compositions of the Laplace mechanism, by residues."""

import math
from collections.abc import Sequence
from itertools import product

from flint import arb, arb_poly, ctx

from hockeystick.verify.balls import ZERO, between


def laplace_delta(parts: Sequence[tuple[arb, int]], epsilon: arb) -> arb:
    """delta(epsilon) of Laplace mechanisms of noise multipliers 1 / m, at any real epsilon.

    A loss has M(z) = ((z+1) e^(m z) + z e^(-m (z+1))) / (2z + 1). By the binomial theorem the
    integrand of the inversion is a sum over the numbers k_i of second terms: with k their sum, n
    that of the counts n_i, it is the product of the C(n_i, k_i) e^(-k_i m_i), times e^(z x) R_k(z),
    with x = sum of (n_i - 2 k_i) m_i - epsilon and R_k = (z+1)^(n-k-1) z^(k-1) (2z+1)^(-n). Where
    x <= 0 the contour closes on the right, without poles; else the residues at -1/2, at 0 (k = 0)
    and -1 (k = n) count.

    Args:
        parts: Each m, and how many mechanisms have it.
        epsilon: In nats.
    """
    n = sum(count for _, count in parts)
    with ctx.workprec(ctx.prec + 4 * n):
        if epsilon <= -sum((count * m for m, count in parts), ZERO):
            return -epsilon.expm1()
        around = [_around(n, k) for k in range(n + 1)]
        total = ZERO
        for ks in product(*(range(count + 1) for _, count in parts)):
            chosen = list(zip(parts, ks, strict=True))
            x = sum(((count - 2 * k) * m for (m, count), k in chosen), -epsilon)
            if x <= 0:
                continue
            k = sum(ks)
            term = _residues(n, k, x, around[k])
            if not x > 0:  # the ball of x holds 0, on whose other side there is nothing
                term = between(ZERO, term)
            weight = sum((-each * m for (m, _), each in chosen), ZERO).exp()
            total += (
                math.prod(math.comb(count, each) for (_, count), each in chosen) * weight * term
            )
        return total


def _residues(n: int, k: int, x: arb, coefficients: list[arb]) -> arb:
    """The sum of the residues of e^(z x) R_k(z); that at -1/2 in powers of w = z + 1/2."""
    total, power = ZERO, arb(1)
    for j in range(n):
        place = n - 1 - j
        if place < len(coefficients):
            total += coefficients[place] * power
        power *= x / (j + 1)
    total *= (-x / 2).exp() / arb(2) ** n
    if k == 0:
        total += 1
    if k == n:
        total -= (-x).exp()
    return total


def _around(n: int, k: int) -> list[arb]:
    """The first n coefficients of (w + 1/2)^(n-k-1) (w - 1/2)^(k-1)."""
    if 0 < k < n:
        return (arb_poly([0.5, 1]) ** (n - k - 1) * arb_poly([-0.5, 1]) ** (k - 1)).coeffs()
    sign = 1 if k == 0 else -1
    above = (arb_poly([sign * 0.5, 1]) ** (n - 1)).coeffs()
    quotient, last = [], ZERO  # by w - sign / 2
    for coefficient in above:
        last = 2 * sign * (last - coefficient)
        quotient.append(last)
    return quotient
