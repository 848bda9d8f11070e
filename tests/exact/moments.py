# SPDX-License-Identifier: Apache-2.0
"""M(z) = E_P[e^(z L)] of one step along a vertical line, as sums of weights times e^(z loss).

Of a density, by the trapezoid rule in x. The integrand is analytic up to the zeros of the mixture
density, at |Im x| = pi sigma, so the rule converges like exp(-const / step): halving the step
squares the error. The same nodes give the rule of twice the step; the difference of the two is the
stated error. It is an estimate, and a generous one, not a proof.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from flint import acb, acb_mat, arb

from exact.model import Direction, Step

BLOCK = 48  # points of a line computed at a time
GRID = 1501
Points = np.ndarray
Terms = list[tuple[acb, acb]]  # weights and losses


@dataclass(frozen=True, slots=True)
class Line:
    """The points z = c + i k h, k = 0, 1, ..., and how much finer than usual the rules in x are.

    The integrand at z = c is e^`excess` times what it is at the saddle point.
    """

    c: arb
    h: arb
    fineness: int
    excess: float


Atoms = Sequence[tuple[arb, arb]]  # losses and their masses


class Law(ABC):
    """One step's loss under P, in one direction: what the contour integral needs of it."""

    atoms: Atoms = ()  # losses of positive probability

    @property
    def infinity_mass(self) -> arb:
        """P(L = +inf)."""
        return arb(0)

    @property
    def supremum(self) -> arb:
        """Of the finite losses."""
        return arb(math.inf)

    @abstractmethod
    def log_moment(self, c: Points) -> Points:
        """log M(c) in doubles, inf where it is not known: for choosing contours only."""

    @abstractmethod
    def halves(self, line: Line) -> tuple[Terms, ...]:
        """Sums that make M together, and would be equal but for the error of a rule; or one."""

    def moments(self, line: Line) -> Iterator[tuple[acb, float]]:
        """M and its estimated relative error at the points of the line, in turn."""
        for even, *odd in zip(*(_sums(terms, line) for terms in self.halves(line)), strict=True):
            total = sum(odd, even)
            difference = sum((abs((even - other) / total).upper() for other in odd), arb(0))
            yield total, float(difference)

    def log_moments(self, line: Line) -> Iterator[tuple[acb, float]]:
        """The same with log M."""
        return ((moment.log(), error) for moment, error in self.moments(line))

    def envelope(self, line: Line) -> Callable[[acb, acb], float]:
        """A bound on log abs M(z) that, other than it, hardly rises: of z and log M(z).

        The atoms' part at its largest, on the real line, and the modulus of the rest.
        """
        if not self.atoms:
            return lambda _, log_m: float(log_m.real.mid())
        most = sum((p * (line.c * loss).exp() for loss, p in self.atoms), arb(0))

        def bound(z: acb, log_m: acb) -> float:
            rest = log_m.exp() - sum((p * (z * loss).exp() for loss, p in self.atoms), acb(0))
            return float((most + abs(rest)).log().mid())

        return bound


def _sums(terms: Terms, line: Line) -> Iterator[acb]:
    """The sum of weight * e^(z loss) at the points of the line, in turn."""
    start = [weight * (line.c * loss).exp() for weight, loss in terms]
    phases = [acb(0, line.h) * loss for _, loss in terms]
    turns = [phase.exp() for phase in phases]
    row, rows = [acb(1)] * len(terms), []
    for _ in range(BLOCK):
        rows += row
        row = [x * turn for x, turn in zip(row, turns, strict=True)]
    powers = acb_mat(BLOCK, len(terms), rows)
    for k in count(step=BLOCK):
        turned = [x * (k * phase).exp() for x, phase in zip(start, phases, strict=True)]
        block = powers * acb_mat(len(terms), 1, turned)
        yield from block.entries()


