# SPDX-License-Identifier: Apache-2.0
"""M(z) = E_P[e^(z L)] of one step along a vertical line, by the trapezoid rule in x.

The integrand is analytic up to the zeros of the mixture density, at |Im x| = pi sigma, so the
rule converges like exp(-const / step): halving the step squares the error. The same nodes give
the rule of twice the step; the difference of the two is the stated error. It is an estimate, and
a generous one, not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from flint import acb, arb

from exact.model import Direction, Step

RESTART = 32
NEGLIGIBLE = 180.0  # nats below the peak at which the integrand is cut
Points = np.ndarray


def _log_densities(step: Step, direction: Direction, x: Points) -> tuple[Points, Points]:
    """log P(x) + x^2/2 and L(x), in doubles: for choosing contours and windows only."""
    m, q = 1 / step.sigma, step.q
    log_rest = math.log1p(-q) if q < 1 else -math.inf
    right = np.logaddexp(log_rest, math.log(q) + m * x - m * m / 2)
    left = np.logaddexp(log_rest, math.log(q) - m * x - m * m / 2)
    if direction == "remove":
        return right, right
    if direction == "add":
        return np.zeros_like(x), -right
    return left, left - right


def _scan(step: Step, direction: Direction, c: float, depth: float) -> tuple[Points, Points]:
    """A fine grid over {integrand of M(c) > e^-depth of its peak}, and the log integrand."""
    reach = 40 + 2 * (abs(c) + 1) / step.sigma
    low, high = -reach, reach
    for _ in range(12):
        x = np.linspace(low, high, 1501)
        base, loss = _log_densities(step, direction, x)
        log_integrand = base - x * x / 2 + c * loss
        spacing = x[1] - x[0]
        keep = np.flatnonzero(log_integrand > log_integrand.max() - depth - spacing**2)
        if keep[-1] - keep[0] > 1000:
            break
        low, high = x[max(keep[0] - 1, 0)], x[min(keep[-1] + 1, 1500)]
    return x, log_integrand


def log_moment(step: Step, direction: Direction, c: float) -> float:
    """log M(c) in doubles: for choosing contours only."""
    if step.q == 1:
        square = (2 if direction == "replace" else 1) ** 2 / step.sigma**2
        return square * (c * c + c) / 2
    x, log_integrand = _scan(step, direction, c, 45.0)
    peak = log_integrand.max()
    mass = np.exp(log_integrand - peak).sum() * (x[1] - x[0])
    return float(peak + math.log(mass / math.sqrt(2 * math.pi)))


def _mixture(x: acb, m: arb, q: arb) -> acb:
    return 1 - q + q * (m * x - m * m / 2).exp()


def _point(step: Step, direction: Direction, x: acb) -> tuple[acb, acb]:
    """P's density over e^(-x^2/2), and the loss, at x."""
    m, q = 1 / arb(step.sigma), arb(step.q)
    right = _mixture(x, m, q)
    if direction == "remove":
        return right, right.log()
    if direction == "add":
        return acb(1), -right.log()
    left = _mixture(-x, m, q)
    return left, left.log() - right.log()


def _shift(step: Step, direction: Direction) -> float:
    """How far to move the x-line, half way to the zeros of the mixture, so that Im L > 0 on it.

    There |e^(z L)| falls with Im z instead of oscillating ever faster, and one x-step serves all.
    """
    distance = min(math.pi * step.sigma / 2, 2.0)
    return distance if direction == "remove" else -distance


@dataclass(frozen=True, slots=True)
class Line:
    """The points z = c + i k h, k = 0, 1, ..., and the step of the x-rule.

    The integrand at z = c is e^`excess` times what it is at the saddle point.
    """

    c: arb
    h: arb
    x_step: float
    excess: float


def log_moments(step: Step, direction: Direction, line: Line) -> Iterator[tuple[acb, float]]:
    """log M and its estimated error at the points of the line, in turn."""
    if step.q == 1:
        yield from _gaussian_log_moments(step, direction, line)
        return
    weights, phases = _nodes(step, direction, line)
    turns = [phase.exp() for phase in phases]
    terms: list[acb] = []
    for k in count():
        if k % RESTART == 0:  # balls grow by half a bit a turn
            terms = [w * (k * p).exp() for w, p in zip(weights, phases, strict=True)]
        even, odd = sum(terms[::2], acb(0)), sum(terms[1::2], acb(0))
        total = even + odd
        difference = abs((even - odd) / total).upper()
        yield total.log(), float(difference)
        terms = [term * turn for term, turn in zip(terms, turns, strict=True)]


def _nodes(step: Step, direction: Direction, line: Line) -> tuple[list[acb], list[acb]]:
    """P's mass times e^(c L) at each x of the rule, and i h L."""
    x, log_integrand = _scan(step, direction, float(line.c), NEGLIGIBLE)
    inside = x[log_integrand > log_integrand.max() - NEGLIGIBLE]
    first = math.floor(inside[0] / line.x_step) - 1
    last = math.ceil(inside[-1] / line.x_step) + 1
    spacing, shift = arb(line.x_step), arb(_shift(step, direction))
    norm = spacing / (2 * arb.pi()).sqrt()
    weights, phases = [], []
    for k in range(first, last + 1):
        at = acb(spacing * k, shift)
        density, loss = _point(step, direction, at)
        weights.append(norm * density * (line.c * loss - at * at / 2).exp())
        phases.append(acb(0, line.h) * loss)
    return weights, phases


def _gaussian_log_moments(
    step: Step, direction: Direction, line: Line
) -> Iterator[tuple[acb, float]]:
    square = arb(4 if direction == "replace" else 1) / arb(step.sigma) ** 2
    z = acb(line.c)
    while True:
        yield square * z * (z + 1) / 2, 0.0
        z = z + acb(0, line.h)
