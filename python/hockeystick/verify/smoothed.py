# SPDX-License-Identifier: Apache-2.0
"""Curves between two smoothed ones, where moments hardly fall along a contour.

Let h(alpha) = delta(log alpha), which is convex, and eta a sum of K uniform variables on [-r, r],
phi(z) = E e^(z eta) = (sinh(r z) / (r z))^K. With m = log phi(1), alpha e^-(eta + m) has the mean
alpha, so that h(alpha) <= E h(alpha e^-(eta + m)). And h lies above its tangents: with
beta = alpha e^-eta, h(alpha) >= E [h(beta) + (alpha - beta) h'(beta)]. As h is the integral of
M(z) alpha^-z / (z (z + 1)), the integrand of the first is multiplied by e^(z m) phi(z), that of the
second by (1 + z) phi(z) - z phi(z + 1). Both are within about (K / 3) r^2 c^2 of delta, relatively.

abs(phi(z)) <= (cosh(r Re z) / (r Im z))^K, so that both integrands fall. The upper curve is >= 0,
so its aliases only raise the sum; those of the lower one are at most those of delta.
"""

import math

from flint import acb, arb, ctx

from hockeystick.verify.balls import ZERO, between, enlarged, maximum
from hockeystick.verify.closed import drawn
from hockeystick.verify.errors import NotKnownError, TooFarError
from hockeystick.verify.moments import Counted, Line, Product
from hockeystick.verify.series import Series
from hockeystick.verify.tilts import Tilts
from hockeystick.verify.work import POINT, spend

FACTORS = 40  # K
WIDE = 0.2  # the two curves' distance over delta, about, at which no digit is known
REACH = 2.6  # r times Im z where the sum is cut off: REACH^-K is 1e-16
NATS = 34.0  # accuracy of the sums
MOST_POINTS, FEWEST_POINTS = 60_000, 1000
MOST_TERMS = 6 * 10**6
MOST_NATS = 1e4  # of working precision
BITS = 192


class Smoothed:
    """A lower and an upper curve of the finite losses of a composition."""

    def __init__(self, laws: Counted, tilts: Tilts, epsilon: float, share: int = 1) -> None:
        self._tilts, self._share = tilts, share
        tilts.refine(epsilon)
        most = tilts.log_delta(epsilon)
        one = _one_large(laws, epsilon)
        deeper = max(0.0, most - one)
        self.size: float = math.exp(min(one, most))
        """About the least that delta may be, for plans."""
        nats = NATS + deeper
        plan = tilts.line(epsilon, most - 4, nats)
        self._plan = plan
        nats += plan.excess + math.log(max(n for _, n in laws))
        if not nats < MOST_NATS:
            raise NotKnownError(
                "the moments are far larger on the line than where it crosses the axis"
            )
        self._bits: int = BITS + 2 * int(nats)
        with ctx.workprec(self._bits):
            self._c, self._h = arb(plan.c), 2 * arb.pi() / arb(plan.period)
            product, number = self._product(laws, nats)
            w = self._h * number
            self._r = arb(REACH * math.exp(1.3 * deeper / FACTORS)) / w  # 1.3: what is cut off fits
            width = FACTORS / 3 * (self._r * (self._c + 1)) ** 2
            if width > WIDE * share**2:
                raise NotKnownError("the moments fall too slowly along the contour")
            self.is_rough: bool = bool(width > WIDE)
            if self.is_rough:
                return
            self._m = FACTORS * (self._r.sinh() / self._r).log()
            self._cut = self._cuts(w, product.beyond(w))
            self._take(product, number)

    def _product(self, laws: Counted, nats: float) -> tuple[Product, int]:
        """The moments as far along the line as is affordable, and how many points that is."""
        number = MOST_POINTS // self._share
        while True:
            try:
                line = Line(self._c, self._h, self._h * number)
                product = Product(laws, line, self._tilts.moments(self._plan.c), nats)
            except TooFarError:
                if number < FEWEST_POINTS:
                    raise
                number //= 4
                continue
            return product, min(number, MOST_TERMS // self._share // product.terms)

    def _cuts(self, w: arb, bound: arb) -> tuple[arb, arb]:
        """What is cut off from w on, without e^(-c epsilon), of the lower and the upper sum."""
        step = self._h / w
        lower = 2 * ((self._r * (self._c + 1)).cosh() / (self._r * w)) ** FACTORS
        upper = ((self._r * self._c).cosh() / (self._r * w)) ** FACTORS
        upper *= (self._c * self._m).exp() / w
        most = (step + 1 / arb(FACTORS)) * bound / arb.pi()
        return lower * most, upper * most

    def _take(self, product: Product, number: int) -> None:
        low, high = [], []
        spend(number * POINT)
        for z, value in product.values(number):
            here = _sinhc(self._r * z) ** FACTORS
            there = _sinhc(self._r * (z + 1)) ** FACTORS
            low.append(value * ((1 + z) * here - z * there))
            high.append(value * here * (z * self._m).exp())
        self._sums = Series(low, self._h), Series(high, self._h)

    def __call__(self, epsilon: arb) -> arb:
        """A ball around delta(epsilon)."""
        with ctx.workprec(self._bits):
            scale = (-self._c * epsilon).exp()
            ends = []
            for series, cut in zip(self._sums, self._cut, strict=True):
                total = series(epsilon) * self._h / arb.pi()
                ends.append(enlarged(total, cut) * scale)
            aliases = self._tilts.aliases(self._plan.c, 2 * arb.pi() / self._h, epsilon)
            return between(maximum(ZERO, ends[0] - aliases), ends[1])


def _one_large(laws: Counted, epsilon: float) -> float:
    """About the log of delta where one of the losses is large, which Chernoff's bound is far above.

    For plans: it says how accurate sums must be to tell delta.
    """
    curves = [(drawn(law), n) for law, n in laws]
    if not (epsilon > 0 and all(curve for curve, _ in curves)):
        return math.inf
    total = sum((n * curve(arb(epsilon)) for curve, n in curves if curve), ZERO).mid()
    return float(total.log()) if total > 0 else math.inf


def _sinhc(x: acb) -> acb:
    return x.sinh() / x
