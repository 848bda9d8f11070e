# SPDX-License-Identifier: Apache-2.0
"""Composition by inverting the moment generating function on a vertical line.

With M_i(z) = E[e^(z L_i)] of a step that runs n_i times, for any c > 0

    delta(eps) = 1/(2 pi i) * integral over Re z = c of prod M_i(z)^n_i e^(-z eps) / (z (z+1)) dz

(the transform of (1 - e^(eps - L))_+ in eps is e^(z L) / (z (z+1))). The trapezoid rule in Im z
converges exponentially. Errors are estimated, not proved: by doubling both steps, and by the
last term of the extrapolated tail. The cost does not depend on the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from flint import acb, arb, ctx

from exact.model import Direction, Run
from exact.moments import Law, Line, law
from exact.saddle import Saddle

MAX_NODES = 150  # for each digit asked for
FINEST = 8  # of the rules in x
EULER = 16  # terms of the extrapolated tail


class NotConvergedError(ArithmeticError):
    """The integrand does not decay: few steps with few, nearly equal losses. Use another oracle."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """prod M_i^n_i / (z (z+1)) on the line, and the estimated relative error of each."""

    points: list[acb]
    values: list[acb]
    errors: list[float]
    h: arb

    def _terms(self, epsilon: arb) -> list[acb]:
        return [v * (-z * epsilon).exp() for z, v in zip(self.points, self.values, strict=True)]

    def delta(self, epsilon: arb) -> arb:
        """delta(epsilon), its radius the estimated error."""
        terms = self._terms(epsilon)
        full, half = _fold(terms, self.h), _fold(terms[::2], 2 * self.h)
        in_x = sum(float(abs(t / terms[0])) * e for t, e in zip(terms, self.errors, strict=True))
        error = abs(full - half) + abs(terms[0]) * self.h / arb.pi() * arb(in_x)
        return full + arb(0, error.upper())

    def cancellation(self, epsilon: arb, delta: arb) -> float:
        """Nats by which the largest term exceeds the sum."""
        first = abs(self.values[0]) * (-self.points[0].real * epsilon).exp() * self.h
        return float((first / abs(delta.mid())).mid().log())

    def slope(self, epsilon: arb) -> arb:
        """d delta / d epsilon."""
        terms = [-z * t for z, t in zip(self.points, self._terms(epsilon), strict=True)]
        return _fold(terms, self.h)


def _bits(digits: int) -> int:
    """Working precision: room for counts of 1e9 and for sums that cancel."""
    return 160 + 8 * digits


def _fold(terms: list[acb], h: arb) -> arb:
    """The trapezoid rule on the whole line from its upper half; error of the tail included."""
    total = sum(terms[:-EULER], acb(0)) - terms[0] / 2
    tail, error = _euler(terms[-EULER:])
    return ((total + tail).real + arb(0, error.upper())) * h / arb.pi()


def _euler(terms: list[acb]) -> tuple[acb, arb]:
    """Sum of an endless series from its first terms t_k = r^k f(k), f smooth, r = t_1 / t_0.

    It is the sum over j of r^j (D^j f)(0) / (1 - r)^(j+1); the last term is the error. The series
    ends early where M^n decays fast; for rare sampling it hardly decays, but turns.
    """
    ratio = terms[1] / terms[0]
    differences = [t / ratio**k for k, t in enumerate(terms)]
    total, factor, part = acb(0), 1 / (1 - ratio), acb(0)
    for _ in terms:
        part = differences[0] * factor
        total += part
        factor *= ratio / (1 - ratio)
        differences = [b - a for a, b in pairwise(differences)]
    return total, abs(part)


Laws = Sequence[tuple[Law, int]]  # laws of the loss, and how often each runs


def laws(run: Run, direction: Direction) -> Laws:
    """Those of the steps of a run."""
    return [(law(step, direction), count) for step, count in run]


def _nodes(composed: Laws, line: Line, digits: int) -> Nodes | None:
    """The nodes until they are negligible; None when an x-rule is too coarse for them.

    Those of laws with atoms are almost periodic: they end where bounds on them are negligible.
    """
    series = [(count, law.log_moments(line), law.envelope(line)) for law, count in composed]
    nodes = Nodes([], [], [], line.h)
    tolerance = 10.0 ** -(digits + 2) * math.exp(-line.excess)
    first, highest, small = arb(0), 0.0, 0
    most, almost_periodic = MAX_NODES * digits, any(law.atoms for law, _ in composed)
    for k in range(most):
        z = acb(line.c, line.h * k)
        exponent, error, bound = acb(0), 0.0, 0.0
        for count, moments, envelope in series:
            log_m, relative = next(moments)
            exponent += count * log_m
            error += count * relative
            bound += count * envelope(z, log_m)
        value, bound = exponent.exp() / (z * (z + 1)), bound - _log_modulus(z * (z + 1))
        first, highest = (first, highest) if k else (abs(value), bound)
        if not float(abs(value / first).mid()) * error < tolerance:
            return None
        nodes.points.append(z)
        nodes.values.append(value)
        nodes.errors.append(error)
        small = small + 1 if bound < highest + math.log(tolerance / 1e3) else 0
        if small >= 2 * EULER:
            return nodes
        if almost_periodic and k >= most / 4 and bound > highest + math.log(tolerance) / 20:
            break  # Gaussians would be a sixteenth of the way by now
    if almost_periodic:
        raise NotConvergedError(f"node {k} may still be e^{bound - highest} of the largest")
    return nodes


def _log_modulus(z: acb) -> float:
    return math.log(abs(complex(z)))


def _refined(
    composed: Laws, line: Line, epsilon: Callable[[Nodes], arb], digits: int
) -> tuple[arb, arb, Nodes]:
    """epsilon(nodes) and delta there, on nodes fine enough for that many digits of delta."""
    endless = 0
    for _ in range(8):
        nodes = _nodes(composed, line, digits)
        if nodes is None:
            line = replace(line, fineness=2 * line.fineness)
            if line.fineness > FINEST:
                break
            continue
        at = epsilon(nodes)
        value = nodes.delta(at)
        if value.rad() < value.mid() * arb(10) ** -digits:
            return at, value, nodes
        endless += len(nodes.points) == MAX_NODES * digits
        if endless == 2:
            break
        lost = nodes.cancellation(at, value)
        line = replace(line, excess=lost) if lost > line.excess + 1 else replace(line, h=line.h / 2)
    raise NotConvergedError(f"no {digits} digits at c = {line.c}")


class Contour:
    """The curve of the finite losses of a composition; nodes are kept from question to question."""

    def __init__(self, composed: Laws, digits: int = 20) -> None:
        self.composed, self.digits = composed, digits
        self.saddle = Saddle(composed)
        self._nodes: Nodes | None = None

    def delta(self, epsilon: arb) -> arb:
        """delta(epsilon); the radius is estimated."""
        with ctx.workprec(_bits(self.digits)):
            if self._nodes:
                value = self._nodes.delta(epsilon)
                if value.rad() < value.mid() * arb(10) ** -self.digits:
                    return value
            line = self.saddle.line(float(epsilon), self.digits)
            _, value, self._nodes = _refined(self.composed, line, lambda _: epsilon, self.digits)
            if value > 2 * arb(self.saddle.log_delta_above(float(epsilon))).exp():
                raise NotConvergedError("what the contour makes of it exceeds Chernoff's bound")
            return value


def composed_delta(run: Run, epsilon: arb, direction: Direction, digits: int = 20) -> arb:
    """delta(epsilon) of a composition; the radius is estimated."""
    return Contour(laws(run, direction), digits).delta(epsilon)


def composed_epsilon(run: Run, delta: arb, direction: Direction, digits: int = 20) -> arb:
    """epsilon(delta) of a composition; the radius is estimated."""
    with ctx.workprec(_bits(digits)):
        contour = Contour(laws(run, direction), digits)
        start = max(contour.saddle.epsilon_above(float(delta.log())), 0.0)
        line = contour.saddle.line(start, digits)
        accuracy = arb(10) ** -(digits + 6)
        epsilon, value, nodes = _refined(
            contour.composed,
            line,
            lambda nodes: _solve(nodes, delta, arb(start), accuracy),
            digits,
        )
        if epsilon.is_zero():
            assert composed_delta(run, arb(0), direction, digits) <= delta
            return epsilon
        slip = abs(value - delta) / abs(nodes.slope(epsilon))
        return epsilon + arb(0, (2 * slip).upper())


def _solve(nodes: Nodes, delta: arb, start: arb, accuracy: arb) -> arb:
    """The epsilon of that delta: Newton's method on log delta, kept inside a bracket."""
    low, high, epsilon = arb(0), 2 * start, start
    if nodes.delta(low).mid() <= delta:
        return low
    for _ in range(200):
        value = nodes.delta(epsilon).mid()
        low, high = (epsilon, high) if value > delta else (low, epsilon)
        step = low - epsilon
        if value > 0:
            step = -value * (value / delta).log() / nodes.slope(epsilon)
        following = (epsilon + step).mid()
        if abs(step) < abs(following) * accuracy:
            return following
        inside = low < following < high
        epsilon = following if inside else ((low + high) / 2).mid()
    raise NotConvergedError(f"Newton's method at delta {delta}")