class Smooth(Law):
    """A loss that is an analytic function of x, and x of a density."""

    x_step: float  # the widest
    shift: float  # of the x-line; see `SampledGaussian`
    extent: float  # where the farthest of the density's parts is centred
    negligible = 120.0  # nats below the peak at which the integrand is cut

    @abstractmethod
    def log_densities(self, x: Points) -> tuple[Points, Points]:
        """log P(x) and L(x), in doubles: for choosing contours and windows only."""

    @abstractmethod
    def point(self, x: acb) -> tuple[acb, acb]:
        """P's density and the loss at x."""

    def log_moment(self, c: Points) -> Points:
        """log M(c); unknown where the integrand is still large at the ends of the grid."""
        reach = 50 + 3 * self.extent
        x = np.linspace(-reach, reach, GRID)
        base, loss = self.log_densities(x)
        logs = base + c[:, None] * loss
        peaks = logs.max(axis=1, keepdims=True)
        total = np.log(np.exp(logs - peaks).sum(axis=1) * (x[1] - x[0])) + peaks[:, 0]
        inside = np.maximum(logs[:, 0], logs[:, -1]) < peaks[:, 0] - 30
        return np.where(inside, total, math.inf)

    def reach(self, c: float) -> float:
        """Beyond which the integrand of M(c) is negligible."""
        return 40 + 2 * (abs(c) + 1) * self.extent

    def _window(self, c: float) -> tuple[float, float]:
        """Where the integrand of M(c) is not negligible."""
        reach = self.reach(c)
        low, high = -reach, reach
        for _ in range(12):
            x = np.linspace(low, high, GRID)
            base, loss = self.log_densities(x)
            log_integrand, spacing = base + c * loss, x[1] - x[0]
            floor = log_integrand.max() - self.negligible - spacing**2
            keep = np.flatnonzero(log_integrand > floor)
            if keep[-1] - keep[0] > GRID * 2 / 3:
                break
            low, high = x[max(keep[0] - 1, 0)], x[min(keep[-1] + 1, GRID - 1)]
        return float(x[keep[0]]), float(x[keep[-1]])

    def halves(self, line: Line) -> tuple[Terms, ...]:
        """The rule's even and odd nodes."""
        low, high = self._window(float(line.c))
        step, terms = self.x_step / line.fineness, []
        spacing, shift = arb(step), arb(self.shift)
        for k in range(math.floor(low / step) - 1, math.ceil(high / step) + 2):
            density, loss = self.point(acb(spacing * k, shift))
            terms.append((spacing * density, loss))
        return terms[::2], terms[1::2]


def _normal(x: acb) -> acb:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


class SampledGaussian(Smooth):
    """A Gaussian on a Poisson sample; the rate may be a ball.

    The x-line is moved half way to the zeros of the mixture, so that Im L > 0 on it: there
    |e^(z L)| falls with Im z instead of oscillating ever faster, and one x-step serves all.
    """

    def __init__(self, step: Step, direction: Direction) -> None:
        self.step, self.direction, self.extent = step, direction, 1 / step.sigma
        self.x_step = min(0.3, step.sigma / 10)
        distance = min(math.pi * step.sigma / 2, 2.0)
        self.shift = distance if direction == "remove" else -distance

    @property
    def supremum(self) -> arb:
        """Of the losses."""
        return -(1 - arb(self.step.q)).log() if self.direction == "add" else arb(math.inf)

    def log_densities(self, x: Points) -> tuple[Points, Points]:
        """See `Smooth`."""
        m, q = 1 / self.step.sigma, float(self.step.q)
        base = -x * x / 2 - math.log(2 * math.pi) / 2
        log_rest = math.log1p(-q) if q < 1 else -math.inf
        right = np.logaddexp(log_rest, math.log(q) + m * x - m * m / 2)
        if self.direction == "remove":
            return base + right, right
        if self.direction == "add":
            return base, -right
        left = np.logaddexp(log_rest, math.log(q) - m * x - m * m / 2)
        return base + left, left - right

    def _mixture(self, x: acb) -> acb:
        m, q = 1 / arb(self.step.sigma), arb(self.step.q)
        return 1 - q + q * (m * x - m * m / 2).exp()

    def point(self, x: acb) -> tuple[acb, acb]:
        """See `Smooth`."""
        right = self._mixture(x)
        if self.direction == "remove":
            return _normal(x) * right, right.log()
        if self.direction == "add":
            return _normal(x), -right.log()
        left = self._mixture(-x)
        return _normal(x) * left, left.log() - right.log()


class PlainGaussian(Law):
    """M(z) = e^(mu^2 z (z + 1) / 2)."""

    def __init__(self, step: Step, direction: Direction) -> None:
        self.step, self.shifts = step, 2 if direction == "replace" else 1

    @property
    def square(self) -> arb:
        """mu^2."""
        return (self.shifts / arb(self.step.sigma)) ** 2

    def log_moment(self, c: Points) -> Points:
        """See `Law`."""
        return float(self.square) * (c * c + c) / 2

    def halves(self, line: Line) -> tuple[Terms, ...]:  # noqa: ARG002
        """None: M is known."""
        raise AssertionError("M is known, and not summed")

    def log_moments(self, line: Line) -> Iterator[tuple[acb, float]]:
        """See `Law`."""
        z = acb(line.c)
        while True:
            yield self.square * z * (z + 1) / 2, 0.0
            z = z + acb(0, line.h)


def law(step: Step, direction: Direction) -> Law:
    """The law of a step's loss."""
    return PlainGaussian(step, direction) if step.q == 1 else SampledGaussian(step, direction)


def log_moments(step: Step, direction: Direction, line: Line) -> Iterator[tuple[acb, float]]:
    """log M of a step and its estimated error at the points of the line, in turn."""
    return law(step, direction).log_moments(line)
