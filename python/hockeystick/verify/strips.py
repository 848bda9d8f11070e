# SPDX-License-Identifier: Apache-2.0
"""M(z) = E[e^(z L)] of a pair with a density, by the trapezoid rule with a proved error.

The integrand f is analytic in a strip. If the integrals of abs(f) over both edges, at a distance a
from the line of the nodes, are at most I and J, then the rule of step h is off by at most
(I + J) / (e^(2 pi a / h) - 1) (Trefethen & Weideman 2014, Theorem 5.1).

Each law is turned so that its loss grows with x, and Im L >= 0 where 0 <= y = Im x <= its limit.
For z = c + i w with w >= 0, abs(e^(z L)) = e^(c Re L - w Im L) is then at most what it is at w = 0,
on all of the strip between the real axis and twice the line of the nodes. So one error holds for
all w, and so does, for all larger w, the sum of the moduli at w.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from flint import acb, arb

from hockeystick.verify.balls import ZERO, maximum
from hockeystick.verify.closed import log_mixture
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Logistic, Mixed, Shifts
from hockeystick.verify.work import POINT, spend

MOST_NODES = 20_000
SLOPE = 0.1
CANDIDATES = 240
Terms = list[tuple[acb, acb]]  # weights, and losses


class Density(ABC):
    """A pair whose loss grows with x."""

    limit: float  # of Im x

    @abstractmethod
    def log_edge(self, c: float, y: float) -> float:
        """log of a factor: abs(f) at Im x = y is at most it times f on the real line, at real c."""

    @abstractmethod
    def log_integrand(self, c: arb, x: arb) -> arb:
        """log f at real z = c and x."""

    @abstractmethod
    def fall(self, c: arb, x: arb) -> arb:
        """At least how fast log f falls outwards at x, to the side of its sign, and further out."""

    @abstractmethod
    def point(self, x: acb) -> tuple[acb, acb]:
        """P's density and the loss."""


class Normals(Density):
    """Mixtures A and B: f = phi A^(z+1) B^-z, phi the normal density.

    A's shifts are in [0, a] and B's in [-b, 0], so that the phases of the terms of A (B) are in
    [0, a y] ([-b y, 0]). Hence abs(A) <= A(Re x), and abs(B) >= B(Re x) cos(b y / 2), by
    projection on the middle of the phases; abs(phi) = e^(y^2 / 2) phi(Re x).
    """

    def __init__(self, pair: Mixed) -> None:
        self.pair = pair
        self.a: arb = maximum(*(s for _, s in pair.p))
        self.b: arb = maximum(*(-s for _, s in pair.q))
        self.limit: float = 0.98 * math.pi / float(maximum(self.a, self.b).upper())

    def log_edge(self, c: float, y: float) -> float:
        """See `Density`; a double, for plans."""
        return y * y / 2 - c * math.log(math.cos(float(self.b) * y / 2))

    def edge(self, c: arb, y: arb) -> arb:
        """See `Density`."""
        return (y * y / 2).exp() * (self.b * y / 2).cos() ** (-maximum(c, ZERO))

    def log_integrand(self, c: arb, x: arb) -> arb:
        """See `Density`."""
        mixtures = (c + 1) * log_mixture(self.pair.p, x) - c * log_mixture(self.pair.q, x)
        return mixtures - x * x / 2 - (2 * arb.pi()).log() / 2

    def fall(self, c: arb, x: arb) -> arb:
        """See `Density`.

        A mixture's logarithm has a slope in the range of its shifts, which grows with x.
        """
        if x < 0:
            return -x + c.min(ZERO) * self.b
        terms = [(w * (s * x - s * s / 2).exp(), s) for w, s in self.pair.q]
        slope = -sum((w * s for w, s in terms), ZERO) / sum((w for w, _ in terms), ZERO)
        return x - (c + 1) * self.a - maximum(c, ZERO) * slope

    def point(self, x: acb) -> tuple[acb, acb]:
        """See `Density`."""
        p, q = _mixture(self.pair.p, x), _mixture(self.pair.q, x)
        normal = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
        return normal * p, p.log() - q.log()


def _mixture(parts: Shifts, x: acb) -> acb:
    return sum(
        (p * (s * x - s * s / 2).exp() if not s.is_zero() else acb(p) for p, s in parts), acb(0)
    )


class Logistics(Density):
    """f = g(x - m)^(z+1) g(x)^-z, g(x) = e^-x / (1 + e^-x)^2.

    With E = 1 + e^(m-x), F = 1 + e^-x: L = m - 2 log(E / F). abs(E) is at least its real value
    times cos(y / 2), and abs(F) at most its own; arg E <= arg F <= 0.
    """

    limit: float = 0.98 * math.pi

    def __init__(self, pair: Logistic) -> None:
        self.m: arb = pair.m

    def log_edge(self, c: float, y: float) -> float:
        """See `Density`; a double, for plans."""
        return -(2 * c + 2) * math.log(math.cos(y / 2))

    def edge(self, c: arb, y: arb) -> arb:
        """See `Density`."""
        return (y / 2).cos() ** (-2 * abs(c) - 2)

    def log_integrand(self, c: arb, x: arb) -> arb:
        """See `Density`."""
        e, f = (1 + (self.m - x).exp()).log(), (1 + (-x).exp()).log()
        return self.m - x - 2 * e + c * (self.m - 2 * (e - f))

    def fall(self, c: arb, x: arb) -> arb:
        """See `Density`.

        d log f / dx is (2 t - 1) + 2 c (t - s), t and s the shares of e^(m-x) in E, e^-x in F.
        Where x > m + d, t <= e^-d and t - s <= e^-d; where x < -d, 1 - t <= e^-d, and t >= s.
        """
        far = (8 * abs(c) + 8).log()
        return arb(0.5) if x > self.m + far or x < -far else ZERO

    def point(self, x: acb) -> tuple[acb, acb]:
        """See `Density`."""
        e, f = 1 + (self.m - x).exp(), 1 + (-x).exp()
        return (self.m - x).exp() / (e * e), self.m - 2 * (e.log() - f.log())


