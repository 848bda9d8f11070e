# SPDX-License-Identifier: Apache-2.0
"""M(z) of the Laplace mechanism on a Poisson subsample: two atoms and a Gauss-Legendre rule.

Let u be the loss of Lap(m) against Lap(0): -m and m with probabilities e^-m / 2 and 1 / 2 under P,
1 / 2 and e^-m / 2 under Q, and densities e^((u - m) / 2) / 4 and e^(-(u + m) / 2) / 4 between.
Mixing has the weight W(u) = 1 + r (e^u - 1), and the loss is log W(u), or the reverse.

The rule with k points is exact for polynomials up to degree 2k - 1. If abs(f) <= F on the ellipse
with foci +-1 and semiaxes that sum to rho, the Chebyshev coefficients of f are at most 2 F rho^-j,
so that f is within 2 F rho^-2k / (1 - 1 / rho) of such a polynomial, and the rule within 4 times
that: both it and the integral have weights that sum to 2.
"""

from functools import lru_cache

from flint import acb, arb, ctx

from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.errors import TooFarError
from hockeystick.verify.laws import MixedLaplace
from hockeystick.verify.strips import Rule

MOST_POINTS = 3000
WIDEST = 3.0  # imaginary part of u: below pi
ELLIPSES = (1.2, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 30.0, 100.0)


def rule(pair: MixedLaplace, c: arb, farthest: arb, nats: float) -> Rule:
    """Terms for z = c + i w, 0 <= w <= `farthest`, off by about e^-nats."""
    m, rate, removes = pair.m, pair.rate, pair.removes
    points, error = _points(pair, c, farthest, nats)
    rows = [(x * m, w * m * (-(x * m + m) / 2).exp() / 4) for x, w in _legendre(points, ctx.prec)]
    rows += [(-m, arb(0.5)), (m, (-m).exp() / 2)]
    terms = []
    for u, q in rows:
        weight = 1 + rate * u.expm1()
        loss = weight.log() if removes else -weight.log()
        terms.append((acb((q * weight if removes else q) * (c * loss).exp()), acb(loss)))
    return Rule(terms, error)


def _points(pair: MixedLaplace, c: arb, farthest: arb, nats: float) -> tuple[int, arb]:
    """How many points serve on the best of some ellipses, and the error."""
    best = (MOST_POINTS + 1, ZERO)
    for rho in map(arb, ELLIPSES):
        highest = _largest(pair, c, farthest, (rho + 1 / rho) / 2, (rho - 1 / rho) / 2)
        if highest is None:
            continue
        first = 8 * highest * pair.m / (1 - 1 / rho)
        needed = int(float(((first.log() + nats) / (2 * rho.log())).upper())) + 1
        points = max(needed, 2)
        if points < best[0]:
            best = (points, first * rho ** (-2 * points))
    if best[0] > MOST_POINTS:
        raise TooFarError("a sampled Laplace mechanism's moment takes too many points")
    return best


def _largest(pair: MixedLaplace, c: arb, farthest: arb, a: arb, b: arb) -> arb | None:
    """A bound on the integrand on the ellipse of semiaxes a and b, or None.

    There u has a real part within a m and an imaginary one within y = b m. The argument of W is at
    most y, and grows with the real part; it grows with the imaginary part too while W's share of
    e^u exceeds -cos of it times the rest. abs(W) is at most its real value, and at least
    cos(y / 2) times it.
    """
    m, rate, y = pair.m, pair.rate, b * pair.m
    if not y < WIDEST:
        return None
    most, least = 1 + rate * (a * m).expm1(), 1 + rate * (-a * m).expm1()
    share, turn = rate * (a * m).exp(), y
    if share + (1 - rate) * y.cos() > 0:
        turn = arb.atan2(share * y.sin(), 1 - rate + share * y.cos())
    elif share < 1 - rate:
        turn = (share / (1 - rate)).asin()
    density = ((a * m - m) / 2).exp() / 4
    power = most ** (c + 1)
    if not pair.removes:
        power = maximum((least * (y / 2).cos()) ** (-c), most ** (-c))
    return density * power * (farthest * maximum(turn, ZERO)).exp()


@lru_cache(maxsize=16)
def _legendre(points: int, _: int) -> list[tuple[arb, arb]]:
    return [arb.legendre_p_root(points, k, weight=True) for k in range(points)]
