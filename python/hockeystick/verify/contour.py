# SPDX-License-Identifier: Apache-2.0
"""Compositions by inverting the moment generating function, with proved errors.

With F(w) = prod M_i(c + i w)^n_i e^(-(c + i w) epsilon) / (z (z + 1)), z = c + i w, c > 0:

    h / (2 pi) sum of F(k h) = sum of e^(c j p) delta(epsilon + j p), over all whole k and j,

p = 2 pi / h, by Poisson's formula: F is the transform of e^(c x) delta(epsilon + x), which is
continuous and falls exponentially to both sides. Every term on the right is >= 0, so that those
with j != 0, the aliases, are a one-sided error, which Chernoff bounds. The sum over k is cut off
at W, where abs(F) is at most prod B_i(W)^n_i e^(-c epsilon) / w^2 for all larger w (`beyond`).
"""

import math

from flint import arb, ctx

from hockeystick.verify.balls import ZERO, between, digits_of, enlarged
from hockeystick.verify.closed import drawn
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import Gaussian, Law, Logistic, Mixed
from hockeystick.verify.moments import Counted, Line, Product
from hockeystick.verify.series import Series
from hockeystick.verify.smoothed import Smoothed
from hockeystick.verify.tilts import Plan, Tilts

MOST_POINTS, NEARLY_ALL = 100_000, 30_000  # beyond the latter no second line is tried
MOST_TERMS = 10**7  # points times the terms of their sums
ROUNDS = 6
SPARE = 4.0  # digits fewer are well enough near the place that points were taken for
FEW = 8.0  # digits; if it gives fewer, smoothed curves are tried
SAFETY = 6.0  # nats
PILOT = 12  # the part of the points by which smoothed curves are tried
NEARER = 0.7  # of an epsilon, the next that is tried
GAINED = 0.5  # a round more is worth its points if it makes the radius smaller by this


class Contour:
    """The curve of the finite losses of a composition, whose points are kept between questions."""

    def __init__(self, laws: Counted, digits: int, tilts: Tilts | None = None) -> None:
        self.tilts: Tilts = tilts or Tilts(laws)
        self._laws, self._digits = laws, digits
        self._points: Points | None = None
        self._reached: float = digits  # by these points, where they were taken
        self._smoothed: Smoothed | None = None

    @property
    def number(self) -> int:
        """The number of distinct laws."""
        return len(self._laws)

    def rough(self, digits: int) -> "Contour":
        """The curve to fewer digits, for a search."""
        return Contour(self._laws, digits, self.tilts)

    def nearer(self, epsilon: arb, target: arb) -> arb:
        """An epsilon as large or smaller whose delta is at most the target for certain, as there.

        Deltas of steps at epsilons add up to one of all steps at the sum of these. Where steps are
        rare and few, Chernoff's bounds are far above.
        """
        curves = [(drawn(law), n) for law, n in self._laws]
        steps = sum(n for _, n in curves)

        def serves(x: arb) -> bool:
            return bool(sum((n * curve(x / steps) for curve, n in curves if curve), ZERO) <= target)

        if not all(curve for curve, _ in curves):
            return epsilon
        if serves(ZERO):
            return ZERO
        while serves(closer := (NEARER * epsilon).mid()):
            epsilon = closer
        return epsilon

    def __call__(self, epsilon: arb) -> arb:
        """delta at a real `epsilon`, to the digits asked for where points suffice."""
        if self._smoothed:
            value = self._smoothed(epsilon)
            if digits_of(value) > 2:  # noqa: PLR2004, else another line serves better
                return value
            return self._smooth(epsilon)
        if self._points:
            value = self._points.delta(epsilon)
            if digits_of(value) >= self._reached - SPARE or self._points.is_cut:
                return value
        return self._replanned(epsilon)

    def _replanned(self, epsilon: arb) -> arb:
        """delta by points of a line that is made for this epsilon, and kept."""
        at = float(epsilon)
        if not any(map(_falls, (law for law, _ in self._laws))):
            return self._smooth(epsilon)
        self.tilts.refine(at)
        log_delta, value, before = self.tilts.log_delta(at), ZERO, arb("inf")
        for extra in range(0, 2 * ROUNDS, 2):
            nats = math.log(10) * self._digits + SAFETY + extra
            plan = self.tilts.line(at, log_delta, nats)
            try:
                points = Points(self._laws, self.tilts, plan, nats, arb(at), log_delta)
            except NotKnownError:
                if self._digits < 2 * FEW:
                    return self._smooth(epsilon)
                self._digits //= 2  # which take fewer points, and fewer terms of each
                return self._replanned(epsilon)
            value = points.delta(epsilon)
            is_enough = digits_of(value) >= self._digits - SPARE
            if is_enough or points.is_cut or points.number > NEARLY_ALL:
                break
            if not value.rad() < before * GAINED:
                break  # the parameters' own rounding is left
            before = value.rad()
            lost = log_delta - float(abs(value).lower().log()) if value > 0 else 40.0
            log_delta -= max(lost, 0.0)
        if digits_of(value) < min(self._digits, FEW):
            return self._smooth(epsilon)
        self._points, self._reached = points, min(float(self._digits), digits_of(value))
        return value

    def _smooth(self, epsilon: arb) -> arb:
        """By smoothed curves, of few points first: more tell no digit if these tell too little."""
        value = ZERO
        for share in (PILOT, 1):
            smoothed = Smoothed(self._laws, self.tilts, float(epsilon), share)
            if smoothed.is_rough:
                continue
            value = smoothed(epsilon)
            # The distance between the curves falls as the square of the number of points.
            least = smoothed.size if share > 1 else value.mid()
            if not value > 0 and value.rad() / share**2 * 10 > least:
                raise NotKnownError("the moments fall too slowly along the contour")
            self._smoothed = smoothed
        return value

    @property
    def is_cut(self) -> bool:
        """Whether more points than are affordable would leave more digits."""
        return self._smoothed is not None or (self._points is not None and self._points.is_cut)

    @property
    def is_smooth(self) -> bool:
        """Whether smoothed curves answered."""
        return self._smoothed is not None

    def limits(self) -> dict[str, float]:
        """By source of error, the digits of delta that it left when it was last computed."""
        if self._smoothed:
            return {}
        return self._points.limits if self._points else {}


