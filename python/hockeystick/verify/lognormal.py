# SPDX-License-Identifier: Apache-2.0
"""g(s) = E e^(-s Y), log Y = mu x - mu^2 / 2, x standard normal, in the plane without (-inf, 0].

The line of x is lowered to x - i y, where Y turns by e^(-i mu y), and abs(e^(-s Y)) is
e^(-c abs(Y)), c = Re(s e^(-i mu y)). As e^z >= e^a (1 + z - a) for any a, with v = c e^a

    e^(-c abs(Y)) phi(x) <= e^fall phi(x + v mu),   fall = v^2 mu^2 / 2 - v (1 - mu^2 / 2 - a).

So the integrand's modulus integrates to at most e^(y^2 / 2 + fall) if c >= 0. The trapezoid sum of
step d, if that holds within b of y, errs by at most the sum of these at y + b and y - b, over
e^(2 pi b / d) - 1.
"""

import math
from typing import NamedTuple

from flint import acb, arb

from hockeystick.verify.balls import ZERO, enlarged, normal_tail
from hockeystick.verify.work import EXPONENTIAL, spend

RIGHT_ANGLE = math.pi / 2 * (1 - 1e-9)
SHARES = (1.0, 0.8, 0.6, 0.45, 0.33, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.015, 0.006, 0.002)


def lambert(x: float) -> float:
    """About the w with w e^w = x >= 0."""
    w = math.log1p(x) if x < math.e else math.log(x) - math.log(math.log(x))
    for _ in range(8):
        w -= (w - x * math.exp(-w)) / (1 + w)
    return w


def fall(mu: float, c: float) -> float:
    """About the least bound on log g(c), c >= 0."""
    w = lambert(c * mu * mu * math.exp(-mu * mu / 2))
    return -(w * w + 2 * w) / (2 * mu * mu)


class Grid(NamedTuple):
    """How low the line of x is, the half-width of its strip, and the step on it."""

    y: float
    b: float
    step: float
    lost: float
    """Nats that terms may be larger than their sum, at `around`."""


def grid(mu: float, least: float, around: float, nats: float, widest: float = math.inf) -> Grid:
    """That of the longest step for s = `around`, to e^-nats of g."""
    lowest = least / mu * (1 + 1e-9)
    most, base, choices = (RIGHT_ANGLE / mu - lowest) / 2, fall(mu, around), []
    for share in SHARES:
        b = share * min(most, 2 * math.sqrt(nats))
        if b > widest and share != SHARES[-1]:
            continue
        y = lowest + b
        wanted = nats + (y + b) ** 2 / 2 + fall(mu, around * math.cos(mu * (y + b))) - base + 3
        lost = y * y / 2 + fall(mu, around * math.cos(mu * y)) - base
        choices.append(Grid(y, b, min(2 * math.pi * b / wanted, 1.0), lost))
    return max(choices, key=lambda choice: choice.step)


