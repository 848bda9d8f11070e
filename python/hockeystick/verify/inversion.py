# SPDX-License-Identifier: Apache-2.0
"""put(K) = E (K - S)_+ of a sum S of t log-normals from their transform g, with all errors.

It is 1 / (2 pi i) times the integral of F(s) = e^(s K) g(s)^t / s^2 along any curve around the
negative axis, where g has its cut: along a hyperbola s(u), by the trapezoid rule of step h in u. If
M+- are the integrals of abs(F ds) / (2 pi) over the lines Im u = +-a, it errs by at most
(M+ + M-) / (e^(2 pi a / h) - 1). M+- and what is cut off are bounded piece by piece, and beyond
`_end` by abs(g) <= e^(v^2 / (2 mu^2)): the line at angle v to the axis has Re(s e^(-i v)) >= 0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import acb, arb, ctx

from hockeystick.verify.balls import ZERO, enlarged
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.hyperbola import hyperbola
from hockeystick.verify.lognormal import SAFETY, Transform, bits_of
from hockeystick.verify.pilot import Pilot, Strike

MOST_NODES = 20_000
MOST_PIECES = 6_000
PIECE = 0.12
LOOSE = 0.7  # nats that the bound of a piece may be above its middle
FAR = 100.0  # times the least s: exponents of larger s are not needed to all bits
QUIET = 3  # nodes in a row that may be left out, until all others are


@dataclass(frozen=True, slots=True)
class Piece:
    """A bound on the integral of abs(F ds) / (2 pi) over a piece, and Re s there."""

    size: arb
    real: arb

    def at(self, moved: arb) -> arb:
        """Where K has moved by so much."""
        return self.size * (self.real * moved).exp().upper()


class Inversion:
    """F at the nodes of a hyperbola, which serve every K near the one it was made for."""

    def __init__(
        self, pilot: Pilot, mean: Callable[[], arb], steps: int, strike: Strike, goal: float
    ) -> None:
        self._m, self._mean, self._steps = pilot.mu, mean, steps
        self.strike: Strike = strike
        self._k: arb = arb(strike.k)
        least = pilot.saddle(strike)
        top = pilot.log_f(least, strike)
        self._curve, self._h = hyperbola(pilot, least, strike, goal)
        depth = max(top - goal, 20.0)
        rough = math.log(steps) + SAFETY
        large = math.log1p(FAR * least * (strike.k + steps)) + SAFETY
        strip = self._curve.strip
        self.bits: int = bits_of(depth + rough, large)
        with ctx.workprec(self.bits):
            number = self._take(top, depth, goal)
        self._end = self._last(goal)
        self._shallow: float = rough + depth / steps + math.log1p(least)
        with ctx.workprec(bits_of(self._shallow, large)):
            self._sides = [self._pieces(line, 0.0) for line in (strip, -strip)]
            self._rest = self._pieces(0.0, number * self._h, goal)

    def _take(self, top: float, depth: float, goal: float) -> int:
        """The nodes until none counts."""
        self._s: list[acb] = []
        self._f: list[acb] = []
        quiet, c = 0, arb(self._curve.scale) / (2 * arb.pi())
        angle, transform = acb(self._curve.angle), Transform(self._mean(), self._curve.angle)
        small = arb(goal - SAFETY).exp()
        nodes = (self._curve.at(arb(self._h) * j, 0.0) for j in range(MOST_NODES))
        for s, power in transform.powers(nodes, self._k, self._steps, top, top - depth):
            u = arb(self._h) * len(self._s)
            value = power * c * (acb(0, u) - angle).cos()
            self._s.append(s)
            self._f.append(value)
            quiet = quiet + 1 if abs(value) < small else 0
            if quiet == QUIET:
                return len(self._s)
        raise NotKnownError("the transform falls too slowly along the contour")

    def _last(self, goal: float) -> float:
        """A u beyond which the simple bound is far below e^goal on all three lines."""
        curve, k = self._curve, float(self._k)
        turned = curve.angle + curve.strip
        lift = k * (curve.least + curve.scale * math.sin(curve.angle))
        grown = self._steps * (turned / self._m) ** 2 / 2
        rate = k * curve.scale * math.sin(curve.angle - curve.strip)
        wanted = (grown + lift + max(-goal, 0.0) + 3 * SAFETY) / rate
        return math.acosh(max(wanted, 1.0)) + 1

    def _beyond(self, line: float, u: arb, k: arb) -> arb:
        """The integral from u on: with v = cosh u, of e^(-b v) v / (v^2 - 1)^(3/2) dv."""
        curve = self._curve
        angle, c = arb(curve.angle), arb(curve.scale)
        turned = angle + arb(line)
        b = k * c * turned.sin()
        grown = self._steps * (turned / self._mean()) ** 2 / 2 + k * (curve.least + c * angle.sin())
        size = (grown - b * u.cosh()).exp() * u.cosh() / (u.sinh() ** 3 * b)
        return size / (2 * arb.pi() * c * turned.cos() ** 2)

    def _pieces(self, line: float, start: float, goal: float = -math.inf) -> list[Piece]:
        """From `start` to the end; those whose bound is below e^goal need not be sharp."""
        transform = Transform(self._mean(), self._curve.angle + line)
        number = math.ceil(max(self._end - start, PIECE) / PIECE)
        width = (self._end - start) / number if self._end > start else PIECE
        todo = [(start + width * j, start + width * (j + 1)) for j in range(number)][::-1]
        made: list[Piece] = []
        highest, tried = goal, 0
        while todo:
            tried += 1
            if tried > MOST_PIECES:
                raise NotKnownError("the contour's pieces are not bounded")
            low, high = todo.pop()
            size, loose, real = self._piece(transform, line, arb(low), arb(high))
            level = float(size.log().upper()) if size > 0 else -math.inf
            serves = size.is_finite() and (loose <= LOOSE or level < highest - SAFETY)
            if not serves:
                middle = (low + high) / 2
                todo += [(middle, high), (low, middle)]
                continue
            if goal == -math.inf:
                highest = max(highest, level)
            made.append(Piece(size, real))
        return made

    def _piece(
        self, transform: Transform, line: float, low: arb, high: arb
    ) -> tuple[arb, float, arb]:
        middle, half = (low + high) / 2, (high - low) / 2
        u = low.union(high)
        around, s = self._curve.at(u, line), self._curve.at(middle, line)
        speed = self._curve.speed(high, line)
        shift = self._k / self._steps
        here, most = transform.tilted(s, around, speed * half, shift, self._shallow)
        # The sum over nodes has at most one more than the integral over a piece.
        length = 2 * half + (arb(self._h) if line == 0.0 else ZERO)
        size = most**self._steps * speed * length
        size = size / (2 * arb.pi() * abs(around).lower() ** 2)
        loose = self._steps * float((most / here.lower()).log()) if here > 0 else math.inf
        return size.upper(), loose if math.isfinite(loose) else math.inf, around.real

    def put(self, k: arb) -> arb:
        """E (k - S)_+."""
        with ctx.workprec(self.bits):
            moved = k - self._k
            total = (self._f[0] * (self._s[0] * moved).exp()).real / 2
            for s, f in zip(self._s[1:], self._f[1:], strict=True):
                total += (f * (s * moved).exp()).real
            total *= 2 * arb(self._h)
        with ctx.workprec(64):
            moved = k - self._k
            end, strip = arb(self._end), self._curve.strip
            sides = ZERO
            for line, pieces in zip((strip, -strip), self._sides, strict=True):
                sides += sum((piece.at(moved) for piece in pieces), ZERO)
                sides += self._beyond(line, end, k)
            error = 2 * sides / (2 * arb.pi() * arb(strip) / arb(self._h)).expm1()
            cut = sum((piece.at(moved) for piece in self._rest), ZERO)
            error += 2 * (cut + self._beyond(0.0, end - arb(self._h), k))
        with ctx.workprec(self.bits):
            return enlarged(total, error)