class Points:
    """prod M_i^n_i / (z (z + 1)) on a line."""

    def __init__(
        self, laws: Counted, tilts: Tilts, plan: Plan, nats: float, epsilon: arb, log_delta: float
    ) -> None:
        self._tilts, self._plan = tilts, plan
        most = max(n for _, n in laws)
        inner = nats + plan.excess + math.log(most) + SAFETY
        self.bits: int = 64 + int((inner + math.log(most)) / math.log(2))
        with ctx.workprec(self.bits):
            self._c, self._h = arb(plan.c), 2 * arb.pi() / arb(plan.period)
            line = Line(self._c, self._h, self._h * MOST_POINTS)
            product = Product(laws, line, tilts.moments(plan.c), inner)
            goal = arb(log_delta - nats) + self._c * epsilon
            most = min(MOST_POINTS, MOST_TERMS // product.terms)
            number = self._number(product, goal, most)
            self.number: int = number
            self.is_cut: bool = number >= most
            self._beyond = self._cut(product, self._h * number)
            left = log_delta - float((self._beyond.log() - self._c * epsilon).upper())
            if self.is_cut and left < FEW * math.log(10):
                raise NotKnownError("the moments fall too slowly along the contour")
            self._sum = Series([value for _, value in product.values(number)], self._h)
            self.limits: dict[str, float] = {}

    def _cut(self, product: Product, w: arb) -> arb:
        """What the points from w on can contribute, without e^(-c epsilon)."""
        return product.beyond(w) * (1 / w + self._h / (w * w)) / arb.pi()

    def _number(self, product: Product, goal: arb, most: int) -> int:
        """How many points until what is cut off is below e^goal, or `most`."""

        def serves(k: int) -> bool:
            with ctx.workprec(64):
                cut = self._cut(product, self._h * k)
                return bool(cut.log() < goal)

        high = 16
        while not serves(high):
            if high >= most:
                return most
            high = min(2 * high, most)
        low = high // 2
        while high - low > max(1, low // 16):
            middle = (low + high) // 2
            low, high = (low, middle) if serves(middle) else (middle, high)
        return high

    def delta(self, epsilon: arb) -> arb:
        """At any real epsilon, with all errors."""
        with ctx.workprec(self.bits):
            total = self._sum(epsilon)
            scale = (-self._c * epsilon).exp()
            total *= self._h * scale / arb.pi()
            cut = self._beyond * scale
            aliases = self._tilts.aliases(self._plan.c, 2 * arb.pi() / self._h, epsilon)
            self.limits = {
                "moments and rounding": digits_of(total),
                "cut off": digits_of(enlarged(total.mid(), cut)),
                "aliases": digits_of(enlarged(total.mid(), aliases)),
            }
            return enlarged(total, cut) - between(ZERO, aliases)


def _falls(law: Law) -> bool:
    """Whether the moments fall along a contour: the loss has a density and no atoms."""
    return all(isinstance(pair, Gaussian | Mixed | Logistic) for _, pair in law)