class Transform:
    """The trapezoid sum, for all s with Re(s e^(-i theta)) >= 0 for theta in [least, pi / 2].

    It serves real parts from about `around`, where it is right to e^-nats of g, to `farthest`.
    """

    def __init__(
        self, mu: arb, least: float, around: float, farthest: float, nats: float, widest: float = 99
    ) -> None:
        m = float(mu)
        self._m, self._mu, self._nats = m, mu, nats
        y, b, step, lost = grid(m, least, around, nats, widest)
        self._y, self._b, self._step = arb(y), arb(b), arb(step)
        self._grown = (self._y**2 / 2).exp()
        self._turns = [acb(0, -mu * (self._y + k * self._b)).exp() for k in (-1, 0, 1)]
        self._alias = 1 / (2 * arb.pi() * self._b / self._step).expm1()
        self._kept = nats + lost
        reach = math.sqrt(2 * (nats + lost + 3))
        ends = [
            lambert(c * m * m * math.exp(-m * m / 2)) / m
            for c in (farthest, around * math.cos(m * y))
        ]
        self._first = math.ceil((m + reach - ends[1]) / step)
        self._last = math.floor((-reach - ends[0]) / step)
        weight = self._step / (2 * arb.pi()).sqrt()
        self.points: list[tuple[acb, acb]] = []
        for k in range(self._first, self._last - 1, -1):
            x = acb(self._step * k, -self._y)
            self.points.append(((mu * x - mu * mu / 2).exp(), weight * (-x * x / 2).exp()))

    def _bound(self, c: arb) -> tuple[arb, arb, arb]:
        """e^fall, v mu and the mean of abs(Y) of N(-v mu), for a good a."""
        if not c > 0:
            return arb(1), ZERO, arb(1)  # 0 <= c is known
        mu = self._mu
        w = arb(lambert(float(c) * self._m**2 * math.exp(-(self._m**2) / 2)))
        v = c * (-mu * mu / 2 - w).exp()
        return ((v * mu) ** 2 / 2 - v * (1 + w)).exp(), v * mu, (-v * mu * mu).exp()

    def errors(self, s: acb) -> tuple[arb, arb]:
        """Of the sums for E e^(-s Y) and E Y e^(-s Y), beyond rounding."""
        plain = mean = ZERO
        for k, turn in zip((-1, 0, 1), self._turns, strict=True):
            size, moved, of_y = self._bound((s * turn).real)
            if k:  # an edge
                size *= self._alias * ((self._y + k * self._b) ** 2 / 2).exp()
                plain, mean = plain + size, mean + size * of_y
                continue
            size *= self._grown
            right, left = self._step * self._first + moved, -self._step * self._last - moved
            plain += size * (_beyond(right) + _beyond(left))
            mean += size * of_y * (_beyond(right - self._mu) + _beyond(left + self._mu))
        return plain, mean

    def __call__(self, s: acb) -> acb:
        """g(s). The largest Y, which add less than is asked for, are bounded together."""
        rate = (s * self._turns[1]).real
        skip = self._negligible(rate)
        spend(EXPONENTIAL * (len(self.points) - skip))
        total = acb(0)
        for y, weight in self.points[skip:]:
            total += weight * (-s * y).exp()
        error, _ = self.errors(s)
        if skip:
            x = self._step * (self._first - skip + 1)  # the least that is left out
            modulus = (self._mu * x - self._mu**2 / 2).exp()
            error += self._grown * _beyond(x - self._step) * (-rate * modulus).exp()
        return acb(enlarged(total.real, error), enlarged(total.imag, error))

    def _negligible(self, rate: arb) -> int:
        """How many of the largest Y have a Re(s Y) too large to count."""
        if not rate > 0:
            return 0
        size = self._kept - fall(self._m, float(rate))
        x = (math.log(size) - float(rate.log()) + self._m**2 / 2) / self._m
        kept = max(math.floor(x / float(self._step)), self._last)
        return max(self._first - kept - 1, 0)

    def tilted(self, s: acb, around: acb, length: arb, shift: arb) -> tuple[arb, arb]:
        """abs(E e^(s (shift - Y))) at `s`, and a bound for the points of a curve.

        Those are all in the box `around`, and at most `length` of the curve away from s.
        """
        spend(2 * EXPONENTIAL * len(self.points))
        value, slope = acb(0), acb(0)
        for y, weight in self.points:
            rest = shift - y
            value += weight * (s * rest).exp()
            slope += weight * rest * (around * rest).exp()
        plain, mean = self.errors(around)
        grown = (around.real * shift).exp()
        here = abs(value) + grown * plain
        steepest = abs(slope) + grown * (shift * plain + mean)
        return here, (here + length * steepest).upper()


def _beyond(x: arb) -> arb:
    """At least the trapezoid sum of the normal density beyond x, which falls there."""
    return normal_tail(x) if x > 0 else arb(2)


def bits_of(lost: float, nats: float, large: float) -> int:
    """The working precision for sums of this many nats, and exponents as large as e^large."""
    return 64 + int((nats + lost + large) / math.log(2))
