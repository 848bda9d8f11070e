# SPDX-License-Identifier: Apache-2.0
"""Compositions of the Laplace mechanism, by residues."""

import math

from flint import arb, arb_poly, ctx

from hockeystick.verify.balls import ZERO, between


def laplace_delta(m: arb, count: int, epsilon: arb) -> arb:
    """delta(epsilon) of `count` Laplace mechanisms of noise multiplier 1 / m, at any real epsilon.

    A loss has M(z) = ((z+1) e^(m z) + z e^(-m (z+1))) / (2z + 1). By the binomial theorem the
    integrand of the inversion is a sum over k of C(n, k) e^(-k m) e^(z x) R_k(z), with
    x = (n - 2k) m - epsilon and R_k = (z+1)^(n-k-1) z^(k-1) (2z+1)^(-n). Where x <= 0 the contour
    closes on the right, without poles; else the residues at -1/2, at 0 (k = 0) and -1 (k = n)
    count.
    """
    n = count
    with ctx.workprec(ctx.prec + 4 * n):
        if epsilon <= -n * m:
            return -epsilon.expm1()
        total = ZERO
        for k in range(n + 1):
            x = (n - 2 * k) * m - epsilon
            if x <= 0:
                break
            term = _residues(n, k, x)
            if not x > 0:  # the ball of x holds 0, on whose other side there is nothing
                term = between(ZERO, term)
            total += math.comb(n, k) * (-k * m).exp() * term
        return total


def _residues(n: int, k: int, x: arb) -> arb:
    """The sum of the residues of e^(z x) R_k(z); that at -1/2 in powers of w = z + 1/2."""
    total, power = ZERO, arb(1)
    coefficients = _around(n, k)
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