def density(pair: Mixed | Logistic) -> "Normals | Logistics":
    """The integrand of a pair."""
    return Normals(pair) if isinstance(pair, Mixed) else Logistics(pair)


@dataclass(frozen=True)
class Rule:
    """Weights and losses on a line, and how far their sums may be off M(c + i w), any w >= 0."""

    terms: Terms
    error: arb
    height: float = 0.0
    """Im x of the line."""

    @cached_property
    def moduli(self) -> list[tuple[arb, arb]]:
        """The moduli of the weights, and Im L."""
        return [(abs(weight), loss.imag) for weight, loss in self.terms]

    def beyond(self, w: arb) -> arb:
        """A bound on abs(M(c + i v)) for all v >= w: the moduli fall, the error is the same."""
        return sum((size * (-w * turn).exp() for size, turn in self.moduli), ZERO) + self.error


def moment(law: "Normals | Logistics", c: arb, nats: float) -> arb:
    """M(c), c > -1, to about e^-nats of itself: nodes on the real line, edges to both sides."""
    a, h = _strip(law, float(c), law.limit, nats, 1)
    rows, cut = _nodes(law, c, h, nats)
    total = sum((value for _, value in rows), ZERO) * h
    off = 2 * law.edge(c, arb(a)) / ((2 * arb.pi() * a / h).expm1())
    if not off < 1:
        raise NotKnownError("the strip of the moment is too narrow")
    return total + arb(0, ((off * total + cut) / (1 - off)).upper())


def rule(
    law: "Normals | Logistics", c: arb, size: arb, nats: float, height: float | None = None
) -> Rule:
    """The sums on the line of Re z = c, off by about e^-nats of M(c), at most `size`.

    The nodes are on the line of Im x = `height`, or where their step is longest.
    """
    if height is None:
        a, h = _strip(law, float(c), law.limit / 2, nats, 2)
    else:
        a, h = height, arb(_step(law, float(c), height, nats, 2))
    rows, cut = _nodes(law, c, h, nats)
    edges = 1 + law.edge(c, arb(2 * a))
    error = edges * size / (2 * arb.pi() * a / h).expm1()
    terms, scale = [], law.edge(c, arb(a))
    spend(POINT * len(rows))
    least = size * (-arb(nats)).exp() / len(rows)
    for x, value in rows:
        if value * h * scale < least:
            cut += value * h
            continue
        p, loss = law.point(acb(x, a))
        terms.append((h * p * (c * loss).exp(), loss))
    return Rule(terms, error + cut * scale, a)


def _strip(
    law: "Normals | Logistics", c: float, limit: float, nats: float, across: int
) -> tuple[float, arb]:
    """The distance to the edges that takes the widest step, and that step."""
    heights = (limit * 2.0 ** (-k / 4) for k in range(CANDIDATES))
    step, a = max((_step(law, c, a, nats, across), a) for a in heights)
    return a, arb(step)


def _step(law: "Normals | Logistics", c: float, a: float, nats: float, across: int) -> float:
    """The step whose rule errs by about e^-nats where the edges are at that distance."""
    return 2 * math.pi * a / (nats + 1 + law.log_edge(c, across * a))


def _nodes(
    law: "Normals | Logistics", c: arb, h: arb, nats: float
) -> tuple[list[tuple[arb, arb]], arb]:
    """x and f(x) at the nodes that matter, and h times a bound on the sum of f at the others."""
    rows: list[tuple[arb, arb]] = []
    peak, cut, least = ZERO, ZERO, (-arb(nats) - 10).exp()
    _check_nodes(law, c, h, least)
    for sign in (1, -1):
        for k in count(0 if sign > 0 else 1):
            x = h * k * sign
            value = law.log_integrand(c, x).exp()
            if value < peak * least and (slope := law.fall(c, x)) > SLOPE:
                cut += value * (h + 1 / slope)  # a geometric series
                break
            spend(2 * POINT)
            rows.append((x, value))
            peak = maximum(peak, value)
            if len(rows) > MOST_NODES:
                raise NotKnownError(f"a step's moment takes over {MOST_NODES} nodes")
    return rows, cut


def _check_nodes(law: "Normals | Logistics", c: arb, h: arb, least: arb) -> None:
    """Whether the nodes that matter are few enough, before they are taken.

    They are those between the ends, if f is small there beside f at 0, and so beside its peak.
    """
    if any(not law.fall(c, sign * h * MOST_NODES) > SLOPE for sign in (1, -1)):
        raise NotKnownError(f"a step's moment takes over {MOST_NODES} nodes")
    ends = [law.log_integrand(c, sign * h * (MOST_NODES // 2)) for sign in (1, -1)]
    small = law.log_integrand(c, ZERO) + least.log()
    if all(end < small for end in ends):
        return
    peaks = [law.log_integrand(c, sign * h * 2**k) for sign in (1, -1) for k in range(15)]
    if any(end > maximum(*peaks) + least.log() for end in ends):
        raise NotKnownError(f"a step's moment takes over {MOST_NODES} nodes")
